import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { publishExports } from '../../builder/export/publish-exports.ts';
import { TABLE_NAMES } from '../../builder/export/tables.ts';
import { silent } from '../../builder/progress.ts';
import { collectGarbage } from '../../builder/publish/collect-garbage.ts';
import { PLANS } from '../../proxy/plans.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';
import { pythonTools } from '../support/python-tool.ts';
import { releaseIn } from '../support/release-in.ts';
import { folderOfTests } from '../support/temporary-folder.ts';

const COUNTY = '99001';
const folder = folderOfTests();
const store = new FolderStore(folder);
const nearest = { table: 'nearest', county: COUNTY, format: 'parquet' };
const types = { table: 'types', format: 'parquet' };

let proxy: ProxyHarness;

beforeAll(async () => {
  await cp(inject('demoStore'), folder, { recursive: true });
  const request = { tables: ['nearest', 'reach'], counties: [COUNTY], format: 'parquet' } as const;
  await publishExports(await releaseIn(store), request, store, silent);
  proxy = await openProxy(folder);
  return () => proxy.close();
});

test('every table has a price', () => {
  expect(Object.keys(PLANS.charges.exports).sort()).toEqual([...TABLE_NAMES].sort());
});

const PATH = '/v1/exports/links';
/** The path and query of a link, since tests have no socket. */
const local = (url: string) => url.slice(new URL(url).origin.length);

async function linkTo(body: object) {
  const { id, key } = await proxy.customer({ tokens: 20_000 });
  const response = await proxy.post(PATH, key, body);
  expect(response.statusCode).toBe(201);
  return { ...response.json(), id, key, headers: response.headers };
}

const listed = async () => (await proxy.get('/v1/exports')).json().exports;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

test('the exports of a release are listed with their sizes, hashes and prices, without a key', async () => {
  const { release, exports } = (await proxy.get('/v1/exports')).json();
  expect(release).toBe('demo');
  expect(exports).toEqual([
    {
      ...nearest,
      bytes: expect.any(Number),
      rows: expect.any(Number),
      sha256: expect.any(String),
      price_tokens: 1_000,
    },
    expect.objectContaining({ table: 'reach', county: COUNTY, price_tokens: 10_000 }),
    expect.objectContaining({ ...types, county: null, price_tokens: 10 }),
  ]);
});

test('a link costs the listed price, contains no key, and leads to the listed bytes', async () => {
  for (const body of [nearest, types]) {
    const askedMs = Date.now();
    const { url, id, key, headers, ...link } = await linkTo(body);
    const one = (await listed()).find(({ table }: { table: string }) => table === body.table);
    expect([link.bytes, link.sha256]).toEqual([one.bytes, one.sha256]);
    expect(Number(headers['x-tokens-charged'])).toBe(one.price_tokens);
    expect(await proxy.balance(id)).toBe(20_000 - one.price_tokens);
    expect(url).not.toContain(key.slice(8));
    const endsMs = Date.parse(link.expires_at);
    expect(endsMs - askedMs).toBeGreaterThanOrEqual(3_599_000);
    expect(endsMs - Date.now()).toBeLessThanOrEqual(3_600_000);
    const file = await proxy.get(local(url));
    expect([file.statusCode, file.rawPayload.length]).toEqual([200, one.bytes]);
    expect(sha256(file.rawPayload)).toBe(one.sha256);
    expect(file.headers['content-type']).toBe('application/vnd.apache.parquet');
  }
});

/** Relays connections to a port, and counts the requests and the bytes of the responses. */
async function countingRelay(port: number) {
  const counted = { requests: 0, bytes: 0 };
  const relay = createServer((client) => {
    const server = connect(port, '127.0.0.1');
    client.on('data', (sent) => {
      counted.requests += sent.toString('latin1').match(/^(GET|HEAD) /gm)?.length ?? 0;
    });
    server.on('data', ({ length }) => {
      counted.bytes += length;
    });
    client.pipe(server).pipe(client);
    for (const socket of [client, server]) socket.on('error', () => socket.destroy());
  });
  await once(relay.listen(0, '127.0.0.1'), 'listening');
  return { relay, counted, at: (relay.address() as AddressInfo).port };
}

test('DuckDB reads the reach of a block by a link in at most six requests and half of the file’s bytes', async () => {
  const { url, bytes } = await linkTo({ ...nearest, table: 'reach' });
  const { relay, counted, at } = await countingRelay(await proxy.listen());
  const geoid = `${COUNTY}0001001001`;
  const python = path.join(
    await pythonTools('duckdb==1.5.5', 'duckdb-extension-httpfs==1.5.5'),
    'python',
  );
  const query = ['test/export/query_link.py', `http://127.0.0.1:${at}${local(url)}`, geoid];
  const { stdout } = await promisify(execFile)(python, query, { maxBuffer: 1e8 });
  relay.close();
  const { key } = await proxy.customer({ tokens: 1_000 });
  const expected: unknown[] = [];
  for (const mode of ['walk', 'bike', 'transit']) {
    const asked = `/v1/isochrone?block=${geoid}&mode=${mode}&minutes=60&format=blocks`;
    const { blocks } = (await proxy.get(asked, key)).json();
    for (const { geoid: to, travel_min } of blocks) expected.push([geoid, to, mode, travel_min]);
  }
  const ordered = (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).sort();
  expect(expected.length).toBeGreaterThan(100);
  expect(ordered(JSON.parse(stdout))).toEqual(ordered(expected));
  expect(counted.requests).toBeLessThanOrEqual(6);
  expect(counted.bytes).toBeLessThan(bytes / 2);
});

test('an unknown table, or too few tokens, is refused and not charged', async () => {
  const { id, key } = await proxy.customer({ tokens: PLANS.charges.exports.nearest - 1 });
  for (const [body, status, reason] of [
    [{ table: 'nothing', format: 'parquet' }, 404, 'no such table'],
    [{ ...nearest, format: 'csv' }, 404, 'for this county and format'],
    [{ ...nearest, county: '24510' }, 404, 'for this county and format'],
    [{ table: 'nearest' }, 404, 'send county'],
    [{ ...types, county: COUNTY }, 404, 'omit county'],
    [{ ...nearest, county: 'x' }, 400, 'county'],
    [nearest, 429, 'token'],
  ] as const) {
    const response = await proxy.post(PATH, key, body);
    expect([response.statusCode, response.body]).toEqual([status, expect.stringContaining(reason)]);
  }
  expect(await proxy.balance(id)).toBe(PLANS.charges.exports.nearest - 1);
});

test('a damaged file is a problem document without headers of the file', async () => {
  const { url } = await linkTo(nearest);
  const file = path.join(folder, 'exports', path.basename(new URL(url).pathname));
  const whole = await readFile(file);
  await writeFile(
    file,
    whole.map((byte) => byte ^ 1),
  );
  onTestFinished(() => writeFile(file, whole));
  const response = await proxy.get(local(url), undefined, { range: 'bytes=0-99' });
  expect([response.statusCode, response.json().status]).toEqual([503, 503]);
  for (const header of ['content-range', 'accept-ranges', 'etag']) {
    expect(response.headers[header]).toBeUndefined();
  }
});

test('garbage collection keeps the exports of kept releases', async () => {
  const options = { keep: 0, graceHours: 0, dryRun: true };
  const { remove } = await collectGarbage(store, options, new Date(Date.now() + 60_000));
  expect(remove.filter(({ name }) => name.startsWith('exports/'))).toEqual([]);
});
