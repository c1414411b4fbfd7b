import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { Client } from 'undici';
import { buildRelease } from '../../builder/build.ts';
import { silent } from '../../builder/progress.ts';
import { writeDemoCity } from '../../infra/demo/write-demo-city.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { landmarksOf } from '../conformance/fuzz/landmarks.ts';
import { type ApiDocument, anyRequest, type FuzzRequest } from '../conformance/fuzz/requests.ts';
import { openCustomer, withLedger } from '../support/account-totals.ts';
import { inPlace } from '../support/openapi.ts';
import { releaseIn } from '../support/release-in.ts';
import { startService } from './service.ts';

/**
 * `npm run corpus -- record FOLDER` on one checkout and `npm run corpus -- compare FOLDER` on
 * another check that both return the same responses, byte for byte, to the same requests on the
 * same release. The folder keeps the release, the requests and a digest of each response.
 */
const REQUESTS = 6_000;
/** Requests that are drawn. The others follow from their responses: next pages, other formats. */
const DRAWN = 2_500;
const SEED = 20_260_114;
const CITY = { blocks: 1_500, seed: 14 };
/** Small enough to truncate batches. */
const ROW_BUDGET = 2_000;
/** One request in ten comes from a customer with this few tokens, to truncate batches. */
const FEW_TOKENS = 150;
const MAX_REPORTED = 10;
const FORMATS = [
  'text/csv',
  'application/x-ndjson',
  'application/geo+json',
  'application/vnd.apache.parquet',
];
/** Headers that depend on the clock or connection, and a CORS header that never varies. */
const NOT_COMPARED =
  /^(date|ratelimit|connection|keep-alive|x-request-id|access-control-expose-headers)$/;

interface Recorded extends Pick<FuzzRequest, 'method' | 'path' | 'headers' | 'body'> {
  readonly isPoor: boolean;
}

interface Answered {
  readonly digest: string;
  readonly text: string;
  /** Status and media type. */
  readonly kind: string;
  readonly cursor: string | null;
}

const [verb, folder] = process.argv.slice(2);
if (!(verb === 'record' || verb === 'compare') || folder === undefined) {
  throw new Error('say: record FOLDER, or compare FOLDER');
}
const [store, list] = [path.join(folder, 'store'), path.join(folder, 'responses.json')];
if (verb === 'record') await record();
else await compare();

async function record(): Promise<void> {
  await mkdir(folder, { recursive: true });
  const city = await writeDemoCity({ ...CITY, out: path.join(folder, 'city') }, silent);
  const opened = new FolderStore(store);
  const { osm, blocks, gtfs, places } = city;
  const inputs = { osm: [osm], blocks, gtfs: [gtfs], places: [places], counties: [] };
  await buildRelease({ ...inputs, release: 'corpus' }, opened, silent);
  const { marks, pools } = await landmarksOf(await releaseIn(opened));
  await opened.close();
  const recorded: { request: Recorded; digest: string }[] = [];
  const kinds = new Map<string, number>();
  await withService(async (ask, document) => {
    const drawn = fc.sample(anyRequest(document, marks, pools), { numRuns: DRAWN, seed: SEED });
    const waiting = drawn.map(({ method, path, headers, body }, i): Recorded => {
      // A reused idempotency key would make a response depend on earlier ones.
      const { 'idempotency-key': _, ...sent } = headers;
      return { method, path, headers: sent, body, isPoor: i % 10 === 0 };
    });
    for (const request of waiting) {
      if (recorded.length === REQUESTS) break;
      const { digest, kind, cursor } = await ask(request);
      recorded.push({ request, digest });
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      if (cursor !== null) waiting.push(nextPage(request, cursor));
      if (kind.startsWith('200 application/json')) waiting.push(...inOtherFormats(request));
    }
  });
  await writeFile(list, JSON.stringify(recorded));
  const reported = Array.from(kinds, ([kind, count]) => `${count} × ${kind}`);
  process.stdout.write(`${recorded.length} responses recorded: ${reported.join(', ')}\n`);
}

async function compare(): Promise<void> {
  const recorded = JSON.parse(await readFile(list, 'utf8')) as {
    request: Recorded;
    digest: string;
  }[];
  let others = 0;
  const byPath = new Map<string, number>();
  await withService(async (ask) => {
    for (const { request, digest } of recorded) {
      const response = await ask(request);
      if (response.digest === digest) continue;
      const [pathname] = request.path.split('?');
      byPath.set(pathname, (byPath.get(pathname) ?? 0) + 1);
      if (others++ < MAX_REPORTED) {
        process.stdout.write(`${JSON.stringify(request)}\n${response.text.slice(0, 2_000)}\n\n`);
      }
    }
  });
  for (const [pathname, count] of byPath) process.stdout.write(`${count} × ${pathname}\n`);
  process.stdout.write(`${others} of ${recorded.length} responses differ\n`);
  process.exitCode = others === 0 ? 0 : 1;
}

/**
 * Runs the service over the folder's release, with a separate ledger, while `use` sends requests.
 */
async function withService(
  use: (ask: (request: Recorded) => Promise<Answered>, document: ApiDocument) => Promise<void>,
): Promise<void> {
  const ledger = await mkdtemp(path.join(tmpdir(), 'tta-corpus-'));
  const keyWith = async (tokens: number) =>
    (await withLedger(ledger, (opened) => openCustomer(opened, { tokens }))).key;
  const rich = await keyWith(1e12);
  const service = await startService(store, ledger, {
    FREE_RATE_LIMIT_PER_MINUTE: '1000000000',
    BASE_URL: 'http://service.example',
    ROW_BUDGET: String(ROW_BUDGET),
    CURSOR_SECRETS: 'the secret of the corpus',
  });
  const client = new Client(service.address, { pipelining: 1, headersTimeout: 30_000 });
  try {
    const response = await fetch(`${service.address}/openapi.json`);
    await use(
      async (request) =>
        responseTo(client, request, request.isPoor ? await keyWith(FEW_TOKENS) : rich),
      inPlace((await response.json()) as ApiDocument),
    );
  } finally {
    await client.close();
    await service.stop();
    await rm(ledger, { recursive: true, force: true });
  }
}

async function responseTo(
  client: Client,
  { method, path, headers, body }: Recorded,
  key: string,
): Promise<Answered> {
  const sent = { ...headers, authorization: `Bearer ${key}` };
  const response = await client.request({ method, path, headers: sent, body });
  const bytes = Buffer.from(await response.body.arrayBuffer());
  // The rich customer's balance depends on all previous requests.
  const reported = Object.entries(response.headers).filter(
    ([name]) => !NOT_COMPARED.test(name) && name !== 'x-tokens-remaining',
  );
  const head = `${response.statusCode} ${JSON.stringify(reported.sort(([a], [b]) => (a < b ? -1 : 1)))}`;
  const isJson = String(response.headers['content-type']).startsWith('application/json');
  const isPlain = response.headers['content-encoding'] === undefined && bytes.length > 0;
  return {
    digest: createHash('sha256').update(head).update('\n').update(bytes).digest('base64url'),
    text: `${head}\n${bytes}`,
    kind: `${response.statusCode} ${response.headers['content-type'] ?? 'nothing'}`,
    cursor: isJson && isPlain ? (JSON.parse(bytes.toString()).next_cursor ?? null) : null,
  };
}

function inOtherFormats({ headers, ...request }: Recorded): Recorded[] {
  return FORMATS.map((accept) => ({ ...request, headers: { ...headers, accept } }));
}

/** The request for the page that a response's cursor leads to. */
function nextPage(request: Recorded, cursor: string): Recorded {
  if (request.body !== undefined) {
    return { ...request, body: JSON.stringify({ ...JSON.parse(request.body), cursor }) };
  }
  const { pathname, searchParams } = new URL(request.path, 'http://service');
  searchParams.set('cursor', cursor);
  return { ...request, path: `${pathname}?${searchParams}` };
}
