import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { publishExports } from '../../builder/export/publish-exports.ts';
import { silent } from '../../builder/progress.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';
import { releaseIn } from '../support/release-in.ts';
import { publishSmallRelease } from '../support/small-release.ts';
import { smallCounty } from '../support/small-world.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';

const nearest = { table: 'nearest', county: '24510', format: 'parquet' };
const types = { table: 'types', format: 'parquet' };
const PATH = '/v1/exports/links';

const folder = folderOfEachTest();
const ledger = folderOfEachTest();

/** Publishes a release with exports of the given tables, or without exports. */
async function publish(release: string, tables: readonly string[], seed = 1) {
  const county = smallCounty({ fips: '24510', seed, blocks: 12, pois: 60 });
  await publishSmallRelease(folder, release, [county]);
  if (tables.length === 0) return;
  const store = await ofThisTest(new FolderStore(folder));
  const wanted = { tables, counties: ['24510'], format: 'parquet' } as const;
  await publishExports(await releaseIn(store), wanted, store, silent);
}

async function open(): Promise<ProxyHarness> {
  const proxy = await openProxy(folder, { ledger: `sqlite:${ledger}` });
  onTestFinished(() => proxy.close());
  return proxy;
}

/** The path and query of a link, since tests have no socket. */
const local = (url: string) => url.slice(new URL(url).origin.length);

describe('once a release without exports is in force', () => {
  let proxy: ProxyHarness;
  let key: string;
  let first: { url: string; sha256: string };
  const idempotent = { 'idempotency-key': 'nearest of Baltimore' };

  beforeEach(async () => {
    await publish('first', ['nearest']);
    proxy = await open();
    ({ key } = await proxy.customer({ tokens: 1_000 }));
    const response = await proxy.post(PATH, key, nearest, idempotent);
    expect([response.statusCode, response.headers['x-tokens-charged']]).toEqual([201, '1000']);
    first = response.json();
    await publish('second', [], 2);
    expect(await proxy.releases.refresh()).toBe(true);
  });

  test('a link to a table of the earlier release still works', async () => {
    const file = await proxy.get(local(first.url));
    expect([file.statusCode, file.headers.etag]).toEqual([200, `"${first.sha256}"`]);
  });

  test('a repeated request returns a link to the file that was paid for, uncharged', async () => {
    const again = await proxy.post(PATH, key, nearest, idempotent);
    expect([again.statusCode, again.json().sha256]).toEqual([201, first.sha256]);
    expect(again.headers).toMatchObject({
      'idempotency-replayed': 'true',
      'x-tokens-charged': '0',
      'x-tokens-remaining': '0',
    });
    expect(again.headers['x-data-release']).toMatch(/^first-/);
    const file = await proxy.get(local(again.json().url));
    expect([file.statusCode, file.headers.etag]).toEqual([200, `"${first.sha256}"`]);
  });

  test('another request is refused, with the way to renew an earlier link', async () => {
    const { key: rich } = await proxy.customer({ tokens: 5_000 });
    const response = await proxy.post(PATH, rich, nearest);
    expect([response.statusCode, response.json().detail]).toEqual([
      404,
      'release second has no exported tables yet; a request for a link to an earlier one, repeated with its Idempotency-Key, renews that link',
    ]);
    expect((await proxy.get('/v1/exports')).json()).toEqual({ release: 'second', exports: [] });
  });

  test('once the file is removed, the problem of a repeated request names its release', async () => {
    for (const name of await readdir(path.join(folder, 'exports'))) {
      if (name.startsWith('first-')) await rm(path.join(folder, 'exports', name));
    }
    const later = await open();
    const response = await later.post(PATH, key, nearest, idempotent);
    expect([response.statusCode, response.json().detail]).toEqual([
      404,
      expect.stringContaining('of release first, has been removed'),
    ]);
  });
});

test('a table that was exported a moment ago is offered and sent by every process', async () => {
  await publish('first', ['nearest']);
  const [seller, sender, renewer] = [await open(), await open(), await open()];
  for (const { get } of [seller, sender, renewer]) {
    const { exports } = (await get('/v1/exports')).json();
    expect(exports.map(({ table }: { table: string }) => table)).toEqual(['nearest']);
  }
  const store = await ofThisTest(new FolderStore(folder));
  const coded = { tables: ['types'], counties: [], format: 'csv' } as const;
  await publishExports(await releaseIn(store), coded, store, silent);
  const { key } = await seller.customer({ tokens: 1_000 });
  const body = { table: 'types', format: 'csv' };
  const linkFrom = ({ post }: ProxyHarness) =>
    post(PATH, key, body, { 'idempotency-key': 'types' });
  // A list is read again at most once a second.
  await expect.poll(async () => (await linkFrom(seller)).statusCode).toBe(201);
  await expect.poll(async () => (await linkFrom(renewer)).statusCode).toBe(201);
  const { url } = (await linkFrom(renewer)).json();
  await expect.poll(async () => (await sender.get(local(url))).statusCode).toBe(200);
});

test('requests for a table that was not exported read the list at most once a second', async () => {
  await publish('first', ['nearest']);
  const proxy = await open();
  const { key } = await proxy.customer({ tokens: 1_000 });
  const reads = vi.spyOn(proxy.store, 'readWhole');
  const startMs = performance.now();
  for (let i = 0; i < 20; i++) {
    const all = [1, 2, 3].map(() => proxy.post(PATH, key, { ...types, format: 'csv' }));
    for (const { statusCode } of await Promise.all(all)) expect(statusCode).toBe(404);
  }
  const seconds = Math.ceil((performance.now() - startMs) / 1_000);
  const lists = reads.mock.calls.filter(([name]) => name.startsWith('exports/'));
  expect(lists.length).toBeLessThanOrEqual(1 + seconds);
});

test.each([
  ['missing', (file: string) => rm(file)],
  ['cut short', async (file: string) => writeFile(file, (await readFile(file)).subarray(0, -1))],
  ['damaged where it begins', (file: string) => flip(file, 0)],
  ['damaged where it ends', (file: string) => flip(file, -1)],
])('a link to a file that is %s is refused, and not charged', async (_, harm) => {
  await publish('first', ['nearest', 'types']);
  const names = await readdir(path.join(folder, 'exports'));
  const name = names.find((one) => one.startsWith('nearest-') && one.endsWith('.parquet'))!;
  const file = path.join(folder, 'exports', name);
  const whole = await readFile(file);
  await harm(file);
  const proxy = await open();
  const { id, key } = await proxy.customer({ tokens: 2_000 });
  const refused = await proxy.post(PATH, key, nearest, { 'idempotency-key': 'one' });
  expect([refused.statusCode, refused.json().type]).toEqual([
    503,
    expect.stringContaining('store-unavailable'),
  ]);
  expect(await proxy.balance(id)).toBe(2_000);
  expect((await proxy.post(PATH, key, types)).statusCode).toBe(201);
  await writeFile(file, whole);
  expect((await proxy.post(PATH, key, nearest, { 'idempotency-key': 'one' })).statusCode).toBe(201);
  expect(await proxy.balance(id)).toBe(990);
});

async function flip(file: string, at: number) {
  const bytes = await readFile(file);
  bytes[at < 0 ? bytes.length + at : at] ^= 1;
  await writeFile(file, bytes);
}
