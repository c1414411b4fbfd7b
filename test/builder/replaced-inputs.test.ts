import { copyFileSync, renameSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { buildRelease } from '../../builder/build.ts';
import { describeInput } from '../../builder/plan/planned-input.ts';
import { putInput } from '../../builder/plan/shared-inputs.ts';
import { type Progress, silent } from '../../builder/progress.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { avenue } from '../transit/avenue.ts';
import { busFeed, busLine } from '../transit/bus-town.ts';
import { writeFeed } from '../transit/gtfs-text.ts';
import { writeSmallCity } from '../transit/small-city.ts';

const folder = folderOfEachTest();
const at = (name: string) => path.join(folder, name);

function library(name: string): string {
  const properties = { id: 'a', name, type: 'libraries' };
  const geometry = { type: 'Point', coordinates: [0, 0] };
  const features = [{ type: 'Feature', properties, geometry }];
  return JSON.stringify({ type: 'FeatureCollection', features });
}

/** Replaces files as a download does: by renaming others onto them. */
function replaceBy(other: string, file: string): void {
  copyFileSync(other, `${file}.part`);
  renameSync(`${file}.part`, file);
}

test('an input that is replaced after it was hashed fails the build, and the store keeps nothing of it', async () => {
  const city = async (name: string, block: number) => {
    await mkdir(at(name));
    return writeSmallCity(at(name), avenue([1_000, block], [1_000]));
  };
  const [one, other] = [await city('one', 9_160), await city('other', 9_200)];
  await writeFile(at('one.geojson'), library('One'));
  await writeFile(at('other.geojson'), library('Other'));
  const feeds = [await writeFeed(at('one-bus.zip'), busFeed()), at('other-bus.zip')];
  await writeFeed(feeds[1], busFeed({}, busLine().slice(1)));
  const kinds = {
    osm: [one.osm[0], other.osm[0]],
    blocks: [one.blocks[0], other.blocks[0]],
    gtfs: feeds,
    pois: [at('one.geojson'), at('other.geojson')],
  };
  for (const [kind, [before, after]] of Object.entries(kinds)) {
    const file = at(`given-${path.basename(before)}`);
    const inputs = { ...one, gtfs: [feeds[0]], pois: [at('one.geojson')], [kind]: [file] };
    const build = async (name: string, progress: Progress) => {
      const store = new FolderStore(at(name));
      const request = { ...inputs, counties: [], release: 'x', tiles: false };
      return buildRelease(request, store, progress).finally(() => store.close());
    };
    replaceBy(before, file);
    const right = await build(`${kind}-right`, silent);
    const progress: Progress = {
      ...silent,
      start(name, ...rest) {
        const stage = silent.start(name, ...rest);
        if (name !== 'inputs') return stage;
        return { ...stage, finish: () => replaceBy(after, file) };
      },
    };
    await expect(build(kind, progress), kind).rejects.toThrow(
      `${file}: was changed or replaced while the build was reading it; run the command again`,
    );
    replaceBy(before, file);
    expect((await build(kind, silent)).latest.sha256, kind).toBe(right.latest.sha256);
  }
});

test('an upload of an input has the content that was hashed, and repairs what a store holds instead', async () => {
  const store = new FolderStore(at('store'));
  await writeFile(at('list'), 'what was hashed');
  const local = await describeInput(at('list'));
  await writeFile(at('list'), 'something else!');
  await expect(putInput(store, local)).rejects.toThrow(`${at('list')}: was changed or replaced`);
  expect(await store.list('inputs/')).toEqual([]);
  await writeFile(at('list'), 'what was hashed');
  await putInput(store, local);
  const [{ name }] = await store.list('inputs/');
  await writeFile(path.join(at('store'), name), 'another content');
  await putInput(store, local);
  expect(await readFile(path.join(at('store'), name), 'utf8')).toBe('what was hashed');
  await store.close();
});
