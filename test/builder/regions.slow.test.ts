import { mkdirSync, writeFileSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { buildRelease } from '../../builder/build.ts';
import { buildRegion } from '../../builder/build-region.ts';
import type { InputPaths } from '../../builder/build-request.ts';
import { silent } from '../../builder/progress.ts';
import type { RegionReceipt } from '../../builder/receipts/region-receipt.ts';
import { planRelease } from '../../builder/tasks/plan-release.ts';
import { writeDemoCity } from '../../infra/demo/write-demo-city.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { Matrix } from '../../shards/matrix/matrix.ts';
import type { Manifest } from '../../shards/release/manifest.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { buildInParts, joinInParts } from '../support/build-in-parts.ts';
import { buildPlain } from '../support/build-plain.ts';
import { ROW, writeCountyRow } from '../support/county-row.ts';
import { faultsIn } from '../support/faults.ts';
import { openProxy } from '../support/proxy-harness.ts';
import { releaseIn } from '../support/release-in.ts';
import { storeContents } from '../support/store-contents.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';

/** The demo city's counties, which share a border that streets and lines cross. */
const [WEST, EAST] = ['99001', '99003'];
const JOIN = { release: 'r' };

const folder = folderOfTests();

/** A custom list of libraries, in a folder of its own. */
function listIn(name: string, names: readonly string[], lon = -70): string {
  const features = names.map((name) => ({
    type: 'Feature',
    properties: { id: name, name, type: 'libraries' },
    geometry: { type: 'Point', coordinates: [lon, 36.01] },
  }));
  mkdirSync(path.join(folder, name));
  const file = path.join(folder, name, 'own.geojson');
  writeFileSync(file, JSON.stringify({ type: 'FeatureCollection', features }));
  return file;
}

let city: InputPaths;
/** Inputs of a row of small counties, the first two of which are `WEST` and `EAST` too. */
let row: InputPaths;
beforeAll(async () => {
  const out = path.join(folder, 'city');
  const { osm, blocks, gtfs, places, weights } = await writeDemoCity(
    { blocks: 500, seed: 7, out },
    silent,
  );
  city = {
    weights,
    osm: [osm],
    blocks,
    gtfs: [gtfs],
    places: [places],
    pois: [listIn('own', ['Oak', 'Elm'])],
  };
  mkdirSync(path.join(folder, 'row'));
  row = await writeCountyRow(path.join(folder, 'row'));
  const { store } = opened('one');
  await buildPlain({ ...city, ...JOIN }, store);
  await store.close();
});

function opened(name: string): { store: FolderStore; contents: () => Promise<object> } {
  const location = path.join(folder, name);
  const store = new FolderStore(location);
  // The objects that the manifest leads to, and the manifest itself.
  const contents = async () =>
    Object.fromEntries(
      Object.entries(await storeContents(location)).filter(
        ([file]) => !/^(regions|latest)/.test(file),
      ),
    );
  return { store, contents };
}

test('two adjacent regions built separately and joined equal one build of both, byte for byte, also with their lists elsewhere', async () => {
  const { store, contents } = opened('two');
  const pois = [listIn('elsewhere', ['Oak', 'Elm'])];
  // The row of counties below has tiles.
  const request = { ...city, pois, ...JOIN, counties: [], tiles: false };
  await buildInParts(request, [[EAST], [WEST]], store);
  expect(await contents()).toEqual(await opened('one').contents());
  expect(await faultsIn(store)).toEqual([]);
  await store.close();
});

test('units that each read no farther than an hour equal one build of all, also where counties are hours apart', async () => {
  const request = { ...row, ...JOIN, counties: [] };
  const [whole, parts] = [opened('row-whole'), opened('row-parts')];
  await buildRelease(request, whole.store, silent);
  const [first, second, third, fourth] = ROW;
  await buildInParts(request, [[first, fourth], [third], [second]], parts.store);
  expect(await parts.contents()).toEqual(await whole.contents());
  await Promise.all([whole.store.close(), parts.store.close()]);
});

test('rows of a region lead beyond its counties, and a release of it alone is sound', async () => {
  const { store } = opened('west');
  const { manifest } = await buildPlain({ ...city, ...JOIN, counties: [WEST] }, store);
  expect(Object.keys(manifest.counties)).toEqual([WEST]);
  expect(manifest.counties[WEST].reach).toEqual({ from: [WEST, EAST], to: [WEST] });
  const { targets } = await Matrix.open(store, manifest.counties[WEST].objects['reach-from']);
  expect(targets.some((geoid) => Math.floor(geoid / 1e10) === Number(EAST))).toBe(true);
  expect(await faultsIn(store)).toEqual([]);
  await store.close();
});

test('a release of one region is served: blocks beyond it are listed, and contours end with its counties', async () => {
  const proxy = await ofThisTest(openProxy(path.join(folder, 'west')));
  const { key } = await proxy.customer({ tokens: 1_000 });
  const county = proxy.releases.current.county(WEST)!;
  const { geoids } = await proxy.releases.current.index(county);
  const matrix = await Matrix.open(proxy.releases.current.store, county.objects['reach-from']);
  const isEast = (geoid: number) => Math.floor(geoid / 1e10) === Number(EAST);
  // A block from which the county line is within walking distance.
  let origin = -1;
  for await (const { ordinal, modes } of matrix.rows()) {
    if ([...modes[0].targets].some((target) => isEast(matrix.targets[target]))) origin = ordinal;
  }
  const ask = (format: string) =>
    proxy.get(
      `/v1/isochrone?block=${geoidFromNumber(geoids[origin])}&minutes=60&mode=walk&format=${format}`,
      key,
    );
  const { blocks, reachable_blocks } = (await ask('blocks')).json();
  expect(blocks.length).toBe(reachable_blocks);
  expect(blocks.some(({ geoid }: { geoid: string }) => geoid.startsWith(EAST))).toBe(true);
  const contours = await ask('geojson');
  expect(contours.statusCode).toBe(200);
  const [, , east] = county.block_box;
  const { coordinates, type } = contours.json().features[0].geometry;
  const points: [number, number][] = coordinates.flat(type === 'Polygon' ? 1 : 2);
  expect(Math.max(...points.map(([lon]) => lon))).toBeLessThanOrEqual(east + 1e-6);
});

test('the objects of a region are the same in every release that it is joined into', async () => {
  const { store } = opened('west');
  const [alone, both] = await Promise.all(['west', 'two'].map(manifestOf));
  await store.close();
  const final = ({ counties }: Manifest) => {
    const { index, nearest, pois, 'reach-from': reachFrom, blocks } = counties[WEST].objects;
    return [index, nearest, pois, reachFrom, blocks];
  };
  expect(final(alone)).toEqual(final(both));
});

test('a release is joined from the regions of its plan, each county once', async () => {
  const { store } = opened('joins');
  const request = { ...row, ...JOIN, counties: [WEST, EAST] };
  const plan = await planRelease(request, store, silent);
  const build = (counties: string[]) => buildRegion({ plan, counties }, store, silent);
  const { receipt: west } = await build([WEST]);
  const join = (regions: RegionReceipt[]) =>
    joinInParts({ ...JOIN, tiles: false, plan }, regions, store);
  await expect(join([west, west])).rejects.toThrow('county 99001 is in two regions');
  await expect(join([west])).rejects.toThrow('county 99003 of the plan is not in any region');

  const other = await planRelease({ ...request, counties: [EAST] }, store, silent);
  const unit = { plan: other, counties: [EAST] };
  const { receipt: east, searched } = await buildRegion(unit, store, silent);
  await expect(join([west, east])).rejects.toThrow(
    /^the region of 99003 was built from plan [0-9a-f]{16}, but the release uses plan [0-9a-f]{16}; rebuild the region with that$/,
  );
  // For the correct plan the region already exists, except for the receipt that names it.
  expect(searched).toEqual([EAST]);
  const again = await build([EAST]);
  expect(again.searched).toEqual([]);
  expect(again.receipt.counties).toEqual(east.counties);
  await join([west, again.receipt]);
  await store.close();
});

test('building a region and joining a release refuse a plan of another version of the program', async () => {
  const { store } = opened('joins');
  const request = { ...row, ...JOIN, counties: [WEST, EAST] };
  const planned = await planRelease(request, store, silent);
  const plan = { ...planned, plan: { ...planned.plan, program: '0123456789abcdef' } };
  const refusal =
    /^plans\/99001-[0-9a-f]{16}.json: program: was made by 0123456789abcdef, a different version/;
  const unit = { plan, counties: [WEST] };
  await expect(buildRegion(unit, store, silent)).rejects.toThrow(refusal);
  await expect(joinInParts({ ...JOIN, plan }, [], store)).rejects.toThrow(refusal);
  await store.close();
});

test('another input gives another plan, and the same files elsewhere give the same plan', async () => {
  const { store } = opened('plans');
  const planOf = async (inputs: typeof city) =>
    (await planRelease({ ...inputs, counties: [] }, store, silent)).ref;
  const elsewhere = path.join(folder, 'elsewhere');
  await cp(path.join(folder, 'city'), elsewhere, { recursive: true });
  const moved = (file: string) => file.replace(path.join(folder, 'city'), elsewhere);
  const there = {
    ...city,
    osm: city.osm.map(moved),
    blocks: city.blocks.map(moved).reverse(),
    gtfs: city.gtfs!.map(moved),
    places: city.places!.map(moved),
  };
  const plan = await planOf(city);
  expect(await planOf(there)).toEqual(plan);
  await writeFile(
    there.osm[0].replace('.osm.pbf', '.poly'),
    'p\n1\n-180 0\n180 0\n0 80\nEND\nEND\n',
  );
  expect(await planOf(there)).not.toEqual(plan);
  expect(await planOf({ ...city, serviceDate: '2026-03-17' } as typeof city)).not.toEqual(plan);
  await store.close();
});

async function manifestOf(name: string): Promise<Manifest> {
  const { store } = opened(name);
  const { manifest } = await releaseIn(store);
  await store.close();
  return manifest;
}
