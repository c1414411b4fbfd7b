import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { buildRelease } from '../../builder/build.ts';
import { silent } from '../../builder/progress.ts';
import { Random } from '../../infra/demo/seeded-random.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { buildInParts } from '../support/build-in-parts.ts';
import { storeContents } from '../support/store-contents.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { type FeedTables, gtfsTime, writeFeed } from '../transit/gtfs-text.ts';
import { pointAt, type SmallCity, writeSmallCity } from '../transit/small-city.ts';

/** A town of straight streets, with a stop, a shop and two blocks of a county. */
interface Town {
  readonly county: string;
  readonly east: number;
  readonly north: number;
}

/**
 * Trips from town to town, the first at minute `first` of the day, then one every `every` minutes;
 * each leg takes `legs` minutes.
 */
interface Line {
  readonly towns: readonly number[];
  readonly first: number;
  readonly every: number;
  readonly legs: number;
  /** Lines of the same name share their vehicles. */
  readonly vehicles?: string;
}

interface Feed {
  readonly zone: string;
  readonly lines: readonly Line[];
}

const [EASTERN, CENTRAL] = ['America/New_York', 'America/Chicago'];
const SIDE = 7;
const STREET = 150;
const TRIPS = 12;
const EIGHT = 8 * 60;
const WORLDS = 2;

const folder = folderOfTests();
const stores: FolderStore[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
});

/** A county whose centre is nearest to another county's stop, an hour apart by the clock. */
const WIDE_COUNTY = {
  towns: [
    ...[0, 8_000, 100_000].map((east): Town => ({ county: '99001', east, north: 0 })),
    ...[50_000, 58_000].map((east): Town => ({ county: '99003', east, north: 45_000 })),
  ],
  feeds: [
    { zone: CENTRAL, lines: [{ towns: [0, 1], first: EIGHT + 1, every: 5, legs: 12 }] },
    { zone: EASTERN, lines: [{ towns: [3, 4], first: EIGHT + 1, every: 5, legs: 12 }] },
  ],
};

test('a wide county has times in its own zone, whatever other counties are read', () =>
  expectSameInParts('wide', WIDE_COUNTY.towns, WIDE_COUNTY.feeds));

test.each(Array.from({ length: WORLDS }, (_, i) => 20261123 + i))(
  'counties built one by one have the rows of one build, whatever feeds link their towns, seed %i',
  (seed) => {
    const random = new Random(seed);
    const counties = Array.from({ length: 5 }, (_, i) => `9900${2 * i + 1}`);
    const towns = Array.from({ length: counties.length + 3 }, (_, i): Town => {
      const width = random.pick([60_000, 160_000]);
      return {
        county: counties[i] ?? random.pick(counties),
        east: random.below(width),
        north: random.below(50_000),
      };
    });
    const feeds = Array.from({ length: 3 }, (): Feed => {
      const lines = Array.from({ length: 1 + random.below(3) }, (): Line => {
        const way = [random.below(towns.length)];
        while (way.length < 4) {
          const next = random.below(towns.length);
          if (next !== way.at(-1)) way.push(next);
        }
        return {
          towns: way.slice(0, 2 + random.below(3)),
          first: EIGHT - 30 + random.below(90),
          every: 5 + random.below(20),
          legs: 6 + random.below(20),
          ...(random.chance(0.3) && { vehicles: 'bus' }),
        };
      });
      return { zone: random.pick([EASTERN, CENTRAL]), lines };
    });
    return expectSameInParts(`seed ${seed}`, towns, feeds);
  },
);

/** Expects one build of all counties to leave the objects of one build per county, joined. */
async function expectSameInParts(
  name: string,
  towns: readonly Town[],
  feeds: readonly Feed[],
): Promise<void> {
  const at = (what: string) => path.join(folder, name, what);
  mkdirSync(at(''), { recursive: true });
  const home = towns.flatMap(({ county }) => [county, county]);
  const inputs = await writeSmallCity(at(''), cityOf(towns), (block) => {
    return `${home[block]}000100${1000 + block}`;
  });
  const gtfs = await Promise.all(
    feeds.map((feed, i) => writeFeed(at(`${i}.zip`), tablesOf(feed, i, towns))),
  );
  const request = { ...inputs, gtfs, counties: [], release: 'r', tiles: false };
  const built = async (what: string, build: (store: FolderStore) => Promise<unknown>) => {
    const store = new FolderStore(at(what));
    stores.push(store);
    await build(store);
    const contents = Object.entries(await storeContents(at(what)));
    return Object.fromEntries(contents.filter(([file]) => !/^(regions|latest)/.test(file)));
  };
  const counties = [...new Set(home)].sort();
  const whole = await built('whole', (store) => buildRelease(request, store, silent));
  const parts = await built('parts', (store) =>
    buildInParts(
      request,
      counties.map((county) => [county]),
      store,
    ),
  );
  expect(parts).toEqual(whole);
}

function cityOf(towns: readonly Town[]): SmallCity {
  const streets = towns.flatMap((_, town) =>
    Array.from({ length: SIDE * SIDE }, (_, i) => i).flatMap((i) => {
      const corner = town * SIDE * SIDE + i;
      const east: [number, number][] = i % SIDE < SIDE - 1 ? [[corner, corner + 1]] : [];
      const north: [number, number][] = i < SIDE * (SIDE - 1) ? [[corner, corner + SIDE]] : [];
      return [...east, ...north];
    }),
  );
  return {
    corners: towns.flatMap(({ east, north }) =>
      Array.from({ length: SIDE * SIDE }, (_, i) =>
        pointAt(east + (i % SIDE) * STREET, north + Math.floor(i / SIDE) * STREET),
      ),
    ),
    streets,
    blocks: towns.flatMap(({ east, north }) =>
      [200, 500].map((further) => pointAt(east + further, north + 170)),
    ),
    shops: towns.map(({ east, north }) => pointAt(east + 460, north + 440)),
  };
}

function tablesOf({ zone, lines }: Feed, name: number, towns: readonly Town[]): FeedTables {
  const trips = lines.flatMap((line, i) =>
    Array.from({ length: TRIPS }, (_, run) => ({ line, i, run, id: `${i}-${run}` })),
  );
  const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
  return {
    'agency.txt': [{ agency_id: 'a', agency_name: `Agency ${name}`, agency_timezone: zone }],
    'calendar.txt': [
      {
        service_id: 'daily',
        start_date: '20251101',
        end_date: '20260601',
        ...Object.fromEntries(days.map((day) => [day, 1])),
      },
    ],
    'routes.txt': lines.map((_, i) => ({ route_id: i, route_short_name: i, route_type: 3 })),
    'stops.txt': [...new Set(lines.flatMap((line) => line.towns))].map((town) => {
      const { lon, lat } = pointAt(towns[town].east + 300, towns[town].north + 300);
      return { stop_id: town, stop_name: `Stop ${town}`, stop_lat: lat, stop_lon: lon };
    }),
    'trips.txt': trips.map(({ line, i, run, id }) => ({
      route_id: i,
      service_id: 'daily',
      trip_id: id,
      block_id: line.vehicles ? `${line.vehicles}-${run}` : '',
    })),
    'stop_times.txt': trips.flatMap(({ line, run, id }) =>
      line.towns.map((town, call) => {
        const time = gtfsTime(60 * (line.first + run * line.every + call * line.legs));
        return {
          trip_id: id,
          arrival_time: time,
          departure_time: time,
          stop_id: town,
          stop_sequence: call + 1,
        };
      }),
    ),
  };
}
