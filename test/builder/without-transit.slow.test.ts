import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { BuildRequest } from '../../builder/build-request.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { buildPlain } from '../support/build-plain.ts';
import { faultsIn } from '../support/faults.ts';
import { openProxy } from '../support/proxy-harness.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { ofTests } from '../support/test-resources.ts';
import { avenue } from '../transit/avenue.ts';
import { busFeed } from '../transit/bus-town.ts';
import { writeFeed } from '../transit/gtfs-text.ts';
import { pointAt, writeSmallCity } from '../transit/small-city.ts';

const FREQUENT = 'frequent_transit';
const folder = folderOfTests();
let inputs: { osm: string[]; blocks: string[] };
let feed: string;
const store = ofTests(() => new FolderStore(path.join(folder, 'store')));

beforeAll(async () => {
  inputs = await writeSmallCity(folder, avenue([1_000, 9_160], [1_000]));
  feed = await writeFeed(path.join(folder, 'feed.zip'), busFeed());
});

/** Builds, checks the release, and returns what a proxy lists for it. */
async function listedBy(more: Pick<BuildRequest, 'gtfs' | 'pois'>) {
  const { searched, manifest } = await buildPlain({ ...inputs, ...more, tiles: true }, store);
  expect(await faultsIn(store)).toEqual([]);
  const proxy = await openProxy(store.location);
  const ask = async (route: string) => (await proxy.get(route)).json();
  const [{ modes }, { destination_types: types }, meta] = [
    await ask('/v1/meta/modes'),
    await ask('/v1/meta/destination-types'),
    await ask('/v1/isochrone/meta'),
  ];
  const { key } = await proxy.customer();
  const refused: string[] = [];
  for (const url of [
    '/v1/point/summary?lat=1&lon=1&mode=transit',
    '/v1/pois?bbox=0,0,1,1&type=1005',
    '/v1/point/pois?lat=1&lon=1&mode=walk&mode=transit',
    '/v1/isochrone?block=990010001001000&minutes=5&mode=transit',
  ]) {
    const { type, errors } = (await proxy.get(url, key)).json();
    if (type?.endsWith('/invalid-parameters')) refused.push(errors[0].msg);
  }
  await proxy.close();
  const labelOf = new Map<number, string>(
    types.map((type: { dest_type_id: number; label: string }) => [type.dest_type_id, type.label]),
  );
  const transit = types.find((type: { label: string }) => type.label === 'transit');
  return {
    searched,
    refused,
    modes: modes.map(({ mode }: { mode: string }) => mode),
    isochroneModes: meta.modes,
    assumptions: Object.keys(meta.assumptions),
    labels: [...labelOf.values()],
    ofTransit: transit.leaf_ids.map((id: number) => labelOf.get(id)),
    tiles: Object.keys(manifest.tiles).filter((name) => /^transit|-1005$/.test(name)),
  };
}

test('a release with feeds lists transit and the destinations that only feeds provide', async () => {
  const { modes, isochroneModes, labels, ofTransit, tiles, refused } = await listedBy({
    gtfs: [feed],
  });
  expect([modes, isochroneModes]).toEqual(Array(2).fill(['walk', 'bike', 'transit']));
  expect(labels).toContain(FREQUENT);
  expect(ofTransit).toContain(FREQUENT);
  expect(tiles).toContain('walk-1005');
  expect(refused).toEqual([]);
});

test('a release without feeds lists no transit and no frequent stops, and reuses nothing that includes them', async () => {
  const without = await listedBy({ gtfs: [] });
  expect(without.searched).toEqual(['99001']);
  expect([without.modes, without.isochroneModes]).toEqual(Array(2).fill(['walk', 'bike']));
  expect(without.labels).not.toContain(FREQUENT);
  expect(without.refused.map((msg) => msg.replace(/^release \S+/, 'it'))).toEqual([
    'it has no mode transit; it has walk, bike',
    'it has no destination type 1005; see /v1/meta/destination-types',
    ...Array(2).fill('it has no mode transit; it has walk, bike'),
  ]);
  expect(without.ofTransit).toEqual(expect.arrayContaining(['bus_stops', 'rail_stations']));
  expect(without.ofTransit).not.toContain(FREQUENT);
  expect(without.assumptions.filter((name) => /^(transit|feeds)/.test(name))).toEqual([]);
  expect(without.tiles).toEqual([]);
});

test('frequent stops from a custom list are still a type of the release', async () => {
  const list = path.join(folder, 'stops.geojson');
  const { lon, lat } = pointAt(1_000, 0);
  const properties = { id: 'stop', type: FREQUENT, name: 'Stop' };
  const feature = { type: 'Feature', geometry: { type: 'Point', coordinates: [lon, lat] } };
  const features = [{ ...feature, properties }];
  await writeFile(list, JSON.stringify({ type: 'FeatureCollection', features }));
  const { modes, ofTransit, tiles } = await listedBy({ pois: [list] });
  expect(modes).toEqual(['walk', 'bike']);
  expect(ofTransit).toContain(FREQUENT);
  expect(tiles.sort()).toEqual(['bike-1005', 'pois-1005', 'walk-1005']);
});
