import { cp, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { inScratchFolder } from '../../builder/scratch-folder.ts';
import type { TransitLines } from '../../builder/tiles/map-sources.ts';
import type { TilesRequest } from '../../builder/tiles/tile-drawer.ts';
import type { Release } from '../../shards/release/release.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { drawRelease } from '../support/draw-release.ts';
import { releaseIn } from '../support/release-in.ts';
import { folderOfTests } from '../support/temporary-folder.ts';

const folder = folderOfTests();
let store: FolderStore;
let release: Release;
beforeAll(async () => {
  await cp(inject('demoStore'), folder, { recursive: true });
  for (const made of ['tiles', 'receipts']) await rm(path.join(folder, made), { recursive: true });
  store = new FolderStore(folder);
  release = await releaseIn(store);
});
afterAll(() => store.close());

function drawn(request: TilesRequest) {
  return inScratchFolder(undefined, (scratch) => drawRelease(request, store, { scratch }));
}

test('the same counties give the same archives, byte for byte', async () => {
  const { modes, taxonomy, counties, states, feeds, tiles } = release.manifest;
  const places = Object.entries(states).map(([state, { objects }]) => [state, objects.places]);
  const [plan] = await readdir(path.join(folder, 'plans'));
  const { osm, feeds: read } = JSON.parse(await readFile(path.join(folder, 'plans', plan), 'utf8'));
  const baseMap = { features: osm.map, places: Object.fromEntries(places) };
  const poiSources = [...new Set(feeds.map(({ agency }) => agency))];
  const ofFeeds = (read as { lines: TransitLines['feeds'][0][0] }[]).map(({ lines }) => [lines]);
  const lines = { agencies: poiSources, feeds: ofFeeds };
  const request = { modes, taxonomy, counties, poiSources, baseMap, lines };
  expect(await drawn(request)).toEqual(tiles);
  const names = Object.values(tiles).flatMap(({ archive, sums }) => [archive.name, sums.name]);
  expect((await readdir(path.join(folder, 'tiles'))).map((file) => `tiles/${file}`).sort()).toEqual(
    [...new Set(names)].sort(),
  );
});

test('a county whose objects are inconsistent fails with the name of one of them', async () => {
  const { modes, taxonomy, counties } = release.manifest;
  const [one, other] = Object.values(counties);
  const mixed = { ...one, objects: { ...one.objects, blocks: other.objects.blocks } };
  const request = { modes, taxonomy, counties: { '99001': mixed } };
  await expect(drawn(request)).rejects.toThrow(other.objects.blocks.name);
});
