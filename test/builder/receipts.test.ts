import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { putObject } from '../../builder/publish/put-object.ts';
import { Receipts } from '../../builder/receipts/receipts.ts';
import { objectRefSchema } from '../../shards/manifest.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';

const schema = z.strictObject({
  rows: z.int(),
  objects: z.strictObject({ pois: objectRefSchema }),
});
const KEY = 'a'.repeat(64);

let folder: string;
let store: FolderStore;
let receipts: Receipts;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tta-receipts-'));
  store = new FolderStore(folder);
  receipts = new Receipts(store);
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

async function kept() {
  const pois = await putObject(store, 'pois/99001', 'tta', Buffer.from('rows'));
  const receipt = { rows: 7, objects: { pois } };
  await receipts.keep('search-99001', KEY, receipt);
  return receipt;
}

test('a stage finds what it left for the same inputs, and nothing for others', async () => {
  const receipt = await kept();
  expect(await receipts.find('search-99001', KEY, schema)).toEqual(receipt);
  expect(await receipts.find('search-99003', KEY, schema)).toBe(null);
  expect(await receipts.find('search-99001', 'b'.repeat(64), schema)).toBe(null);
});

test('a receipt whose objects are gone or cut short is not believed, and can be left anew', async () => {
  const { objects } = await kept();
  await writeFile(path.join(folder, objects.pois.name), 'row');
  expect(await receipts.find('search-99001', KEY, schema)).toBe(null);
  await store.remove(objects.pois.name);
  expect(await receipts.find('search-99001', KEY, schema)).toBe(null);
  const again = await kept();
  expect(await receipts.find('search-99001', KEY, schema)).toEqual(again);
});

test('a receipt of a damaged object is not believed until the object is made again', async () => {
  const { objects } = await kept();
  await writeFile(path.join(folder, objects.pois.name), 'rowz');
  expect(await receipts.find('search-99001', KEY, schema)).toBe(null);
  const again = await kept();
  expect(await receipts.find('search-99001', KEY, schema)).toEqual(again);
});

test('a receipt that says other than it said, in any byte, is not believed', async () => {
  const receipt = await kept();
  const [{ name }] = await store.list('receipts/');
  const file = path.join(folder, name);
  const whole = await readFile(file);
  for (let at = 0; at < whole.length; at++) {
    const flipped = Buffer.from(whole);
    flipped[at] ^= 1 << (at % 8);
    await writeFile(file, flipped);
    expect(await receipts.find('search-99001', KEY, schema)).toBe(null);
  }
  await receipts.keep('search-99001', KEY, receipt);
  expect(await receipts.find('search-99001', KEY, schema)).toEqual(receipt);
});

test('a receipt of other contents than it should have is not believed', async () => {
  await kept();
  const [{ name }] = await store.list('receipts/');
  for (const text of ['', '{"rows": 7', '{"rows": 7}', '[]', 'null']) {
    await writeFile(path.join(folder, name), text);
    expect(await receipts.find('search-99001', KEY, schema)).toBe(null);
  }
});
