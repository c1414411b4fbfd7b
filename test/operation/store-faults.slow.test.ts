import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { totalsOf } from '../support/account-totals.ts';
import { openProxy } from '../support/proxy-harness.ts';
import { type RgwServer, startRgw } from '../support/rgw.ts';
import { type RunningService, runService } from '../support/running-service.ts';
import { publishSmallRelease } from '../support/small-release.ts';
import { type SmallCounty, smallCounty } from '../support/small-world.ts';
import { folderOfEachTest, folderOfTests } from '../support/temporary-folder.ts';
import { commandsOfTests } from '../support/tta.ts';
import {
  altered,
  type Fault,
  openWire,
  status,
  type Wire,
  type WireRequest,
} from '../support/wire.ts';

const CLIENTS = 6;
/** Pause of a client between requests: a refused one waits before it retries. */
const PAUSE_MS = 40;
const shape = { fips: '24510', blocks: 12, pois: 40 };
const RELEASES = {
  one: smallCounty({ ...shape, seed: 5 }),
  two: smallCounty({ ...shape, seed: 6 }),
};
type Label = keyof typeof RELEASES;

/** Two routes per block: one row of `nearest`, and one of a matrix. */
const urlsOf = ({ blocks }: SmallCounty) =>
  blocks.flatMap(({ geoid }) => [
    `/v1/blocks/${geoid}/summary`,
    `/v1/blocks/${geoid}/pois?limit=1000`,
  ]);
const urls = urlsOf(RELEASES.one);

const runIn = commandsOfTests();
const source = folderOfTests();
const folder = folderOfEachTest();
let rgw: RgwServer;
let bucket: string;
/**
 * The right responses of each release by URL: those of a service in normal operation on a folder.
 */
const right = { one: new Map<string, string>(), two: new Map<string, string>() };
let wire: Wire;
let service: RunningService;

beforeAll(async () => {
  rgw = await startRgw();
  bucket = await rgw.bucket();
  for (const label of ['two', 'one'] as const) {
    await publishSmallRelease(source, label, [RELEASES[label]]);
    const proxy = await openProxy(source);
    const { key } = await proxy.customer({ tokens: 1e6 });
    for (const url of urls) right[label].set(url, (await proxy.get(url, key)).body);
    await proxy.close();
  }
  const entries = await readdir(source, { recursive: true });
  for (const name of entries.filter((entry) => path.extname(entry) !== '')) {
    const Body = await readFile(path.join(source, name));
    await rgw.client.putObject({ Bucket: bucket, Key: `store/${name}`, Body });
  }
});
afterAll(() => rgw?.stop());

beforeEach(async () => {
  wire = await openWire(rgw.endpoint);
  for (const [name, value] of Object.entries(rgw.env)) vi.stubEnv(name, value);
  vi.stubEnv('AWS_ENDPOINT_URL_S3', wire.address);
});
afterEach(async () => {
  wire.fault = () => null;
  await service.close();
  await wire.close();
  vi.unstubAllEnvs();
});

/** Starts the service; without its caches, each response is read afresh. */
async function start({ isCaching = false } = {}): Promise<void> {
  const none = { RESPONSE_CACHE_BYTES: '0', CACHE_BYTES: '1' };
  const polling = { RELEASE_POLL_SECONDS: '1', METRICS_PORT: '0' };
  service = await runService(`s3://${bucket}/store`, folder, {
    ...polling,
    ...(!isCaching && none),
  });
}

/** The clients' observations. */
interface Seen {
  readonly statuses: Map<number, number>;
  charged: number;
  paid: number;
  slowestMs: number;
  /** Releases that sent responses, judging by responses that only one release can have sent. */
  readonly releases: Set<Label>;
}

const nothingSeen = (): Seen => ({
  statuses: new Map(),
  charged: 0,
  paid: 0,
  slowestMs: 0,
  releases: new Set<Label>(),
});

/**
 * Sends one client's request and returns the status; throws if anything is wrong with the response.
 */
async function askOnce(url: string, seen: Seen): Promise<number> {
  const begunMs = performance.now();
  const response = await service.ask(url);
  const body = await response.text();
  seen.slowestMs = Math.max(seen.slowestMs, performance.now() - begunMs);
  seen.statuses.set(response.status, (seen.statuses.get(response.status) ?? 0) + 1);
  const charged = Number(response.headers.get('x-tokens-charged'));
  seen.charged += charged;
  if (response.status === 200) {
    seen.paid++;
    const of = (['one', 'two'] as const).filter((label) => right[label].get(url) === body);
    expect(of, `a wrong response to ${url}: ${body.slice(0, 200)}`).not.toEqual([]);
    if (of.length === 1) seen.releases.add(of[0]);
    const rows = JSON.parse(body).results.length;
    expect(charged).toBe(Math.max(1, rows));
  } else {
    expect([response.status, JSON.parse(body).type]).toEqual([
      503,
      expect.stringMatching(/\/store-unavailable$/),
    ]);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(charged).toBe(0);
  }
  return response.status;
}

/** Runs an operation while clients send requests, and returns what they observed. */
async function underLoad(during: (seen: Seen) => Promise<unknown>): Promise<Seen> {
  const seen = nothingSeen();
  let isOver = false;
  let at = 0;
  const client = async () => {
    while (!isOver) {
      await askOnce(urls[at++ % urls.length], seen);
      await pause(PAUSE_MS);
    }
  };
  const clients = Promise.allSettled(Array.from({ length: CLIENTS }, client));
  try {
    await during(seen);
  } finally {
    isOver = true;
  }
  for (const ended of await clients) if (ended.status === 'rejected') throw ended.reason;
  return seen;
}

/** Checks the invariant that charges equal deliveries and the books add up. */
async function booksAgree(...all: readonly Seen[]): Promise<void> {
  const { granted, used, requests, balance } = await totalsOf(service.ledger, service.account);
  const sum = (of: (seen: Seen) => number) => all.reduce((total, seen) => total + of(seen), 0);
  expect({ used, requests, balance }).toEqual({
    used: sum(({ charged }) => charged),
    requests: sum(({ paid }) => paid),
    balance: granted - used,
  });
}

/**
 * Waits until a request succeeds: a breaker stays open for a second before it lets reads through.
 */
async function answeredAgain(seen: Seen, url = urls[0]): Promise<void> {
  const answered = async () => expect(await askOnce(url, seen)).toBe(200);
  await vi.waitFor(answered, { timeout: 300_000, interval: 200 });
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(service.metricsAddress!)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

const isOfObjects = ({ path: asked }: WireRequest) => !/latest\.json|manifests/.test(asked);
const garbled = altered(({ body }) => {
  for (let at = 0; at < body.length; at += 13) body[at] ^= 0x55;
});
const wholeForRange = altered((response) => {
  response.status = 200;
  delete response.headers['content-range'];
});

/** Failures applied to all object reads, and whether responses are still possible. */
const FAULTS: readonly (readonly [what: string, fault: () => Fault | null, outcome: string])[] = [
  ['slow', () => ({ delayMs: 100 }), 'answered'],
  ['500 now and then', occasionally(status(500)), 'answered'],
  ['500 always', () => status(500), 'refused'],
  ['truncated', () => ({ cut: 7 }), 'refused'],
  ['wrong bytes', () => garbled, 'refused'],
  ['200 for a range', () => wholeForRange, 'refused'],
  ['vanished', () => status(404), 'refused'],
  ['gone', () => 'reset', 'refused'],
];

function occasionally(fault: Fault): () => Fault | null {
  let at = 0;
  return () => (at++ % 12 === 0 ? fault : null);
}

describe('under load, charges equal deliveries when store objects are', () => {
  test.each(FAULTS)('%s', async (_what, fault, outcome) => {
    await start();
    const seen = await underLoad(async ({ statuses }) => {
      const count = (code: number) => statuses.get(code) ?? 0;
      await expect.poll(() => count(200)).toBeGreaterThan(5);
      const before = count(200);
      wire.fault = (request) => (isOfObjects(request) ? fault() : null);
      if (outcome === 'refused') await expect.poll(() => count(503)).toBeGreaterThan(20);
      else await expect.poll(() => count(200)).toBeGreaterThan(before + 40);
      wire.fault = () => null;
      await pause(400);
    });
    expect(seen.releases).toEqual(new Set(['one']));
    expect((seen.statuses.get(503) ?? 0) > 0).toBe(outcome === 'refused');
    const after = nothingSeen();
    await answeredAgain(after);
    for (const url of urls.slice(0, 6)) expect(await askOnce(url, after)).toBe(200);
    await booksAgree(seen, after);
  });
});

test('a forbidden object, like a missing one where listing is not permitted, does not block others', async () => {
  await start({ isCaching: true });
  const seen = nothingSeen();
  const denied = status(403, '<Error><Code>AccessDenied</Code></Error>');
  wire.fault = ({ path: asked }) => (asked.includes('/pois/') ? denied : null);
  const [summary, pois] = urls;
  for (let i = 0; i < 8; i++) expect(await askOnce(pois, seen)).toBe(503);
  expect(await metric('tta_breaker_open\\{backend="store"\\}')).toBe(0);
  expect(await askOnce(summary, seen)).toBe(200);
  await booksAgree(seen);
});

test('when a store stalls, a few requests wait a few seconds, and later ones not at all', async () => {
  await start();
  const usual = nothingSeen();
  for (const url of urls) await askOnce(url, usual);
  const first = await underLoad(async () => {
    await pause(200);
    wire.fault = (request) => (isOfObjects(request) ? 'silence' : null);
    await expect.poll(() => metric('tta_breaker_open\\{backend="store"\\}')).toBe(1);
  });
  // A request makes two attempts of two seconds, plus the delays of a busy machine. Each is
  // answered, and none is cut off.
  expect(first.slowestMs).toBeGreaterThan(2_000);
  const refused = nothingSeen();
  // One request at a time probes the store, in two attempts; the others fail without a read.
  wire.requests = [];
  const statuses = urls.map((url) => askOnce(url, refused));
  expect(new Set(await Promise.all(statuses))).toEqual(new Set([503]));
  expect(wire.requests.filter(isOfObjects).length).toBeLessThan(urls.length / 2);
  wire.fault = () => null;
  await answeredAgain(refused);
  await booksAgree(usual, first, refused);
});

test('without the store, cached data is served, the rest is 503, and the free catalogue stays up', async () => {
  await start({ isCaching: true });
  const seen = nothingSeen();
  const [warm, cold] = [urls.slice(0, 6), urls.slice(12)];
  for (const url of warm) await askOnce(url, seen);
  const { headers } = await service.ask(warm[0]);
  seen.charged += Number(headers.get('x-tokens-charged'));
  seen.paid++;
  wire.fault = () => 'reset';
  for (let round = 0; round < 3; round++) {
    for (const url of warm) expect(await askOnce(url, seen)).toBe(200);
    for (const url of cold) expect(await askOnce(url, seen)).toBe(503);
  }
  const conditional = { 'if-none-match': headers.get('etag')! };
  expect((await service.ask(warm[0], { headers: conditional })).status).toBe(304);
  const free = ['health', 'last-updated', 'meta/modes', 'meta/vintage', 'plans', 'isochrone/meta'];
  for (const route of free) {
    expect([route, (await fetch(`${service.address}/v1/${route}`)).status]).toEqual([route, 200]);
  }
  const ready = await fetch(`${service.address}/v1/ready`);
  expect([ready.status, await ready.json()]).toMatchObject([
    503,
    { ready: false, checks: { store: 'unavailable', ledger: 'ok' } },
  ]);
  await booksAgree(seen);
  wire.fault = () => null;
  await answeredAgain(seen, cold[0]);
  for (const url of cold) expect(await askOnce(url, seen)).toBe(200);
  await booksAgree(seen);
});

const promote = async (label: Label) => {
  const args = ['release', 'promote', label, '--store', `s3://${bucket}/store`];
  expect(await runIn(rgw.env, ...args)).toMatchObject({ code: 0 });
};
const release = async () =>
  ((await (await fetch(`${service.address}/v1/last-updated`)).json()) as { release: string })
    .release;

test('during promotion and rollback under load, each response comes entirely from one of the two releases', async () => {
  await start();
  const seen = await underLoad(async () => {
    await promote('two');
    await expect.poll(release).toBe('two');
    await pause(300);
    await promote('one');
    await expect.poll(release).toBe('one');
    await pause(300);
  });
  expect(seen.releases).toEqual(new Set(['one', 'two']));
  expect([...seen.statuses.keys()]).toEqual([200]);
  await booksAgree(seen);
});

test('a release that cannot be opened is reported, and not served until it can be', async () => {
  await start();
  wire.fault = ({ path: asked }) =>
    /dest-ids|manifests\/two/.test(asked)
      ? altered(({ body }) => {
          body[Math.floor(body.length / 2)] ^= 1;
        })
      : null;
  try {
    const seen = await underLoad(async () => {
      await promote('two');
      await expect.poll(() => metric('tta_release_refresh_failures')).toBeGreaterThanOrEqual(2);
    });
    expect(seen.releases).toEqual(new Set(['one']));
    expect([...seen.statuses.keys()]).toEqual([200]);
    const ready = await fetch(`${service.address}/v1/ready`);
    expect([ready.status, await ready.json()]).toMatchObject([
      200,
      { ready: true, checks: { store: 'ok', release: 'held' } },
    ]);
    wire.fault = () => null;
    await expect.poll(release).toBe('two');
    expect(await metric('tta_release_refresh_failures')).toBe(0);
    await booksAgree(seen);
  } finally {
    await promote('one');
  }
});
