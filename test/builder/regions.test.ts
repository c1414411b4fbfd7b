import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildRelease } from '../../builder/build.ts';
import { buildRegion } from '../../builder/build-region.ts';
import type { RegionRequest } from '../../builder/build-request.ts';
import { joinRelease } from '../../builder/join-release.ts';
import { silent } from '../../builder/progress.ts';
import { writeDemoCity } from '../../infra/demo/write-demo-city.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import type { Manifest } from '../../shards/manifest.ts';
import { Matrix } from '../../shards/matrix/matrix.ts';
import { ReleaseCache } from '../../shards/release-cache.ts';
import { openRelease } from '../../shards/release-source.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { verifyRelease } from '../../shards/verify.ts';
import { openProxy } from '../support/proxy-harness.ts';
import { storeContents } from '../support/store-contents.ts';

/** The demo city's counties, which share a border that streets and lines cross. */
const [WEST, EAST] = ['99001', '99003'];
const JOIN = { release: 'r' };

let folder: string;
let city: Omit<RegionRequest, 'counties'>;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tta-regions-'));
  const out = path.join(folder, 'city');
  const { osm, blocks, gtfs, places } = await writeDemoCity({ blocks: 500, seed: 7, out }, silent);
  city = { osm: [osm], blocks, gtfs: [gtfs], places: [places] };
  const { store } = opened('one');
  await buildRelease({ ...city, ...JOIN, counties: [] }, store, silent);
  await store.close();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function opened(name: string): { store: FolderStore; contents: () => Promise<object> } {
  const location = path.join(folder, name);
  const store = new FolderStore(location);
  // What the manifest leads to, and the manifest itself.
  const contents = async () =>
    Object.fromEntries(
      Object.entries(await storeContents(location)).filter(
        ([file]) => !/^(receipts|regions|published|latest)/.test(file),
      ),
    );
  return { store, contents };
}

async function faultsIn(store: FolderStore): Promise<string[]> {
  const release = await openRelease(store, new ReleaseCache(1e8));
  const faults: string[] = [];
  for await (const { object, problem } of verifyRelease(release, () => {})) {
    faults.push(`${object}: ${problem}`);
  }
  return faults;
}

test('two regions that share a border, built apart and joined, are one build of both, byte for byte', async () => {
  const { store, contents } = opened('two');
  const { receipt: east } = await buildRegion({ ...city, counties: [EAST] }, store, silent);
  const { receipt: west } = await buildRegion({ ...city, counties: [WEST] }, store, silent);
  await joinRelease(JOIN, [east, west], store, silent);
  expect(await contents()).toEqual(await opened('one').contents());
  expect(await faultsIn(store)).toEqual([]);
  await store.close();
});

test('rows of a region lead past its counties, and a release of it alone is sound', async () => {
  const { store } = opened('west');
  const { manifest } = await buildRelease({ ...city, ...JOIN, counties: [WEST] }, store, silent);
  expect(Object.keys(manifest.counties)).toEqual([WEST]);
  expect(manifest.counties[WEST].reach).toEqual({ from: [WEST, EAST], to: [WEST] });
  const { targets } = await Matrix.open(store, manifest.counties[WEST].objects['reach-from']);
  expect(targets.some((geoid) => Math.floor(geoid / 1e10) === Number(EAST))).toBe(true);
  expect(await faultsIn(store)).toEqual([]);
  await store.close();
});

test('it is served: blocks past it are listed, and contours end where its counties do', async () => {
  const proxy = await openProxy(path.join(folder, 'west'));
  const { key } = await proxy.customer({ tokens: 1_000 });
  const county = proxy.releases.current.county(WEST)!;
  const { geoids } = await proxy.releases.current.index(county);
  const matrix = await Matrix.open(proxy.releases.current.store, county.objects['reach-from']);
  const isEast = (geoid: number) => Math.floor(geoid / 1e10) === Number(EAST);
  // A block from which one can walk across the line.
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
  await proxy.close();
});

test('what a region left is in every release that it is joined into', async () => {
  const { store } = opened('west');
  const [alone, both] = await Promise.all(['west', 'two'].map(manifestOf));
  await store.close();
  const final = ({ counties }: Manifest) => {
    const { index, nearest, pois, 'reach-from': reachFrom, blocks } = counties[WEST].objects;
    return [index, nearest, pois, reachFrom, blocks];
  };
  expect(final(alone)).toEqual(final(both));
});

test('a region without a feed has the modes of its release, and walks where others ride', async () => {
  const { store } = opened('two');
  const [{ receipt: west }, { receipt: plain }] = [
    await buildRegion({ ...city, counties: [WEST] }, store, silent),
    await buildRegion({ ...city, gtfs: [], counties: [EAST] }, store, silent),
  ];
  await expect(joinRelease(JOIN, [west, plain], store, silent)).rejects.toThrow(
    /regions of 99001 and 99003 were built with other modes/,
  );
  const asked = { ...city, gtfs: [], modes: west.modes, counties: [EAST] };
  const { receipt: east } = await buildRegion(asked, store, silent);
  const { manifest } = await joinRelease({ ...JOIN, tiles: false }, [west, east], store, silent);
  expect(manifest.modes).toEqual(['walk', 'bike', 'transit']);
  expect(manifest.feeds).toHaveLength(1);
  expect(await faultsIn(store)).toEqual([]);
  let rows = 0;
  const matrix = await Matrix.open(store, manifest.counties[EAST].objects.pois);
  for await (const { modes } of matrix.rows()) {
    const [walk, , transit] = modes;
    expect(transit).toEqual(walk);
    rows += walk.targets.length;
  }
  expect(rows).toBeGreaterThan(1_000);
  await store.close();
});

test('a county is of one region of a release, and a release of at least one region', async () => {
  const { store } = opened('two');
  const { receipt } = await buildRegion({ ...city, counties: [WEST] }, store, silent);
  await expect(joinRelease(JOIN, [receipt, receipt], store, silent)).rejects.toThrow(
    'county 99001 is in two of the regions',
  );
  await expect(joinRelease(JOIN, [], store, silent)).rejects.toThrow('at least one region');
  await store.close();
});

async function manifestOf(name: string): Promise<Manifest> {
  const { store } = opened(name);
  const { manifest } = await openRelease(store, new ReleaseCache(1e8));
  await store.close();
  return manifest;
}
