import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StoreError, type StoreFailure } from '../../shards/errors.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';

let folder: string;
let store: FolderStore;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tta-store-'));
  store = new FolderStore(folder);
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i % 251);
const ref = { name: 'kind/object.tta', bytes: 1000, sha256: '' };

async function failure(promise: Promise<unknown>): Promise<StoreFailure> {
  const error = await promise.then(
    () => expect.fail('it succeeded'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StoreError);
  return (error as StoreError).failure;
}

test('a range is what was put, and only ever whole', async () => {
  await store.putIfAbsent(ref.name, bytes);
  const ranges = Array.from({ length: 50 }, (_, i) => [i * 13, 1 + i * 7] as const);
  const read = await Promise.all(ranges.map(([at, length]) => store.readRange(ref, at, length)));
  read.forEach((range, i) => {
    const [at, length] = ranges[i];
    expect(Buffer.from(range).equals(bytes.subarray(at, at + length))).toBe(true);
  });
  expect(await failure(store.readRange(ref, 990, 11))).toBe('changed');
});

test('a range is what was put, read at once or by the thread pool', async () => {
  const large = Uint8Array.from({ length: 20_000 }, (_, i) => i % 251);
  const largeRef = { name: 'kind/large.tta', bytes: large.length, sha256: '' };
  await store.putIfAbsent(largeRef.name, large);
  for (const length of [0, 1, 4095, 4096, 4097, 20_000]) {
    const range = await store.readRange(largeRef, large.length - length, length);
    expect(Buffer.from(range).equals(large.subarray(large.length - length))).toBe(true);
    expect(await failure(store.readRange(largeRef, large.length - length + 1, length || 1))).toBe(
      'changed',
    );
  }
});

test('an absent object, and one of another size than recorded, are told apart', async () => {
  expect(await failure(store.readRange(ref, 0, 1))).toBe('missing');
  expect(await failure(store.readWhole('latest.json'))).toBe('missing');
  await store.putIfAbsent(ref.name, bytes);
  await truncate(path.join(folder, ref.name), 999);
  expect(await failure(store.readRange(ref, 0, 1))).toBe('changed');
});

test('an object is put once, and a half-written one of its name is replaced', async () => {
  expect(await store.putIfAbsent(ref.name, bytes)).toBe('written');
  expect(await store.putIfAbsent(ref.name, bytes)).toBe('present');
  await truncate(path.join(folder, ref.name), 10);
  expect(await store.putIfAbsent(ref.name, bytes)).toBe('written');
  expect(await readdir(path.join(folder, 'kind'))).toEqual(['object.tta']);
});

test('an object of the right size and wrong bytes is not present, and is replaced', async () => {
  await store.putIfAbsent(ref.name, bytes);
  const file = path.join(folder, ref.name);
  for (const at of [0, 500, 999]) {
    await writeFile(file, Uint8Array.from(bytes).fill(bytes[at] ^ 1, at, at + 1));
    expect(await store.putIfAbsent(ref.name, bytes)).toBe('written');
    expect((await readFile(file)).equals(bytes)).toBe(true);
    expect(await store.putIfAbsent(ref.name, bytes)).toBe('present');
  }
  expect(await readdir(path.join(folder, 'kind'))).toEqual(['object.tta']);
});

test('who has mended an object reads the mended one at once, another reader soon', async () => {
  const keepOpenMs = 100;
  const reader = new FolderStore(folder, keepOpenMs);
  await store.putIfAbsent(ref.name, Uint8Array.from(bytes).fill(7, 100, 101));
  for (const each of [store, reader]) expect((await each.readRange(ref, 100, 1))[0]).toBe(7);
  await store.putIfAbsent(ref.name, bytes);
  expect((await store.readRange(ref, 100, 1))[0]).toBe(bytes[100]);
  await new Promise((resolve) => setTimeout(resolve, keepOpenMs * 2));
  expect((await reader.readRange(ref, 100, 1))[0]).toBe(bytes[100]);
  await reader.close();
});

test('of writers that race to replace an object one wins, and the others know', async () => {
  const first = await store.putConditional('latest.json', Buffer.from('0'), null);
  expect(await failure(store.putConditional('latest.json', Buffer.from('x'), null))).toBe(
    'conflict',
  );
  const outcomes = await Promise.allSettled(
    Array.from({ length: 10 }, (_, i) =>
      store.putConditional('latest.json', Buffer.from(`writer ${i}`), first),
    ),
  );
  const winners = outcomes.flatMap((outcome, i) => (outcome.status === 'fulfilled' ? [i] : []));
  expect(winners).toHaveLength(1);
  const { bytes: now } = await store.readWhole('latest.json');
  expect(Buffer.from(now).toString()).toBe(`writer ${winners[0]}`);
});

test('a lock whose owner has died is taken over', async () => {
  // No process has this id: it is above what Linux gives.
  await writeFile(path.join(folder, 'latest.json.lock'), '4194305');
  await store.putConditional('latest.json', bytes, null);
  expect(await readdir(folder)).toEqual(['latest.json']);
});

test('lists what is under a prefix by name, without scratch files', async () => {
  for (const name of ['b/2', 'b/1', 'a/1']) await store.putIfAbsent(name, bytes);
  await writeFile(path.join(folder, 'b/3.tmp'), '');
  expect(await store.list('b/')).toEqual([
    { name: 'b/1', bytes: 1000 },
    { name: 'b/2', bytes: 1000 },
  ]);
  expect(await store.list('none/')).toEqual([]);
});
