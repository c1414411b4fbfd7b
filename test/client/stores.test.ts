import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fileStore } from '../../portal/client/src/file-store.ts';
import { browserStore, type EtagStore, memoryStore } from '../../portal/client/src/index.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { all, clientTests } from './client-harness.ts';

const tests = clientTests();
const folder = folderOfEachTest();

/** Replaces a browser's Cache Storage, which Node lacks, for a test. */
function standInCaches(): EtagStore {
  const kept = new Map<string, Response>();
  const cache = {
    match: async (url: string) => kept.get(url)?.clone(),
    put: async (url: string, response: Response) => void kept.set(new URL(url).href, response),
  };
  Object.assign(globalThis, { caches: { open: async () => cache } });
  onTestFinished(() => void Reflect.deleteProperty(globalThis, 'caches'));
  return browserStore();
}

describe.each([
  { kind: 'memory', open: () => memoryStore() },
  { kind: 'browser', open: standInCaches },
  { kind: 'file', open: () => fileStore(path.join(folder, 'etags')) },
])('with a $kind store', ({ open }) => {
  test('repeats are free and equal', async () => {
    const { client, wire, spent } = await tests.customer({ store: open() });
    const [geoid] = tests.geoids;
    const first = await client.getBlockSummary({ geoid, mode: ['walk'], type: [101, 601] });
    const cost = await spent();
    const again = await client.getBlockSummary({ type: [101, 601], mode: ['walk'], geoid });
    expect(again.data).toEqual(first.data);
    expect([again.tokens.charged, again.tokens.remaining]).toEqual([0, first.tokens.remaining]);
    expect(again.requestId).not.toBe(first.requestId);
    expect([await spent(), wire.requests.length]).toEqual([cost, 2]);
  });

  test('pages are followed through the store, and media types are kept apart', async () => {
    const { client, spent } = await tests.customer({ store: open() });
    const params = { geoid: tests.geoids[0], limit: 200 };
    const pages = await all(client.listBlockPois(params));
    const csv = await all(client.listBlockPois(params, { accept: 'text/csv' }));
    expect(pages.length).toBeGreaterThan(1);
    const cost = await spent();
    const again = await all(client.listBlockPois(params));
    const csvAgain = await all(client.listBlockPois(params, { accept: 'text/csv' }));
    expect(again.map(({ data }) => data)).toEqual(pages.map(({ data }) => data));
    expect(csvAgain.map(({ data }) => data)).toEqual(csv.map(({ data }) => data));
    expect(await spent()).toBe(cost);
  });

  test('bytes are kept unchanged', async () => {
    const { client } = await tests.customer({ store: open() });
    const { block_box: box } = tests.proxy.releases.current.county('99001')!;
    const [lon, lat] = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
    const sin = Math.sin((lat * Math.PI) / 180);
    const x = Math.floor(((lon + 180) / 360) * 2 ** 12);
    const y = Math.floor((0.5 - Math.log((1 + sin) / (1 - sin)) / (4 * Math.PI)) * 2 ** 12);
    const tile = { mode: 'walk', dest_type_id: 101, z: 12, x, y } as const;
    const { data } = await client.getTile(tile);
    expect(data.length).toBeGreaterThan(100);
    expect((await client.getTile(tile)).data).toEqual(data);
  });
});

test('a file store is shared by clients, and ignores damaged files', async () => {
  const one = await tests.customer({ store: fileStore(folder) });
  const baseUrl = one.wire.address;
  const other = await tests.customer({ store: fileStore(folder), baseUrl });
  const params = { geoid: tests.geoids[0], mode: ['walk'] } as const;
  const { data, tokens } = await one.client.getBlockSummary(params);
  expect((await other.client.getBlockSummary(params)).data).toEqual(data);
  expect(await other.spent()).toBe(0);
  const [name] = await readdir(folder);
  const file = path.join(folder, name);
  const whole = await readFile(file);
  for (const damaged of [whole.subarray(0, -1), whole.subarray(0, 10), Buffer.alloc(0)]) {
    await writeFile(file, damaged);
    expect((await other.client.getBlockSummary(params)).data).toEqual(data);
  }
  expect(await other.spent()).toBe(3 * tokens.charged);
  expect(await readFile(file)).toEqual(whole);
});

test('a store that fails does not prevent a response', async () => {
  const fail = () => Promise.reject(new Error('full'));
  const { client } = await tests.customer({ store: { get: fail, set: fail } });
  const { data } = await client.getModes();
  expect(data.modes).not.toEqual([]);
});

test('a memory store drops the least recently used responses beyond its bytes', () => {
  const store = memoryStore({ maxBytes: 25 });
  const response = { headers: { etag: '"x"' }, body: new Uint8Array(10) };
  for (const key of ['a', 'b']) store.set(key, response);
  expect(store.get('a')).toBe(response);
  for (const key of ['c', 'c']) store.set(key, response);
  const kept = ['a', 'b', 'c'].filter((key) => store.get(key));
  expect(kept).toEqual(['a', 'c']);
  store.set('large', { ...response, body: new Uint8Array(26) });
  expect(['a', 'c', 'large'].filter((key) => store.get(key))).toEqual([]);
});
