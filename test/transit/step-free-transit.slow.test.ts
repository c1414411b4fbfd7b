import path from 'node:path';
import { expect, test } from 'vitest';
import type { WheelchairUnknown } from '../../builder/routing-parameters.ts';
import type { WheelchairFacts } from '../../shards/release/manifest.ts';
import { faultsIn } from '../support/faults.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { type AvenueTrip, avenue, avenueFeed, tripFrom } from './avenue.ts';
import { buildSmallCity } from './built-city.ts';
import { type FeedRecord, type FeedTables, writeFeed } from './gtfs-text.ts';
import { pointAt } from './small-city.ts';

const folder = folderOfEachTest();

/** The block is at the start of the avenue, the shop beyond a walk of an hour. */
const SHOP = 8_000;
const STOPS = { A: 60, A2: 460, B2: SHOP - 320, B: SHOP };
/** From A fast trips take 10 minutes to B, and slow ones 20. One of each leaves every minute. */
const FAST = { A: 0, A2: 1, B2: 9, B: 10 };
const SLOW = { A: 0, A2: 1, B2: 19, B: 20 };
const LEAVE = Array.from({ length: 100 }, (_, i) => 480 + i);

/**
 * Minutes to the shop by a trip that is boarded after some minutes of walking, and at the stop a
 * minute before it leaves, as one does each whole minute; `rest` is spent aboard and thereafter.
 */
const minutes = (walk: number, rest: number) => Math.ceil(walk + 1) + rest;
/** Half a minute leads to the avenue, and half a minute from it. */
const [TO_A, TO_A2, FROM_B, FROM_B2] = [0.5 + 0.75, 0.5 + 5.75, 0.5, 4 + 0.5];
const BY_A = minutes(TO_A, 10 + FROM_B);
const BY_A2 = minutes(TO_A2, 9 + FROM_B);

interface Made {
  /** Codes of `wheelchair_boarding` by stop, and of `wheelchair_accessible` of fast trips. */
  readonly stops?: Readonly<Record<string, FeedRecord>>;
  readonly fast?: string | number;
  /** Stations and entrances. */
  readonly places?: readonly FeedRecord[];
  readonly pathways?: readonly FeedRecord[];
  readonly routeType?: number;
  readonly unknown?: WheelchairUnknown;
}

function feedOf({ stops = {}, fast = 1, places = [], pathways, routeType = 3 }: Made): FeedTables {
  const trips: AvenueTrip[] = [
    ...LEAVE.map((at) => tripFrom(at, FAST)),
    ...LEAVE.map((at) => tripFrom(at, SLOW)),
  ];
  const feed = avenueFeed(STOPS, trips);
  return {
    ...feed,
    'stops.txt': [
      ...feed['stops.txt'].map((stop) => {
        return { wheelchair_boarding: 1, ...stop, ...stops[stop.stop_id] };
      }),
      ...places,
    ],
    'trips.txt': feed['trips.txt'].map((trip, i) => {
      return { ...trip, wheelchair_accessible: i < LEAVE.length ? fast : 1 };
    }),
    'routes.txt': feed['routes.txt'].map((route) => ({ ...route, route_type: routeType })),
    ...(pathways && { 'pathways.txt': pathways }),
  };
}

const at = (along: number) => {
  const { lon, lat } = pointAt(along, 0);
  return { stop_lat: lat.toFixed(7), stop_lon: lon.toFixed(7) };
};
const station = (code: string | number): FeedRecord => {
  return { stop_id: 'S', ...at(STOPS.A), location_type: 1, wheelchair_boarding: code };
};
const entrance = (code: string | number): FeedRecord => {
  const record = { stop_id: 'E', ...at(STOPS.A), location_type: 2, parent_station: 'S' };
  return { ...record, wheelchair_boarding: code };
};
const inStation = (code: string | number) => ({
  A: { wheelchair_boarding: code, parent_station: 'S' },
});
const pathway = (mode: number, seconds: number, more: FeedRecord = {}): FeedRecord => ({
  pathway_id: `${mode} ${seconds}`,
  from_stop_id: 'E',
  to_stop_id: 'A',
  pathway_mode: mode,
  is_bidirectional: 1,
  traversal_time: seconds,
  ...more,
});
const withPathways = (...pathways: readonly FeedRecord[]): Made => {
  return { stops: inStation(''), places: [station(1), entrance('')], pathways };
};
const [WALKWAY, STAIRS, ESCALATOR, ELEVATOR] = [1, 2, 4, 5];
/** A subway is two levels down, which take a minute. */
const DOWN = 1;
const BELOW_A = minutes(TO_A + DOWN, 10 + DOWN + FROM_B);
const BELOW_A2 = minutes(TO_A2 + DOWN, 9 + DOWN + FROM_B);

const CASES: readonly (readonly [string, Made, transit: number, stepFree: number])[] = [
  ['all is accessible', {}, BY_A, BY_A],
  ['the fast trips have no room', { fast: 2 }, BY_A, minutes(TO_A, 20 + FROM_B)],
  ['nothing is stated of the fast trips', { fast: '' }, BY_A, BY_A],
  [
    'nothing is stated of the fast trips, and unknown is closed',
    { fast: 0, unknown: 'closed' },
    BY_A,
    minutes(TO_A, 20 + FROM_B),
  ],
  ['the first stop is closed', { stops: { A: { wheelchair_boarding: 2 } } }, BY_A, BY_A2],
  [
    'the last stop is closed',
    { stops: { B: { wheelchair_boarding: 2 } } },
    BY_A,
    minutes(TO_A, 9 + FROM_B2),
  ],
  [
    'nothing is stated of the first stop',
    { stops: { A: { wheelchair_boarding: '' } } },
    BY_A,
    BY_A,
  ],
  [
    'nothing is stated of the first stop, and unknown is closed',
    { stops: { A: { wheelchair_boarding: 0 } }, unknown: 'closed' },
    BY_A,
    BY_A2,
  ],
  [
    'the station of the first stop is closed, of which nothing is stated',
    { stops: inStation(''), places: [station(2)] },
    BY_A,
    BY_A2,
  ],
  [
    'the station of the first stop is closed, but not the stop',
    { stops: inStation(1), places: [station(2)] },
    BY_A,
    BY_A,
  ],
  [
    'the station of the first stop is open, and unknown is closed',
    { stops: inStation(0), places: [station(1)], unknown: 'closed' },
    BY_A,
    BY_A,
  ],
  [
    'the only entrance is closed',
    { stops: inStation(1), places: [station(1), entrance(2)] },
    BY_A,
    BY_A2,
  ],
  [
    'stairs are faster than the elevator',
    withPathways(pathway(STAIRS, 60), pathway(ELEVATOR, 180)),
    minutes(TO_A + 1, 10 + FROM_B),
    minutes(TO_A + 3, 10 + FROM_B),
  ],
  [
    'only stairs lead to the platform',
    withPathways(pathway(STAIRS, 60)),
    minutes(TO_A + 1, 10 + FROM_B),
    BY_A2,
  ],
  [
    'only an escalator leads to the platform',
    withPathways(pathway(ESCALATOR, 60)),
    minutes(TO_A + 1, 10 + FROM_B),
    BY_A2,
  ],
  [
    'an elevator leads to the platform from an entrance that is closed',
    { ...withPathways(pathway(ELEVATOR, 180)), places: [station(1), entrance(2)] },
    minutes(TO_A + 3, 10 + FROM_B),
    BY_A2,
  ],
  [
    'a walkway with steps leads to the platform',
    withPathways(pathway(WALKWAY, 60, { stair_count: -3 })),
    minutes(TO_A + 1, 10 + FROM_B),
    BY_A2,
  ],
  ['all platforms of a subway are accessible', { routeType: 1 }, BELOW_A, BELOW_A],
  [
    'nothing is stated of a platform of a subway',
    { routeType: 1, stops: { A: { wheelchair_boarding: '' } } },
    BELOW_A,
    BELOW_A2,
  ],
  [
    'nothing is stated of a platform of a subway, and unknown is passed',
    { routeType: 1, stops: { A: { wheelchair_boarding: '' } }, unknown: 'passed' },
    BELOW_A,
    BELOW_A,
  ],
];

test.each(CASES)('minutes follow by arithmetic where %s', async (_, made, transit, stepFree) => {
  const feed = await writeFeed(path.join(folder, 'feed.zip'), feedOf(made));
  const built = await buildSmallCity(folder, avenue([0], [SHOP]), [feed], {
    serviceDate: '2026-03-11',
    furtherModes: ['transit_step_free'],
    ...(made.unknown && { wheelchairUnknown: made.unknown }),
  });
  const times = async (service: string) => (await built.shopTimes(service))[0].get(0)! / 10;
  expect([await times('transit'), await times('transit_step_free')]).toEqual([transit, stepFree]);
  expect(await faultsIn(built.release.store)).toEqual([]);
  await built.close();
});

test('the manifest counts stops and trips, and of how many the feed states anything', async () => {
  const stops = { A: { wheelchair_boarding: '' }, B: { wheelchair_boarding: 2 } };
  const feed = await writeFeed(path.join(folder, 'feed.zip'), feedOf({ stops, fast: 2 }));
  const built = await buildSmallCity(folder, avenue([0], [SHOP]), [feed], {
    serviceDate: '2026-03-11',
    furtherModes: ['transit_step_free'],
  });
  const { feeds, assumptions } = built.release.manifest;
  const trips = feeds[0].trips_in_window;
  const stated: WheelchairFacts = {
    stops: 4,
    stops_stated: 3,
    stops_refused: 1,
    trips,
    trips_stated: trips,
    trips_refused: trips / 2,
  };
  expect(feeds[0].wheelchair).toEqual(stated);
  expect(assumptions.transit_step_free_stated).toEqual(stated);
  await built.close();
});
