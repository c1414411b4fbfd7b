import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { buildRelease } from '../../builder/build.ts';
import { silent } from '../../builder/progress.ts';
import { EVERYWHERE } from '../../shards/geometry/wgs84.ts';
import { Matrix } from '../../shards/matrix/matrix.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { Scratch } from '../osm/scratch.ts';
import { buildInParts } from '../support/build-in-parts.ts';
import { ensureDebianPackage } from '../support/debian.ts';
import { extractOsm } from '../support/prepared-city.ts';
import { releaseIn } from '../support/release-in.ts';
import { storeContents } from '../support/store-contents.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { avenue } from './avenue.ts';
import { busFeed, RIDE, STOPS } from './bus-town.ts';
import { type FeedRecord, writeFeed } from './gtfs-text.ts';
import { blockGeoid, pointAt, writeSmallCity } from './small-city.ts';

const folder = folderOfTests();
const scratch = new Scratch();
beforeAll(() => ensureDebianPackage('osmium-tool', 'osmium'));

const STREET = ['n9001 T x5 y5', 'n9002 T x5.001 y5', 'w9001 Thighway=residential Nn9001,n9002'];

test.each<[tags: string, level: number | undefined, rails?: string[]]>([
  // Numbered floors count exactly; of several, the farthest from the street.
  ['railway=station,station=subway,level=-3', -3, ['subway']],
  ['railway=platform,subway=yes,level=-1;-2', -2, ['subway']],
  ['railway=platform,subway=yes,level=-2--1', -2, ['subway']],
  ['railway=station,station=subway,level=0', 0, ['subway']],
  ['railway=station,station=subway,level=-1,layer=-5', -1, ['subway']],
  // Ten metres are a level, as is each layer; off the street, the level is two at least.
  ['railway=station,station=subway,depth=60', -6, ['subway']],
  ['railway=station,station=subway,depth=12%20%m', -2, ['subway']],
  ['railway=station,station=subway,layer=-1', -2, ['subway']],
  ['railway=station,station=subway,layer=-4', -4, ['subway']],
  ['railway=station,station=subway,layer=0', 0, ['subway']],
  ['railway=station,station=subway,location=underground', -2, ['subway']],
  ['railway=platform,subway=yes,tunnel=yes', -2, ['subway']],
  ['railway=station,station=monorail,bridge=yes', 2, ['subway']],
  ['railway=station,station=subway,location=surface', 0, ['subway']],
  // Rails follow from the vehicles that call there.
  ['railway=station,level=-3', -3, ['subway']],
  ['railway=station,train=yes,level=-3', -3, ['train']],
  ['railway=station,train=yes,subway=yes,level=-3', -3, ['subway', 'train']],
  ['railway=tram_stop,level=-1', -1, ['tram']],
  ['railway=station,station=light_rail,level=-1', -1, ['tram']],
  ['public_transport=platform,tram=yes,level=-1', -1, ['tram']],
  // There is no level without usable data, or away from rails.
  ['railway=station,station=subway', undefined],
  ['railway=station,station=subway,level=mezzanine', undefined],
  ['railway=station,station=subway,level=-9999', undefined],
  ['public_transport=platform,bus=yes,level=-1', undefined],
  ['public_transport=platform,level=-1', undefined],
  ['railway=platform,bus=yes,level=-1', undefined],
  ['highway=bus_stop,layer=-1', undefined],
])('a station on the map, %s, is %s levels off the street', async (tags, level, rails) => {
  const pbf = (name: string, opl: string[]) => scratch.pbf(name, [...opl, ...STREET]);
  const stationsOf = async (file: string) =>
    (await extractOsm([file], EVERYWHERE, silent)).stations;
  const node = await stationsOf(pbf('node', [`n1 T${tags} x1 y1`]));
  expect(node).toEqual(level === undefined ? [] : [{ lon: 1, lat: 1, rails, level }]);
  // Platforms are lines or outlines: the centre counts for either.
  const corners = ['n1 T x1 y1', 'n2 T x1.5 y1', 'n3 T x1.5 y1.25'];
  const way = await stationsOf(pbf('way', [...corners, `w1 T${tags} Nn1,n2,n3`]));
  expect(way).toEqual(level === undefined ? [] : [{ lon: 1.25, lat: 1.125, rails, level }]);
});

const COUNTIES = ['99001', '99003'];

/** Builds a line of a GTFS type between two counties, with a mapped station in the first. */
async function builtWith(
  name: string,
  type: number,
  station: Readonly<Record<string, string>>,
  { metres = 0, stop = {} }: { readonly metres?: number; readonly stop?: FeedRecord } = {},
) {
  const inputs = path.join(folder, name);
  mkdirSync(inputs);
  const tags = { railway: 'station', ...station };
  const city = await writeSmallCity(
    inputs,
    {
      ...avenue([1_000, 9_160], [1_000]),
      stations: [{ at: pointAt(STOPS.A + metres, 0), tags }],
    },
    (block) => COUNTIES[block] + blockGeoid(block).slice(5),
  );
  const feed = busFeed();
  const gtfs = await writeFeed(path.join(inputs, 'feed.zip'), {
    ...feed,
    'routes.txt': feed['routes.txt'].map((route) => ({ ...route, route_type: type })),
    'stops.txt': feed['stops.txt'].map((one) => (one.stop_id === 'A' ? { ...one, ...stop } : one)),
    'levels.txt': [{ level_id: 'street', level_index: 0 }],
  });
  const request = { ...city, gtfs: [gtfs], counties: [], release: 'r', tiles: false };
  const store = await ofThisTest(new FolderStore(path.join(inputs, 'store')));
  await buildRelease(request, store, silent);
  const release = await releaseIn(store);
  const county = release.manifest.counties[COUNTIES[0]];
  const matrix = await Matrix.open(store, county.objects['reach-from']);
  const { targets, times } = (await matrix.row(0))[release.manifest.modes.indexOf('transit')];
  const there = Number(COUNTIES[1] + blockGeoid(1).slice(5));
  const minutes = times[Array.from(targets, (t) => matrix.targets[t]).indexOf(there)];
  return { minutes, request, inputs, release };
}

/** Whole minutes from block to block, with the given minutes down to A and up from B. */
function time(down: number, up: number): number {
  const ready = 3.5 + down + 1;
  // Every vehicle leaves on a whole minute.
  return Math.ceil(Math.ceil(ready) + RIDE + up + 2.5);
}

const [TRAM, SUBWAY, TRAIN, BUS] = [0, 1, 2, 3];
/** Minutes inside a station: 30 s per level. */
const level = (levels: number) => levels / 2;

test('a platform has the level in its feed, else that on the map by its vehicles, else the assumed one', async () => {
  let built = 0;
  const minutesOf = async (...about: [number, Record<string, string>, object?]) =>
    (await builtWith(`built-${built++}`, ...about)).minutes;
  const deep = { level: '-4' };
  const subway = { station: 'subway', ...deep };
  expect(await minutesOf(SUBWAY, {})).toBe(time(level(2), level(2)));
  expect(await minutesOf(SUBWAY, subway)).toBe(time(level(4), level(2)));
  expect(await minutesOf(SUBWAY, { ...subway, level: '0' })).toBe(time(0, level(2)));
  expect(await minutesOf(SUBWAY, subway, { stop: { level_id: 'street' } })).toBe(time(0, level(2)));
  // A mapped station counts within 150 m.
  expect(await minutesOf(SUBWAY, subway, { metres: 145 })).toBe(time(level(4), level(2)));
  expect(await minutesOf(SUBWAY, subway, { metres: 155 })).toBe(time(level(2), level(2)));
  // Other vehicles alongside or above a subway do not take on its levels.
  for (const type of [TRAM, TRAIN, BUS]) expect(await minutesOf(type, subway)).toBe(time(0, 0));
  expect(await minutesOf(TRAM, { light_rail: 'yes', ...deep })).toBe(time(level(4), 0));
  expect(await minutesOf(TRAIN, { train: 'yes', ...deep })).toBe(time(level(4), 0));
});

test('units built separately, each with its part of the map, agree on a station; its depth changes the rows of riders from there', async () => {
  const { request, inputs } = await builtWith('whole', SUBWAY, { level: '-4' });
  const parts = await ofThisTest(new FolderStore(path.join(inputs, 'parts')));
  await buildInParts(request, [[COUNTIES[1]], [COUNTIES[0]]], parts);
  const contents = async (store: string) => {
    const all = Object.entries(await storeContents(path.join(inputs, store)));
    return Object.fromEntries(all.filter(([file]) => !/^(regions|latest)/.test(file)));
  };
  expect(await contents('parts')).toEqual(await contents('store'));

  const deeper = await writeSmallCity(
    inputs,
    {
      ...avenue([1_000, 9_160], [1_000]),
      stations: [{ at: pointAt(STOPS.A, 0), tags: { railway: 'station', level: '-6' } }],
    },
    (block) => COUNTIES[block] + blockGeoid(block).slice(5),
  );
  const before = (await releaseIn(parts)).manifest;
  const { manifest, searched } = await buildRelease({ ...request, ...deeper }, parts, silent);
  // The second county has no trip to the station.
  expect(searched).toEqual([COUNTIES[0]]);
  const versionOf = ({ components }: typeof manifest) =>
    components.find(({ component }) => component === 'transit_network')!.version;
  expect(versionOf(manifest)).not.toBe(versionOf(before));
});
