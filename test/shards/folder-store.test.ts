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

test('a range is what was put, read at once or by the thread pool', async () => {
  const large = Uint8Array.from({ length: 20_000 }, (_, i) => i % 251);
  const largeRef = { name: 'kind/large.tta', bytes: large.length, sha256: '' };
  await store.putContent(largeRef.name, large);
  for (const length of [0, 1, 4095, 4096, 4097, 20_000]) {
    const range = await store.readRange(largeRef, large.length - length, length);
    expect(Buffer.from(range).equals(large.subarray(large.length - length))).toBe(true);
    expect(await failure(store.readRange(largeRef, large.length - length + 1, length || 1))).toBe(
      'changed',
    );
  }
});

test('an object of the right size and wrong bytes is not present, and is replaced', async () => {
  await store.putContent(ref.name, bytes);
  const file = path.join(folder, ref.name);
  for (const at of [0, 500, 999]) {
    await writeFile(file, Uint8Array.from(bytes).fill(bytes[at] ^ 1, at, at + 1));
    expect(await store.putContent(ref.name, bytes)).toBe('written');
    expect((await readFile(file)).equals(bytes)).toBe(true);
    expect(await store.putContent(ref.name, bytes)).toBe('present');
  }
  expect(await readdir(path.join(folder, 'kind'))).toEqual(['object.tta']);
});

test('who has mended an object reads the mended one at once, another reader soon', async () => {
  const keepOpenMs = 100;
  const reader = new FolderStore(folder, keepOpenMs);
  await store.putContent(ref.name, Uint8Array.from(bytes).fill(7, 100, 101));
  for (const each of [store, reader]) expect((await each.readRange(ref, 100, 1))[0]).toBe(7);
  await store.putContent(ref.name, bytes);
  expect((await store.readRange(ref, 100, 1))[0]).toBe(bytes[100]);
  await new Promise((resolve) => setTimeout(resolve, keepOpenMs * 2));
  expect((await reader.readRange(ref, 100, 1))[0]).toBe(bytes[100]);
  await reader.close();
});

test('a lock whose owner has died is taken over', async () => {
  // No process has this id: it is above what Linux gives.
  await writeFile(path.join(folder, 'latest.json.lock'), '4194305');
  await store.putConditional('latest.json', bytes, null);
  expect(await readdir(folder)).toEqual(['latest.json']);
});

test('an object whose file is cut short is told from what was recorded, and is replaced', async () => {
  await store.putContent(ref.name, bytes);
  await truncate(path.join(folder, ref.name), 999);
  expect(await failure(store.readRange(ref, 0, 1))).toBe('changed');
  expect(await store.putContent(ref.name, bytes)).toBe('written');
  expect(await readdir(path.join(folder, 'kind'))).toEqual(['object.tta']);
});

const HALF_WRITTEN = '01234567-89ab-cdef-0123-456789abcdef.tmp';

test('what a killed writer left is listed apart, and not what is on its way into place', async () => {
  await store.putContent(ref.name, bytes);
  const lock = await store.lock('latest.json.lock');
  const left = [ref.name, 'latest.json', 'kind/section.lock'].map((of) => `${of}.${HALF_WRITTEN}`);
  for (const name of left) await writeFile(path.join(folder, name), 'half');
  const names = async (prefix: string) => (await store.leftovers(prefix)).map(({ name }) => name);
  expect(await names('kind/')).toEqual([left[0]]);
  expect(await names('')).toEqual([]);
  if (lock.taken) await lock.release();
  expect(await names('')).toEqual([left[1]]);
  expect((await store.list('kind/')).map(({ name }) => name)).toEqual([ref.name]);
  expect(await store.list('latest')).toEqual([]);
});

test('a lock of an earlier process that had the number of this one is taken over', async () => {
  await writeFile(path.join(folder, 'section.lock'), `${process.pid} of another life`);
  expect((await store.lock('section.lock')).taken).toBe(true);
  expect((await store.lock('section.lock')).taken).toBe(false);
});
