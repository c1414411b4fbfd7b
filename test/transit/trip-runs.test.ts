import path from 'node:path';
import { expect, test } from 'vitest';
import { BuildError } from '../../builder/errors.ts';
import { readFeed } from '../../builder/gtfs/feed.ts';
import { FEED_LIMITS } from '../../builder/gtfs/limits.ts';
import { readTrips } from '../../builder/gtfs/trips.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { AGENCY, service, wholeDay } from './feed-records.ts';
import { type FeedRecord, gtfsTime, writeFeed } from './gtfs-text.ts';

const folder = folderOfEachTest();

/** The calls of a trip, a second apart. */
const callsOf = (trip: string, calls: number): FeedRecord[] =>
  Array.from({ length: calls }, (_, i) => ({
    trip_id: trip,
    stop_id: 'a',
    stop_sequence: i,
    arrival_time: gtfsTime(8 * 3600 + i),
    departure_time: gtfsTime(8 * 3600 + i),
  }));
/** Repeats a trip every five seconds for a week. */
const allWeek = (trip: string): FeedRecord => ({
  trip_id: trip,
  start_time: '0:00:00',
  end_time: '168:00:00',
  headway_secs: 5,
});

async function read(stopTimes: readonly FeedRecord[], frequencies: readonly FeedRecord[] = []) {
  const file = await writeFeed(path.join(folder, 'feed'), {
    'agency.txt': [AGENCY],
    'stops.txt': [{ stop_id: 'a', stop_lat: 39, stop_lon: -76 }],
    'trips.txt': ['t', 'u'].map((id) => ({ trip_id: id, service_id: 'daily' })),
    'stop_times.txt': stopTimes,
    'calendar.txt': [service('daily', '1111111', 20260301, 20260331)],
    'frequencies.txt': frequencies,
  });
  const feed = await readFeed(file);
  try {
    const dated = await readTrips(feed, [wholeDay('20260311')]);
    return { runs: dated.map(({ run }) => run), problems: feed.report.problems };
  } finally {
    feed.source.close();
  }
}

test('a feed without any call is refused', async () => {
  await expect(read([])).rejects.toThrow(BuildError);
  await expect(read([])).rejects.toThrow('stop_times.txt is empty');
});

test.each(['trip_id', 'stop_id', 'stop_sequence', 'arrival_time', 'departure_time'])(
  'a feed whose calls have no %s is refused',
  async (column) => {
    const renamed = callsOf('t', 2).map(({ [column]: value, ...others }) => ({
      ...others,
      other: value,
    }));
    await expect(read(renamed)).rejects.toThrow(`stop_times.txt has no column ${column}`);
  },
);

test('a trip has at most 2,000 calls; a longer one is left out, and reported', async () => {
  expect(FEED_LIMITS.calls).toBe(2_000);
  const { runs, problems } = await read([...callsOf('t', 2_000), ...callsOf('u', 2_001)]);
  expect(runs.map(({ trip, calls }) => [trip, calls.length])).toEqual([['t', 2_000]]);
  expect(problems).toEqual([
    {
      file: 'stop_times.txt',
      problem: 'a trip with more than 2000 calls; left out',
      rows: 1,
      first_line: 1 + 2_000 + 2_001,
    },
  ]);
});

/** Calls with an arrival and a departure, or blank, all at one distance along the line. */
const written = (...times: readonly string[]): FeedRecord[] =>
  times.map((time, i) => {
    const [arrival = '', departure = arrival] = time.split(' ');
    return {
      trip_id: 't',
      stop_id: 'a',
      stop_sequence: i,
      arrival_time: arrival,
      departure_time: departure,
      shape_dist_traveled: 5,
    };
  });
const clock = (times: readonly number[]) => times.map((time) => gtfsTime(time)).join(' ');

test('a repeated trip takes the same time from each departure, and its runs name no trip of the feed', async () => {
  const calls = written('8:00:00', '8:05:00 8:06:00', '8:10:00 8:12:00');
  const often = { trip_id: 't', start_time: '10:00:00', end_time: '10:20:00', headway_secs: 600 };
  const { runs } = await read(calls, [{ ...often, exact_times: 1 }]);
  expect(runs.map((run) => [run.trip, clock(run.arrivals), clock(run.departures)])).toEqual([
    [null, '10:00:00 10:05:00 10:10:00', '10:00:00 10:06:00 10:12:00'],
    [null, '10:10:00 10:15:00 10:20:00', '10:10:00 10:16:00 10:22:00'],
  ]);
});

test('a vehicle whose calls are all at one place is there from the beginning', async () => {
  const { runs } = await read(written('7:50:00', '8:00:00', '', '', '8:30:00'));
  expect(clock(runs[0].arrivals)).toBe('07:50:00 08:00:00 08:00:00 08:00:00 08:30:00');
});

test('a feed that repeats trips beyond reason is refused, by the trip', async () => {
  const fault = (trip: string) =>
    `frequencies.txt: repeats trips so often that at trip ${trip} there are more than 500000 of them, or 20000000 calls, around the departures of one morning; are headways in the wrong unit?`;
  // A row gives up to 120,960 runs. Five rows exceed the limit of trips, one with 166 calls that of
  // calls.
  const rows = Array.from({ length: 4 }, (_, i) => ({ ...allWeek('t'), start_time: `0:00:0${i}` }));
  const calls = [...callsOf('t', 2), ...callsOf('u', 2)];
  await expect(read(calls, [...rows, allWeek('u')])).rejects.toThrow(fault('u'));
  await expect(read(callsOf('t', 166), [allWeek('t')])).rejects.toThrow(fault('t'));
});
