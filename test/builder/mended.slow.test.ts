import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, expect, inject, test } from 'vitest';
import { buildRelease } from '../../builder/build.ts';
import { publishExports } from '../../builder/export/publish-exports.ts';
import { silent } from '../../builder/progress.ts';
import { Random } from '../../infra/demo/seeded-random.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { demoRequest } from '../support/demo-release.setup.ts';
import { releaseIn } from '../support/release-in.ts';
import { storeContents } from '../support/store-contents.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const folder = folderOfEachTest();
beforeEach(async () => {
  await cp(inject('demoStore'), folder, { recursive: true });
});

/** Every file of the store, including receipts. */
async function files(): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name))
    .sort();
}

/**
 * Builds the demo release into the store, and exports its types, again; returns the counties that
 * were searched.
 */
async function buildAgain(): Promise<readonly string[]> {
  const store = new FolderStore(folder);
  try {
    const { searched } = await buildRelease(demoRequest(inject('demoCity')), store, silent);
    const types = { tables: ['types'], counties: [], format: 'parquet' } as const;
    await publishExports(await releaseIn(store), types, store, silent);
    return searched;
  } finally {
    await store.close();
  }
}

async function flipAByte(file: string, random: Random): Promise<void> {
  const bytes = await readFile(file);
  bytes[random.below(bytes.length)] ^= 1 << random.below(8);
  await writeFile(file, bytes);
}

test('a build over a store in which every file is damaged repairs all of them', async () => {
  const sound = await storeContents(inject('demoStore'));
  expect(await storeContents(folder)).toEqual(sound);
  const seed = Math.floor(Math.random() * 2 ** 31);
  const random = new Random(seed);
  for (const file of await files()) await flipAByte(file, random);
  expect(await buildAgain(), `seed ${seed}`).toEqual(['99001', '99003']);
  expect(await storeContents(folder), `seed ${seed}`).toEqual(sound);
  // The receipts that the repair left are accepted.
  expect(await buildAgain()).toEqual([]);
});

test('one damaged object of one county: that county is searched again, and no other', async () => {
  const sound = await storeContents(folder);
  const [pois] = (await files()).filter((file) => file.includes('/pois/99003-'));
  await flipAByte(pois, new Random(1));
  expect(await buildAgain()).toEqual(['99003']);
  expect(await storeContents(folder)).toEqual(sound);
});
