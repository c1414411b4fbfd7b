import { copyFile, mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { describeInput } from '../../builder/plan/planned-input.ts';
import { folderOfTests } from '../support/temporary-folder.ts';

const folder = folderOfTests();

/** Writes files into a new folder, and returns its path. */
async function written(name: string, files: Record<string, string>): Promise<string> {
  const into = path.join(folder, name);
  await mkdir(into);
  for (const [file, text] of Object.entries(files)) await writeFile(path.join(into, file), text);
  return into;
}

const digestOf = async (input: string) => (await describeInput(input)).input.sha256;

test('a folder is another input if a file in it has another name', async () => {
  const feed = await written('feed', {
    'stops.txt': 'stop_id\n',
    'transfers.txt': 'from_stop_id\n',
  });
  const before = await digestOf(feed);
  await rename(path.join(feed, 'transfers.txt'), path.join(feed, 'transfers.txt.off'));
  expect(await digestOf(feed)).not.toBe(before);
});

test('a subfolder, which no reader of a folder enters, does not count', async () => {
  const feed = await written('unpacked', { 'stops.txt': 'stop_id\n' });
  const before = await digestOf(feed);
  await mkdir(path.join(feed, '__MACOSX'));
  await writeFile(path.join(feed, '__MACOSX', '._stops.txt'), 'Mac');
  expect(await digestOf(feed)).toBe(before);
});

test('a folder is another input if text moves from one of its files to the next', async () => {
  const one = await written('one', { 'a.txt': '12', 'b.txt': '3' });
  const other = await written('other', { 'a.txt': '1', 'b.txt': '23' });
  expect(await digestOf(one)).not.toBe(await digestOf(other));
});

test('a shapefile is another input if only its attributes change, whatever its name', async () => {
  const shapes = { 'tracts.shp': 'shapes', 'tracts.shx': 'index', 'tracts.prj': 'NAD83' };
  const one = await written('shapes', { ...shapes, 'tracts.dbf': '1' });
  const other = await written('other shapes', { ...shapes, 'tracts.dbf': '2' });
  const before = await digestOf(path.join(one, 'tracts.shp'));
  expect(await digestOf(path.join(other, 'tracts.shp'))).not.toBe(before);
  for (const ending of ['shp', 'shx', 'prj', 'dbf']) {
    await copyFile(path.join(one, `tracts.${ending}`), path.join(other, `zones.${ending}`));
  }
  expect(await digestOf(path.join(other, 'zones.shp'))).toBe(before);
});

test('an extract is another input with another polygon; without one, its digest is that of its bytes', async () => {
  const into = await written('extracts', { 'a.osm.pbf': 'abc' });
  const extract = path.join(into, 'a.osm.pbf');
  const alone = await digestOf(extract);
  // Printed by: printf abc | sha256sum
  expect(alone).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  await writeFile(path.join(into, 'a.poly'), 'small');
  const small = await digestOf(extract);
  await writeFile(path.join(into, 'a.poly'), 'large');
  expect(new Set([alone, small, await digestOf(extract)]).size).toBe(3);
});
