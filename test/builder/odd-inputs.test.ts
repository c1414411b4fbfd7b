import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { buildRelease } from '../../builder/build.ts';
import type { BuildRequest } from '../../builder/build-request.ts';
import { BuildError } from '../../builder/errors.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { avenue } from '../transit/avenue.ts';
import { busFeed } from '../transit/bus-town.ts';
import { writeFeed } from '../transit/gtfs-text.ts';
import { writeSmallCity } from '../transit/small-city.ts';

const folder = folderOfTests();
let osm: string;
let blocks: string;
let gtfs: string;
const at = (name: string) => path.join(folder, name);
beforeAll(async () => {
  ({
    osm: [osm],
    blocks: [blocks],
  } = await writeSmallCity(folder, avenue([1_000, 9_160], [1_000])));
  gtfs = await writeFeed(at('bus.zip'), busFeed());
});

/** Runs a build that must be refused; returns the message, and whether any search had started. */
async function refusal(
  request: Partial<BuildRequest>,
): Promise<{ line: string; searched: boolean }> {
  const store = new FolderStore(at('store'));
  const stages: string[] = [];
  const progress = {
    start: (stage: string) => {
      stages.push(stage);
      return { at: () => {}, finish: () => {} };
    },
    note: () => {},
  };
  const inputs = { osm: [osm], blocks: [blocks], counties: [], release: 'x', tiles: false };
  const error = await buildRelease({ ...inputs, ...request }, store, progress).catch((e) => e);
  expect(error).toBeInstanceOf(BuildError);
  expect(error.message).not.toContain('\n');
  expect(await store.list('latest')).toEqual([]);
  await store.close();
  return { line: error.message, searched: stages.includes('search') };
}

test('a folder without tables is not a feed', async () => {
  await mkdir(at('empty'));
  const { line } = await refusal({ gtfs: [at('empty')] });
  expect(line).toContain(`${at('empty')}: has no agency.txt`);
});

test('a feed that is given twice is refused, also under another name', async () => {
  const copy = at('copy.zip');
  await copyFile(gtfs, copy);
  for (const twin of [gtfs, copy]) {
    const { line } = await refusal({ gtfs: [gtfs, twin] });
    expect(line).toBe(`${twin}: is the same feed as ${gtfs}; give it only once`);
  }
});

test('a service day without any trips is refused, with the period that has service', async () => {
  const { line } = await refusal({ gtfs: [gtfs], serviceDate: '1999-01-04' });
  expect(line).toMatch(
    /^no feed has service on 1999-01-04; service runs from 2026-01-01 to 2026-12-31$/,
  );
});

test('a places shapefile of the wrong kind is refused before the searches', async () => {
  const { line, searched } = await refusal({ places: [blocks] });
  expect(line).toContain(`${blocks}: record 1 has no 7-digit GEOID`);
  expect(searched).toBe(false);
});

test('a shapefile is refused with the name of its missing companion file', async () => {
  await writeFile(at('half.shp'), '');
  const { line } = await refusal({ places: [at('half.shp')] });
  expect(line).toContain(at('half.dbf'));
});

test('a memory limit that nothing fits in is refused, with the amount needed', async () => {
  const { line } = await refusal({ memory: 10e6 });
  expect(line).toMatch(
    /this build needs about \d+ MiB but may use only 9; allow more with --memory/,
  );
});
