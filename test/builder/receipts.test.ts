import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { putObject } from '../../builder/publish/put-object.ts';
import { Receipts } from '../../builder/receipts/receipts.ts';
import { objectRefSchema } from '../../shards/release/manifest.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import type { ObjectRef } from '../../shards/store/store.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';

const schema = z.strictObject({
  rows: z.int(),
  objects: z.strictObject({ pois: objectRefSchema }),
});
const KEY = 'a'.repeat(64);

const folder = folderOfEachTest();
let store: FolderStore;
let receipts: Receipts;
beforeEach(async () => {
  store = new FolderStore(folder);
  receipts = new Receipts(store);
});
afterEach(() => store.close());

async function kept() {
  const pois = await putObject(store, 'pois/99001', 'tta', Buffer.from('rows'));
  const receipt = { rows: 7, objects: { pois } };
  await receipts.keep('search-99001', KEY, receipt);
  return receipt;
}

test('a stage finds its results for the same inputs, and none for others', async () => {
  const receipt = await kept();
  expect(await receipts.find('search-99001', KEY, schema)).toEqual(receipt);
  expect(await receipts.find('search-99003', KEY, schema)).toBe(null);
  expect(await receipts.find('search-99001', 'b'.repeat(64), schema)).toBe(null);
});

test('a receipt whose objects are missing or truncated is ignored, and can be written again', async () => {
  const { objects } = await kept();
  await writeFile(path.join(folder, objects.pois.name), 'row');
  expect(await receipts.find('search-99001', KEY, schema)).toBe(null);
  await store.remove(objects.pois.name);
  expect(await receipts.find('search-99001', KEY, schema)).toBe(null);
  const again = await kept();
  expect(await receipts.find('search-99001', KEY, schema)).toEqual(again);
});

test('a receipt of a damaged object is ignored until the object is made again', async () => {
  const { objects } = await kept();
  await writeFile(path.join(folder, objects.pois.name), 'rowz');
  expect(await receipts.find('search-99001', KEY, schema)).toBe(null);
  const again = await kept();
  expect(await receipts.find('search-99001', KEY, schema)).toEqual(again);
});

test('a receipt with any byte changed is ignored', async () => {
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

test('a receipt with unexpected contents is ignored', async () => {
  await kept();
  const [{ name }] = await store.list('receipts/');
  for (const text of ['', '{"rows": 7', '{"rows": 7}', '[]', 'null']) {
    await writeFile(path.join(folder, name), text);
    expect(await receipts.find('search-99001', KEY, schema)).toBe(null);
  }
});

/** A store that has the hashes of its objects, as remote stores do; reading an object fails. */
class KnowingStore extends FolderStore {
  readonly asked: string[] = [];
  lists = 0;

  override async stat(name: string) {
    this.asked.push(name);
    const bytes = await readFile(path.join(folder, name)).catch(() => null);
    const sha256 = bytes && createHash('sha256').update(bytes).digest('hex');
    return bytes && { bytes: bytes.length, sha256 };
  }

  override readRange(ref: ObjectRef): Promise<never> {
    throw new Error(`${ref.name} is read`);
  }

  override list(prefix: string) {
    this.lists++;
    return super.list(prefix);
  }
}

test('a store that has its objects’ hashes is not read, and damage is found all the same', async () => {
  const knowing = await ofThisTest(new KnowingStore(folder));
  const receipt = await kept();
  const { name } = receipt.objects.pois;
  expect(await new Receipts(knowing).find('search-99001', KEY, schema)).toEqual(receipt);
  expect(knowing.asked).toEqual([name]);
  await writeFile(path.join(folder, name), 'rowz');
  expect(await new Receipts(knowing).find('search-99001', KEY, schema)).toBe(null);
});

test('the receipts of a store are listed once, and absent ones are not looked for', async () => {
  const knowing = await ofThisTest(new KnowingStore(folder));
  const read: string[] = [];
  knowing.readWhole = (name) => {
    read.push(name);
    return FolderStore.prototype.readWhole.call(knowing, name);
  };
  await kept();
  const ofBuild = new Receipts(knowing);
  for (let n = 0; n < 20; n++) {
    expect(await ofBuild.find(`search-${n}`, KEY, schema)).toBe(null);
    expect(await ofBuild.find('search-99001', KEY, schema)).not.toBe(null);
  }
  await ofBuild.keep('search-7', KEY, { rows: 1 });
  expect(await ofBuild.find('search-7', KEY, z.strictObject({ rows: z.int() }))).toEqual({
    rows: 1,
  });
  expect(knowing.lists).toBe(1);
  expect(read).toHaveLength(21);
});
