import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readFeed } from '../../builder/gtfs/feed.ts';
import { readTrips } from '../../builder/gtfs/trips.ts';
import { forAll } from '../support/for-all.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { AGENCY, service, wholeDay } from './feed-records.ts';
import { type FeedRecord, gtfsTime, writeFeed } from './gtfs-text.ts';

const folder = folderOfEachTest();

/** A place on the equator, where the ground is flat, in metres east and north of a meridian. */
type Place = readonly [east: number, north: number];
const METRES_PER_DEGREE = { east: 111_319.5, north: 110_574.3 };
const degrees = ([east, north]: Place, prefix: string): FeedRecord => ({
  [`${prefix}_lon`]: 10 + east / METRES_PER_DEGREE.east,
  [`${prefix}_lat`]: north / METRES_PER_DEGREE.north,
});

interface Calls {
  /** The stops in turn; the trip has times at the first and the last, 1000 seconds apart. */
  readonly at: readonly Place[];
  /** `shape_dist_traveled`, blank where null. */
  readonly distances?: readonly (number | null)[];
  readonly shape?: readonly Place[];
  /** Seconds after the first call at calls whose time is given. */
  readonly timed?: Readonly<Record<number, number>>;
}

let feeds = 0;

/** Reads one trip: the seconds after its first call at each, and the rule of each blank time. */
async function read({ at, distances, shape, timed = {} }: Calls) {
  const time = (i: number) => (i === 0 ? 0 : i === at.length - 1 ? 1_000 : timed[i]);
  const text = (i: number) => (time(i) === undefined ? '' : gtfsTime(28_800 + time(i)));
  const file = await writeFeed(path.join(folder, `feed ${feeds++}`), {
    'agency.txt': [AGENCY],
    'stops.txt': at.map((place, i) => ({ stop_id: `s${i}`, ...degrees(place, 'stop') })),
    'trips.txt': [{ trip_id: 't', service_id: 'daily', shape_id: 'line' }],
    'calendar.txt': [service('daily', '1111111', 20260301, 20260331)],
    'stop_times.txt': at.map((_, i) => ({
      trip_id: 't',
      stop_id: `s${i}`,
      stop_sequence: i,
      arrival_time: text(i),
      departure_time: text(i),
      shape_dist_traveled: distances?.[i] ?? '',
    })),
    ...(shape && {
      'shapes.txt': shape.map((place, i) => ({
        shape_id: 'line',
        shape_pt_sequence: i,
        ...degrees(place, 'shape_pt'),
      })),
    }),
  });
  const feed = await readFeed(file);
  try {
    const [{ run }] = await readTrips(feed, [wholeDay('20260311')]);
    const { arrivals, departures } = run;
    expect(departures).toEqual(arrivals);
    const rules = feed.report.problems.map(({ problem, rows }) => `${rows} × ${problem}`);
    return { seconds: arrivals.map((arrival) => arrival - 28_800), rules };
  } finally {
    feed.source.close();
  }
}

const BY_DISTANCE = 'no time; interpolated along shape_dist_traveled';
const ALONG_SHAPE = 'no time; interpolated along the shape';
const STRAIGHT = 'no time; interpolated by straight distances between stops';
/** Three stops close together and one far off. */
const LINE: readonly Place[] = [
  [0, 0],
  [100, 0],
  [200, 0],
  [1_000, 0],
];

test('without distances and shape, blank times follow the straight distances between stops', async () => {
  const detour: readonly Place[] = [LINE[0], [100, 300], [500, 0], [1_000, 0]];
  expect(await read({ at: LINE })).toEqual({
    seconds: [0, 100, 200, 1_000],
    rules: [`2 × ${STRAIGHT}`],
  });
  const [a, b, c] = [Math.hypot(100, 300), Math.hypot(400, 300), 500];
  const { seconds } = await read({ at: detour });
  expect(seconds).toEqual(
    [0, a, a + b, a + b + c].map((place) => Math.round((1_000 * place) / (a + b + c))),
  );
});

test('distances take precedence, and a blank first one is 0', async () => {
  const expected = { seconds: [0, 300, 900, 1_000], rules: [`2 × ${BY_DISTANCE}`] };
  const shape = LINE;
  expect(await read({ at: LINE, distances: [0, 3, 9, 10], shape })).toEqual(expected);
  expect(await read({ at: LINE, distances: [null, 3, 9, 10], shape })).toEqual(expected);
  expect(await read({ at: LINE, distances: [5, 8, 14, 15], shape })).toEqual(expected);
});

test.each([
  ['blank', [null, null, null, null]],
  ['blank at the end', [0, 3, 9, null]],
  ['all equal', [7, 7, 7, 7]],
  ['falling', [0, 9, 3, 10]],
  ['counted anew', [0, 3, 0, 7]],
])('distances that are %s are not used', async (_, distances) => {
  expect(await read({ at: LINE, distances })).toEqual({
    seconds: [0, 100, 200, 1_000],
    rules: [`2 × ${STRAIGHT}`],
  });
});

test('a call whose distance is blank or does not grow lies between its neighbours by the next rule', async () => {
  const rules = [`1 × ${BY_DISTANCE}`, `1 × ${STRAIGHT}`];
  const at: readonly Place[] = [
    [0, 0],
    [100, 0],
    [400, 0],
    [1_000, 0],
  ];
  for (const second of [null, 0]) {
    const found = await read({ at, distances: [0, second, 8, 10] });
    expect({ ...found, rules: found.rules.sort() }).toEqual({
      seconds: [0, 200, 800, 1_000],
      rules,
    });
  }
});

test('distances and shapes count from one time given to the next', async () => {
  // The distances are usable only from the third stop on.
  const at: readonly Place[] = [
    [0, 0],
    [100, 0],
    [400, 0],
    [600, 0],
    [1_000, 0],
  ];
  const { seconds, rules } = await read({ at, distances: [0, 9, 3, 4, 7], timed: { 2: 600 } });
  expect(seconds).toEqual([0, 150, 600, 700, 1_000]);
  expect(rules.sort()).toEqual([`1 × ${BY_DISTANCE}`, `1 × ${STRAIGHT}`]);
});

test('without distances, blank times follow the shape, also there and back along one street', async () => {
  // 400 m out to the turn and back on the other lane.
  const shape: readonly Place[] = [
    [0, 0],
    [400, 0],
    [400, -4],
    [0, -4],
  ];
  const at: readonly Place[] = [
    [0, 5],
    [300, 5],
    [300, -9],
    [100, -9],
    [0, -9],
  ];
  expect(await read({ at, shape })).toEqual({
    seconds: [0, 300, 504, 704, 804].map((place) => Math.round((1_000 * place) / 804)),
    rules: [`3 × ${ALONG_SHAPE}`],
  });
});

test('a stop off the shape lies between its neighbours by straight distances; a shape elsewhere is not used', async () => {
  const at: readonly Place[] = [
    [0, 0],
    [300, 0],
    [300, 400],
    [600, 400],
    [600, 0],
  ];
  const shape: readonly Place[] = [
    [0, 0],
    [600, 0],
  ];
  const found = await read({ at, shape });
  // From 300 m to 600 m along the shape, but 1,100 m between stops.
  expect(found.seconds).toEqual(
    [0, 500, 500 + (500 * 400) / 1_100, 500 + (500 * 700) / 1_100, 1_000].map(Math.round),
  );
  expect(found.rules.sort()).toEqual([`1 × ${ALONG_SHAPE}`, `2 × ${STRAIGHT}`]);
  const elsewhere = shape.map(([east, north]): Place => [east, north + 5_000]);
  expect((await read({ at, shape: elsewhere })).rules).toEqual([`3 × ${STRAIGHT}`]);
});

test('stops near a winding shape are reached in proportion to the way along it', async () => {
  // A zigzag whose turns are half a kilometre apart, so that no other part of it is near a stop.
  const leg = fc.integer({ min: 500, max: 3_000 });
  const legs = fc.array(leg, { minLength: 2, maxLength: 12 });
  const part = fc.double({ min: 0.1, max: 0.9, noNaN: true });
  const offset = fc.integer({ min: -30, max: 30 });
  await forAll(
    40,
    legs,
    fc.array(fc.tuple(part, offset), { minLength: 1, maxLength: 12 }),
    async (lengths, stops) => {
      const shape: Place[] = [[0, 0]];
      lengths.forEach((length, i) => {
        const [east, north] = shape[i];
        shape.push(i % 2 === 0 ? [east + length, north] : [east, north + length]);
      });
      const total = lengths.reduce((sum, length) => sum + length, 0);
      const begins = (i: number) => lengths.slice(0, i).reduce((sum, length) => sum + length, 0);
      const calls = stops.slice(0, lengths.length).map(([share, aside], i) => {
        const [east, north] = shape[i];
        const at: Place =
          i % 2 === 0
            ? [east + share * lengths[i], north + aside]
            : [east + aside, north + share * lengths[i]];
        return { at, along: begins(i) + share * lengths[i] };
      });
      const { seconds, rules } = await read({
        at: [shape[0], ...calls.map(({ at }) => at), shape.at(-1)!],
        shape,
      });
      expect(rules).toEqual([`${calls.length} × ${ALONG_SHAPE}`]);
      calls.forEach(({ along }, i) => {
        expect(Math.abs(seconds[i + 1] - (1_000 * along) / total)).toBeLessThanOrEqual(1);
      });
    },
  );
});

test('points of a shape may be in any order; one with a number twice or no place is left out and reported', async () => {
  const file = await writeFeed(path.join(folder, 'unsorted'), {
    'agency.txt': [AGENCY],
    'stops.txt': [
      [0, 0],
      [0, 500],
      [500, 500],
    ].map(([east, north], i) => ({
      stop_id: `s${i}`,
      ...degrees([east, north + 10 * i], 'stop'),
    })),
    'trips.txt': [{ trip_id: 't', service_id: 'daily', shape_id: 'line' }],
    'calendar.txt': [service('daily', '1111111', 20260301, 20260331)],
    'stop_times.txt': ['8:00:00', '', '8:10:00'].map((time, i) => ({
      trip_id: 't',
      stop_id: `s${i}`,
      stop_sequence: i,
      arrival_time: time,
      departure_time: time,
    })),
    'shapes.txt': [
      { shape_id: 'line', shape_pt_sequence: 30, ...degrees([500, 500], 'shape_pt') },
      { shape_id: 'line', shape_pt_sequence: 10, ...degrees([0, 0], 'shape_pt') },
      { shape_id: 'line', shape_pt_sequence: 20, ...degrees([0, 500], 'shape_pt') },
      { shape_id: 'line', shape_pt_sequence: 20, ...degrees([9_000, 500], 'shape_pt') },
      { shape_id: 'line', shape_pt_sequence: 25, shape_pt_lon: '', shape_pt_lat: 0 },
      { shape_id: 'other', shape_pt_sequence: 'x', shape_pt_lon: 1, shape_pt_lat: 0 },
    ],
  });
  const feed = await readFeed(file);
  const [{ run }] = await readTrips(feed, [wholeDay('20260311')]);
  feed.source.close();
  expect(run.arrivals).toEqual([28_800, 29_100, 29_400]);
  expect(feed.report.problems).toEqual([
    {
      file: 'shapes.txt',
      problem: 'no valid coordinates or sequence; left out',
      rows: 1,
      first_line: 6,
    },
    {
      file: 'shapes.txt',
      problem: 'duplicate shape_pt_sequence in a shape; left out',
      rows: 1,
      first_line: 5,
    },
    { file: 'stop_times.txt', problem: ALONG_SHAPE, rows: 1, first_line: 3 },
  ]);
});
