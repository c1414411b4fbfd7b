import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Destination } from '../../builder/destinations/destination.ts';
import { readPoiFiles } from '../../builder/destinations/from-files.ts';
import { distinctById, singlePois } from '../../builder/destinations/single-pois.ts';
import { poisWithin, writePois } from '../../builder/prepare/pois.ts';
import { silent } from '../../builder/progress.ts';
import { Receipts } from '../../builder/receipts/receipts.ts';
import { joinLists } from '../../builder/region/read-region.ts';
import { Random } from '../../infra/demo/seeded-random.ts';
import { EVERYWHERE } from '../../shards/geometry/wgs84.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { keyOf } from '../support/prepared-city.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { watchedFolder } from '../support/watched-folder.ts';

const folder = folderOfEachTest();
const WEST: BoundingBox = { minLon: -0.2, minLat: -0.2, maxLon: -0.01, maxLat: 0.2 };
const EAST: BoundingBox = { ...WEST, minLon: -0.01, maxLon: 0.2 };
/** Degrees of longitude at the equator for about 70 m. */
const NEAR = 0.0006;

type Place = readonly [id: string, lon: number, more?: object];

/** A list of cafes from Overture, or a custom one where no confidence is given. */
async function listOf(name: string, places: readonly Place[]): Promise<string> {
  const features = places.map(([id, lon, more = { type: 'cafes' }]) => ({
    type: 'Feature',
    geometry: { type: 'Point', coordinates: [lon, 0] },
    properties: { id, name: 'Elm Cafe', names: { primary: 'Elm Cafe' }, ...more },
  }));
  const file = path.join(folder, name);
  await writeFile(file, JSON.stringify({ type: 'FeatureCollection', features }));
  return file;
}

const overture = (confidence: number) => ({ categories: { primary: 'cafe' }, confidence });

async function prepare(paths: readonly string[], name = 'store', heldPois = 10_000) {
  const store = new FolderStore(path.join(folder, name));
  onTestFinished(() => store.close());
  const scratch = path.join(folder, `${name}-scratch`);
  const files = await watchedFolder(scratch);
  const about = { paths, keyOf, area: EVERYWHERE, receipts: new Receipts(store), scratch };
  const prepared = await writePois({ ...about, store, progress: silent, heldPois });
  const spilled = await files.counted();
  const listed = (area: BoundingBox) => poisWithin(store, prepared, area);
  const within = async (area: BoundingBox) => {
    const found: Destination[] = [];
    for await (const poi of listed(area)) found.push(poi);
    return found.sort((a, b) => a.destId - b.destId);
  };
  return { prepared, spilled, listed, within };
}

const ADDRESS = { street: null, city: null, state: null, zip: null };

const sourcesOf = (pois: readonly Destination[]) => pois.map(({ source }) => source).sort();

test('every unit keeps the same one of two duplicate places on either side of a border', async () => {
  const border = WEST.maxLon;
  const { within } = await prepare([
    await listOf('lists', [
      ['sure', border + NEAR / 2, overture(0.9)],
      ['less', border - NEAR / 2, overture(0.8)],
      // This one stays, since the place that it duplicates is dropped.
      ['least', border - NEAR * 1.3, overture(0.7)],
    ]),
  ]);
  expect(sourcesOf(await within(EAST))).toEqual(['Overture place sure']);
  expect(sourcesOf(await within(WEST))).toEqual(['Overture place least']);
});

test('places equal those made from all lists at once, in memory or spilled, whatever cells they lie in', async () => {
  const random = new Random(7);
  const lists = await Promise.all(
    ['one', 'two', 'own'].map((list) =>
      listOf(
        list,
        // Places lie around cell corners; ids occur in two lists, at different locations.
        Array.from({ length: 300 }, (_, i): Place => {
          const lon = random.below(8) / 4 + (random.below(60) - 30) * (NEAR / 6);
          if (list !== 'own') return [`${i}`, lon, overture(0.5 + random.below(50) / 100)];
          return [`${i}`, i % 9 ? lon + 3 : lon];
        }),
      ),
    ),
  );
  const accounts = [];
  for await (const account of readPoiFiles(lists, EVERYWHERE, silent)) accounts.push(account);
  const whole = singlePois(distinctById(accounts));
  const [held, laid] = [await prepare(lists, 'held'), await prepare(lists, 'laid', 50)];
  expect(await held.within(EVERYWHERE)).toEqual(whole);
  expect(laid.prepared).toEqual(held.prepared);
  expect(held.spilled).toEqual({ seen: 0, left: 0 });
  expect(laid.spilled.seen).toBeGreaterThan(20);
  expect(laid.spilled.left).toBe(0);
  expect(Object.keys(held.prepared).length).toBeGreaterThan(2);
});

test('two places with one id are refused by name, however far apart', async () => {
  const lists = [await listOf('one', [['7', 0]]), await listOf('two', [['7', 50]])];
  const says = /one: feature 1 \(id 7\) and .*two: feature 1 \(id 7\) both have dest_id/;
  await expect(prepare(lists)).rejects.toThrow(says);
});

test('a damaged cell is detected and rebuilt', async () => {
  const lists = [await listOf('lists', [['1', 0.1]])];
  const { prepared, within } = await prepare(lists);
  const [{ name, bytes }] = Object.values(prepared);
  await writeFile(path.join(folder, 'store', name), Buffer.alloc(bytes));
  await expect(within(EVERYWHERE)).rejects.toThrow(name);
  const again = await prepare(lists);
  expect(again.prepared).toEqual(prepared);
  expect(await again.within(EVERYWHERE)).toHaveLength(1);
});

test('every unit sees the details that lists give a place, even where a list puts it across a border', async () => {
  const at = { lon: WEST.maxLon - NEAR / 2, lat: 0 };
  const { listed } = await prepare([
    await listOf('lists', [['elm', at.lon + NEAR, { type: 'cafes', city: 'Elm' }]]),
  ]);
  const cafe: Destination = {
    destId: 1,
    source: 'node 0',
    name: 'Elm Cafe',
    address: ADDRESS,
    brand: null,
    types: [202],
    ...at,
    entrances: [at],
  };
  const places = [WEST, EAST].map(
    async (area) => (await joinLists([cafe], listed, area)).destinations,
  );
  const reported = [{ ...cafe, address: { ...ADDRESS, city: 'Elm' } }];
  expect(await Promise.all(places)).toEqual([reported, reported]);
});

test('a large park has the details that lists give it, even where a list puts it outside the area read', async () => {
  const { listed } = await prepare([
    await listOf('lists', [
      ['in', 0.15, { type: 'parks_large', name: 'Elm Park', city: 'Elm' }],
      ['beyond', 0.16, { type: 'libraries' }],
    ]),
  ]);
  const park: Destination = {
    destId: 2,
    source: 'way 0',
    name: 'Elm Park',
    address: ADDRESS,
    brand: null,
    types: [513],
    lon: -0.05,
    lat: 0,
    entrances: [{ lon: -0.05, lat: 0 }],
    outline: [
      [
        [
          [-0.06, -0.02],
          [0.18, -0.02],
          [0.18, 0.02],
          [-0.06, -0.02],
        ],
      ],
    ],
  };
  const { destinations } = await joinLists([park], listed, WEST);
  expect(destinations).toEqual([{ ...park, address: { ...ADDRESS, city: 'Elm' } }]);
});
