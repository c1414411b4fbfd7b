import path from 'node:path';
import { expect, test } from 'vitest';
import { readFeed } from '../../builder/gtfs/feed.ts';
import { type FeedDay, type FeedOfDay, readFeedDay } from '../../builder/transit/feed-day.ts';
import { ALIGHT, BOARD } from '../../shards/transit/timetable.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { AGENCY, exception } from './feed-records.ts';
import { type FeedRecord, type FeedTables, writeFeed } from './gtfs-text.ts';

const folder = folderOfEachTest();

const HOUR = 3_600_000;
const MINUTE = 60_000;
/** New York's clocks, in seconds ahead of UTC. */
const WINTER = -5 * 3600;
const SUMMER = -4 * 3600;

/**
 * A trip: the stops with its times there, such as `A 8:00, B 8:10`, or `B 8:10-8:12` for both
 * arrival and departure.
 */
interface Trip {
  readonly calls: string;
  /** Dates on which it runs. */
  readonly on?: readonly string[];
  readonly route?: string;
  readonly block?: string;
  /** Stops without boarding; stops without alighting; stops where boarding is booked by phone. */
  readonly closed?: readonly string[];
  readonly noExit?: readonly string[];
  readonly byPhone?: readonly string[];
  readonly direction?: 0 | 1;
  /** Headway in seconds at which the trip is repeated for an hour from eight on. */
  readonly headway?: number;
}

const MORNING = { opens: 8 * HOUR, length: HOUR };

interface Day {
  readonly date: string;
  readonly aheadOfUtc?: number;
  readonly earliest?: number;
  readonly latest?: number;
  readonly transfers?: readonly FeedRecord[];
  /** Metres north of A. */
  readonly stops?: Readonly<Record<string, number>>;
  readonly zones?: Readonly<Record<string, string>>;
  readonly parents?: Readonly<Record<string, string>>;
  /** GTFS types of routes that are not buses. */
  readonly types?: Readonly<Record<string, number>>;
  readonly common?: string;
  readonly patterns?: FeedOfDay['patterns'];
}

/** Reads a feed of these tables for a day. */
async function dayOf(tables: FeedTables, day: Day) {
  const file = await writeFeed(path.join(folder, 'feed'), tables);
  const feed = await readFeed(file);
  const { date, aheadOfUtc = SUMMER, earliest = 8 * HOUR, latest = 10 * HOUR } = day;
  const clock = { common: day.common ?? date, aheadOfUtc, earliest, latest, ...MORNING };
  const patterns = day.patterns ?? [];
  const of = { path: file, sha256: 'abc', day: date, patterns, best: 4, without: [] };
  const read = await readFeedDay(feed, of, clock);
  feed.source.close();
  return read;
}

/** Reads trips, named `t0` and so on, for a day. */
async function read(trips: readonly Trip[], day: Day) {
  const { date, transfers = [], stops = { A: 0, B: 5_000, C: 9_000 } } = day;
  const services = trips.map(({ on = [date] }) => on.join(' '));
  const tables: FeedTables = {
    'agency.txt': [AGENCY],
    'stops.txt': Object.entries(stops).map(([id, north]) => ({
      stop_id: id,
      stop_name: `Stop ${id}`,
      stop_lat: 39 + north / 111_195,
      stop_lon: -76.6,
      stop_timezone: day.zones?.[id] ?? '',
      parent_station: day.parents?.[id] ?? '',
      location_type: Object.values(day.parents ?? {}).includes(id) ? 1 : 0,
    })),
    'routes.txt': ['red', 'blue'].map((id) => ({
      route_id: id,
      agency_id: 'A',
      route_type: day.types?.[id] ?? 3,
    })),
    'calendar_dates.txt': [...new Set(services)].flatMap((id) =>
      id.split(' ').map((day) => exception(id, Number(day), 1)),
    ),
    'trips.txt': trips.map(({ route = 'red', block = '', direction = '' }, i) => ({
      route_id: route,
      service_id: services[i],
      trip_id: `t${i}`,
      block_id: block,
      direction_id: direction,
    })),
    'frequencies.txt': trips.flatMap(({ headway }, i) =>
      headway === undefined
        ? []
        : [
            {
              trip_id: `t${i}`,
              start_time: '08:00:00',
              end_time: '09:00:00',
              headway_secs: headway,
              exact_times: 1,
            },
          ],
    ),
    'stop_times.txt': trips.flatMap(({ calls, closed = [], noExit = [], byPhone = [] }, i) =>
      calls.split(', ').map((call, at) => {
        const [stop, times] = call.split(' ');
        const [arrival, departure = arrival] = times.split('-');
        return {
          trip_id: `t${i}`,
          stop_id: stop,
          stop_sequence: at,
          arrival_time: `${arrival}:00`,
          departure_time: `${departure}:00`,
          pickup_type: closed.includes(stop) ? 1 : byPhone.includes(stop) ? 2 : 0,
          drop_off_type: noExit.includes(stop) ? 1 : 0,
        };
      }),
    ),
    'transfers.txt': transfers,
  };
  return dayOf(tables, day);
}

/** The times of a trip at its stops, by the common clock. */
function timesOf({ stops, trips }: FeedDay): string[] {
  return trips.map((trip) =>
    trip.stops
      .map((stop, i) => {
        const minutes = trip.departures[i] / MINUTE;
        const clock = `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
        return `${stops[stop].id} ${clock}`;
      })
      .join(', '),
  );
}

test('a trip of the night before runs on, an hour later or earlier if the clocks have changed', async () => {
  const night = (calls: string, on: string) => [{ calls, on: [on] }];
  const usual = await read(night('A 32:10, B 32:20', '20260310'), { date: '20260311' });
  expect(timesOf(usual.feedDay)).toEqual(['A 8:10, B 8:20']);
  const spring = { date: '20260308' };
  const lost = await read(night('A 32:10, B 32:20', '20260307'), spring);
  expect(timesOf(lost.feedDay)).toEqual(['A 9:10, B 9:20']);
  const gained = await read(night('A 33:10, B 33:20', '20261031'), {
    date: '20261101',
    aheadOfUtc: WINTER,
  });
  expect(timesOf(gained.feedDay)).toEqual(['A 8:10, B 8:20']);
});

test('a trip of the next day is read where a late window lasts until then, by the clocks of its day', async () => {
  const late = { earliest: 23 * HOUR, latest: 25 * HOUR };
  const night = [
    { calls: 'A 24:20, B 24:40' },
    { calls: 'A 0:10, B 0:30', on: ['20260312'] },
    { calls: 'A 1:10, B 1:30', on: ['20260312'] },
    { calls: 'A 0:15, B 0:35', on: ['20260313'] },
  ];
  const usual = await read(night, { date: '20260311', ...late });
  expect(timesOf(usual.feedDay).sort()).toEqual(['A 24:10, B 24:30', 'A 24:20, B 24:40']);
  // Twelve hours before noon is an hour before midnight on the day of the change.
  const spring = await read([{ calls: 'A 1:10, B 1:30', on: ['20260308'] }], {
    date: '20260307',
    aheadOfUtc: WINTER,
    ...late,
  });
  expect(timesOf(spring.feedDay)).toEqual(['A 24:10, B 24:30']);
  const morning = await read([night[0], night[1], { calls: 'A 8:10, B 8:30' }], {
    date: '20260311',
  });
  expect(timesOf(morning.feedDay)).toEqual(['A 8:10, B 8:30']);
});

test('a trip of both days is read for each, and one of another day not at all', async () => {
  const { feedDay, facts } = await read(
    [
      { calls: 'A 8:00, B 32:30', on: ['20260310', '20260311'] },
      { calls: 'A 8:00, B 8:30', on: ['20260312'] },
      { calls: 'A 8:00, B 47:30', on: ['20260309'] },
    ],
    { date: '20260311' },
  );
  expect(timesOf(feedDay).sort()).toEqual(['A -16:00, B 8:30', 'A 8:00, B 32:30']);
  expect(facts).toMatchObject({ trips_in_window: 2, service_date: '2026-03-11' });
});

test('a trip that began up to a week before is read, by the clocks of its day, and no shorter one', async () => {
  // The clocks change on the 8th, so that noon of that day comes an hour early.
  const { feedDay, facts } = await read(
    [
      { calls: 'A 20:00, B 55:50, C 56:10', on: ['20260309'] },
      { calls: 'A 20:00, B 55:50', on: ['20260309'] },
      { calls: 'A 20:00, B 152:20, C 152:30', on: ['20260305'] },
      { calls: 'A 20:00, B 103:00, C 105:00', on: ['20260307', '20260304'] },
      // Both for the day itself and for six days before.
      { calls: 'A 9:00, B 152:40', on: ['20260305', '20260311'] },
    ],
    { date: '20260311' },
  );
  expect(timesOf(feedDay).sort()).toEqual(
    [
      'A -28:00, B 7:50, C 8:10',
      'A -123:00, B 9:20, C 9:30',
      'A -75:00, B 8:00, C 10:00',
      'A 9:00, B 152:40',
      'A -134:00, B 9:40',
    ].sort(),
  );
  expect(facts.problems).toEqual([]);
});

test('a trip repeated by headway that departs days before is read if it lasts until the window', async () => {
  const tables: FeedTables = {
    'agency.txt': [AGENCY],
    'stops.txt': ['A', 'B'].map((id) => ({ stop_id: id, stop_lat: 39, stop_lon: -76.6 })),
    'calendar_dates.txt': [exception('s', 20260308, 1)],
    'trips.txt': [{ trip_id: 't', service_id: 's' }],
    'frequencies.txt': [
      {
        trip_id: 't',
        start_time: '78:00:00',
        end_time: '83:00:00',
        headway_secs: 3600,
        exact_times: 1,
      },
    ],
    'stop_times.txt': ['0:00:00', '0:30:00'].map((time, i) => ({
      trip_id: 't',
      stop_id: 'AB'[i],
      stop_sequence: i,
      arrival_time: time,
      departure_time: time,
    })),
  };
  const { feedDay } = await dayOf(tables, { date: '20260311' });
  expect(timesOf(feedDay)).toEqual(['A 8:00, B 8:30', 'A 9:00, B 9:30', 'A 10:00, B 10:30']);
});

test('a vehicle that began days before goes on with its trips of the same day', async () => {
  const { feedDay } = await read(
    [
      { calls: 'A 20:00, B 56:00', on: ['20260309'], block: 'b' },
      { calls: 'B 56:05, C 56:20', on: ['20260309'], block: 'b' },
      { calls: 'B 8:05, C 8:20', on: ['20260311'], block: 'b' },
    ],
    { date: '20260311' },
  );
  const [times] = [timesOf(feedDay)];
  expect(feedDay.continuations.map((pair) => pair.map((trip) => times[trip]))).toEqual([
    ['A -28:00, B 8:00', 'B 8:05, C 8:20'],
  ]);
});

test('a stop from which or to which no pathway leads is reported, if trips may be boarded or left there', async () => {
  const place = { stop_lat: 39, stop_lon: -76.6 };
  const platforms = ['in', 'out', 'both', 'last'];
  const tables: FeedTables = {
    'agency.txt': [AGENCY],
    'stops.txt': [
      { stop_id: 'station', ...place, location_type: 1 },
      { stop_id: 'door', ...place, location_type: 2, parent_station: 'station' },
      ...platforms.map((id) => ({ stop_id: id, ...place, parent_station: 'station' })),
    ],
    'pathways.txt': [
      { from_stop_id: 'door', to_stop_id: 'in', is_bidirectional: 0 },
      { from_stop_id: 'out', to_stop_id: 'door', is_bidirectional: 0 },
      { from_stop_id: 'last', to_stop_id: 'door', is_bidirectional: 0 },
      { from_stop_id: 'both', to_stop_id: 'door', is_bidirectional: '1.0' },
    ],
    'calendar_dates.txt': [exception('s', 20260311, 1)],
    'trips.txt': [{ trip_id: 't', service_id: 's' }],
    'stop_times.txt': platforms.map((id, i) => ({
      trip_id: 't',
      stop_id: id,
      stop_sequence: i,
      arrival_time: `8:0${i}:00`,
      departure_time: `8:0${i}:00`,
      pickup_type: id === 'last' ? 1 : 0,
    })),
  };
  const { facts } = await dayOf(tables, { date: '20260311' });
  expect(facts.problems).toEqual([
    {
      file: 'stops.txt',
      problem: 'no pathway from an entrance; nobody can board from the street (first at stop out)',
      rows: 1,
      first_line: 5,
    },
    {
      file: 'stops.txt',
      problem: 'no pathway to an entrance; nobody can leave to the street (first at stop in)',
      rows: 1,
      first_line: 4,
    },
  ]);
});

test('a call at a boarding area is at its platform, and one at a node without coordinates at its station', async () => {
  const place = { stop_lat: 39, stop_lon: -76.6 };
  const called = ['area', 'placed area', 'node', 'placed node', 'lost'];
  const tables: FeedTables = {
    'agency.txt': [AGENCY],
    'stops.txt': [
      { stop_id: 'station', ...place, location_type: 1 },
      { stop_id: 'platform', ...place, parent_station: 'station' },
      { stop_id: 'area', location_type: 4, parent_station: 'platform' },
      { stop_id: 'placed area', ...place, location_type: 4, parent_station: 'platform' },
      { stop_id: 'node', location_type: 3, parent_station: 'station' },
      { stop_id: 'placed node', ...place, location_type: 3, parent_station: 'station' },
      { stop_id: 'lost', location_type: 3, stop_lat: 'x', parent_station: '__proto__' },
    ],
    'calendar_dates.txt': [exception('s', 20260311, 1)],
    'trips.txt': [{ trip_id: 't', service_id: 's' }],
    'stop_times.txt': called.map((id, i) => ({
      trip_id: 't',
      stop_id: id,
      stop_sequence: i,
      arrival_time: `8:0${i}:00`,
      departure_time: `8:0${i}:00`,
    })),
  };
  const { feedDay, facts } = await dayOf(tables, { date: '20260311' });
  expect(timesOf(feedDay)).toEqual([
    'platform 8:00, platform 8:01, station 8:02, placed node 8:03',
  ]);
  const problems = facts.problems.map(({ problem, rows, first_line }) => [
    problem,
    rows,
    first_line,
  ]);
  expect(problems).toEqual([
    ['parent_station does not exist', 1, 8],
    ['at a boarding area or node; taken as at its platform or station', 3, 2],
    ['stop and station without coordinates; left out', 1, 6],
  ]);
});

test('a trip of the day alone is not one of the night before, nor the other way around', async () => {
  const { feedDay } = await read(
    [
      { calls: 'A 8:10, B 8:30', on: ['20260310'] },
      { calls: 'A 32:10, B 32:30', on: ['20260311'] },
    ],
    { date: '20260311' },
  );
  expect(timesOf(feedDay)).toEqual([]);
});

test('a feed is described by its file, its day, its usual days, and its trips by phone', async () => {
  const patterns = [{ days: 5, trips: 9 }] as unknown as FeedOfDay['patterns'];
  const trips = [
    { calls: 'A 8:00, B 8:10', byPhone: ['A'] },
    { calls: 'A 8:05, B 8:15' },
    { calls: 'A 8:05, B 8:25' },
  ];
  const { facts } = await read(trips, { date: '20260311', patterns });
  expect(facts).toMatchObject({
    file: 'feed',
    sha256: 'abc',
    time_zone: 'America/New_York',
    service_date: '2026-03-11',
    runs_on_common_day: true,
    weekday_patterns: patterns,
    trips_in_window: 3,
    trips_by_phone: 1,
    problems: [],
  });
  const other = await read(trips, { date: '20260311', common: '20260310' });
  expect(other.facts.runs_on_common_day).toBe(false);
});

test('stops that trips call at have the place and zone of their station, in the order of ids', async () => {
  const { feedDay } = await read(
    [{ calls: 'D 8:00, B 8:10, A 8:20' }, { calls: 'C 7:00, A 7:10' }],
    {
      date: '20260311',
      stops: { A: 0, B: 5_000, C: 9_000, D: 5_060, S: 5_030 },
      parents: { B: 'S', D: 'S' },
    },
  );
  const [a, b, d] = feedDay.stops;
  expect(feedDay.stops.map(({ id, name }) => `${id} ${name}`)).toEqual([
    'A Stop A',
    'B Stop B',
    'D Stop D',
  ]);
  expect(a.station).toEqual({ id: 'A', name: 'Stop A', lon: a.lon, lat: a.lat });
  expect(b.station).toEqual(d.station);
  expect(b.station).toEqual({
    id: 'S',
    name: 'Stop S',
    lon: -76.6,
    lat: expect.closeTo(39 + 5_030 / 111_195, 5),
  });
  expect([a, b, d].map(({ windowStart }) => windowStart)).toEqual([8, 8, 8].map((h) => h * HOUR));
});

test('a platform has the kind of rail that calls there, a subway before all others', async () => {
  const [subway, tram] = [1, 0];
  const byTypes = async (red: number, blue: number) => {
    const { feedDay } = await read(
      [{ calls: 'A 8:00, B 8:10' }, { calls: 'B 8:20, C 8:30', route: 'blue' }],
      { date: '20260311', types: { red, blue } },
    );
    return feedDay.stops.map(({ rails }) => rails);
  };
  expect(await byTypes(subway, tram)).toEqual(['subway', 'subway', 'tram']);
  expect(await byTypes(tram, subway)).toEqual(['tram', 'subway', 'subway']);
  expect(await byTypes(3, tram)).toEqual([null, 'tram', 'tram']);
  expect(await byTypes(subway, 3)).toEqual(['subway', 'subway', null]);
});

test('riders walk between the platforms of a station that trips call at', async () => {
  const { feedDay } = await read([{ calls: 'A 8:00, B 8:10' }, { calls: 'D 8:20, C 8:30' }], {
    date: '20260311',
    types: { red: 1 },
    stops: { A: 0, B: 5_000, C: 9_000, D: 5_080, E: 5_020, S: 5_030 },
    parents: { B: 'S', D: 'S', E: 'S' },
  });
  const ids = feedDay.stops.map(({ id }) => id);
  // 80 m are a minute on foot.
  expect(
    feedDay.insideWalks.map(({ from, to, time, lies }) => [
      ids[from],
      ids[to],
      Math.round(time / 1_000),
      lies,
    ]),
  ).toEqual([
    ['B', 'D', 60, 'off the street'],
    ['D', 'B', 60, 'off the street'],
  ]);
  for (const { time } of feedDay.insideWalks) expect(Number.isInteger(time)).toBe(true);
});

test('a trip may be boarded and left at each stop, unless its feed forbids it', async () => {
  const { feedDay } = await read(
    [{ calls: 'A 8:00, B 8:10, C 8:20', closed: ['B', 'C'], noExit: ['A', 'C'] }],
    { date: '20260311' },
  );
  expect(feedDay.trips[0].rules).toEqual([BOARD, ALIGHT, 0]);
});

test('trips that run at any time from the first window to the last ride are kept', async () => {
  const trips = ['A 7:50, B 8:00', 'A 7:49, B 7:59', 'A 10:00, B 10:30', 'A 10:01, B 10:30'];
  const { feedDay } = await read(
    trips.map((calls) => ({ calls })),
    { date: '20260311' },
  );
  expect(timesOf(feedDay)).toEqual([trips[0], trips[2]]);
});

test('a window opens at eight in the zone of the stop, and its times are those of the common clock', async () => {
  const { feedDay } = await read([{ calls: 'A 8:00, B 8:30' }], {
    date: '20260311',
    aheadOfUtc: SUMMER - 3600,
    zones: { B: 'America/Chicago' },
    earliest: 0,
  });
  // New York is an hour ahead of the clock, and Chicago is not.
  expect(timesOf(feedDay)).toEqual(['A 7:00, B 7:30']);
  expect(feedDay.stops.map(({ windowStart }) => windowStart / HOUR)).toEqual([7, 8]);
});

test('departures in the window at which a trip may be boarded are counted by line and direction', async () => {
  const { feedDay } = await read(
    [
      { calls: 'A 7:59, B 8:05, C 8:10' },
      { calls: 'A 8:00, B 8:59, C 9:10' },
      { calls: 'A 8:59, B 9:00, C 9:20' },
      { calls: 'A 8:30, B 8:31', route: 'blue' },
      { calls: 'C 8:00, B 8:10, A 8:20', closed: ['B'] },
    ],
    { date: '20260311' },
  );
  const counts = feedDay.departures.map((byLine) => [...byLine.values()].sort());
  // At A, two of the red line and one of the blue; the last stop of a trip has no departure.
  expect(counts).toEqual([[1, 2], [2], [1]]);
});

test('a line has the directions that its feed states, or else one to each terminus', async () => {
  const counts = async (...directions: readonly (0 | 1 | undefined)[]) => {
    const { feedDay } = await read(
      directions.map((direction, i) => ({
        calls: i % 2 === 0 ? 'A 8:00, B 8:10' : 'A 8:05, C 8:20',
        direction,
      })),
      { date: '20260311' },
    );
    return [...feedDay.departures[0].values()].sort();
  };
  expect(await counts(0, 0, 0, 0)).toEqual([4]);
  expect(await counts(0, 1, 0, 1)).toEqual([2, 2]);
  expect(await counts(0, 0, 1)).toEqual([1, 2]);
  expect(await counts(undefined, undefined, undefined)).toEqual([1, 2]);
});

test('riders who stay seated are at the next trip’s first stop when they get there, not before', async () => {
  const { feedDay } = await read(
    [
      { calls: 'A 8:00, B 8:10', block: '1' },
      { calls: 'B 8:05-8:12, C 8:30', block: '1' },
    ],
    { date: '20260311' },
  );
  const [first, next] = feedDay.trips.toSorted((a, b) => a.departures[0] - b.departures[0]);
  expect(feedDay.continuations).toHaveLength(1);
  expect(next.arrivals[0]).toBe(first.arrivals[1]);
  const later = await read(
    [
      { calls: 'A 8:00, B 8:10', block: '1' },
      { calls: 'B 8:11-8:12, C 8:30', block: '1' },
    ],
    { date: '20260311' },
  );
  const arrivals = later.feedDay.trips.map((trip) => (trip.arrivals[0] / MINUTE) % 60);
  expect(arrivals.sort((a, b) => a - b)).toEqual([0, 11]);
});

/** Pairs of trips between which riders stay seated, as in `t0, t1`. */
async function seated(trips: readonly Trip[], more: Omit<Day, 'date'> = {}) {
  const { feedDay, facts } = await read(trips, { date: '20260311', ...more });
  const names = feedDay.trips.map(({ stops, departures }) => {
    const at = trips.findIndex(({ calls }) => {
      const [stop, time] = calls.split(/[ ,]+/);
      const [hours, minutes] = time.split(':').map(Number);
      const leaves = (hours * 60 + minutes) * MINUTE;
      return feedDay.stops[stops[0]].id === stop && (departures[0] - leaves) % (24 * HOUR) === 0;
    });
    return `t${at}${departures[0] < 0 ? ' before' : ''}`;
  });
  const pairs = feedDay.continuations.map(([from, to]) => `${names[from]}, ${names[to]}`);
  return { pairs: pairs.sort(), problems: facts.problems };
}

const LINK = (from: number, to: number, type: 4 | 5): FeedRecord => ({
  from_trip_id: `t${from}`,
  to_trip_id: `t${to}`,
  transfer_type: type,
});

test('riders stay seated in the vehicle from trip to trip of its day, in the order in which it runs them', async () => {
  const trips = [
    { calls: 'B 8:20, A 8:30', block: '1' },
    { calls: 'A 8:00, B 8:10', block: '1' },
    { calls: 'A 8:40, C 8:50', block: '1' },
    { calls: 'B 8:11, C 8:19', block: '2' },
    { calls: 'B 8:12, C 8:19' },
  ];
  expect((await seated(trips)).pairs).toEqual(['t0, t2', 't1, t0']);
});

test('of trips that leave together, the one that ends first comes first', async () => {
  const trips = [
    { calls: 'B 8:10, C 8:20', block: '1' },
    { calls: 'D 8:10, B 8:10', block: '1' },
    { calls: 'A 8:00, B 8:10', block: '1' },
  ];
  const stops = { A: 0, B: 5_000, C: 9_000, D: 5_100 };
  expect((await seated(trips, { stops })).pairs).toEqual(['t1, t0', 't2, t1']);
  const reversed = [trips[1], trips[0], trips[2]];
  expect((await seated(reversed, { stops })).pairs).toEqual(['t0, t1', 't2, t0']);
});

test('trips without a block, or repeated by headway, keep no riders', async () => {
  const [before, after] = [{ calls: 'A 8:00, B 8:10' }, { calls: 'B 8:10, C 8:30' }];
  expect((await seated([before, after])).pairs).toEqual([]);
  const block = '1';
  const { feedDay } = await read(
    [
      { ...before, block, headway: 3_600 },
      { ...after, block },
    ],
    { date: '20260311' },
  );
  expect(feedDay.trips).toHaveLength(2);
  expect(feedDay.continuations).toEqual([]);
});

test('a vehicle of the night before is not that of the day', async () => {
  const on = ['20260310', '20260311'];
  const trips = [
    { calls: 'A 8:00, B 8:10', block: '1', on },
    { calls: 'B 32:15, C 32:20', block: '1', on: ['20260310'] },
  ];
  expect((await seated(trips)).pairs).toEqual([]);
});

test('riders stay seated between stops within 200 m or of one station, and no others', async () => {
  const trips = [
    { calls: 'A 8:00, B 8:10', block: '1' },
    { calls: 'D 8:10, C 8:30', block: '1' },
  ];
  const by = async (north: number, parents: Record<string, string> = {}) =>
    (await seated(trips, { stops: { A: 0, B: 5_000, C: 9_000, D: north, S: 5_000 }, parents }))
      .pairs;
  expect(await by(5_199)).toEqual(['t0, t1']);
  expect(await by(5_202)).toEqual([]);
  expect(await by(5_900, { B: 'S', D: 'S' })).toEqual(['t0, t1']);
});

test('transfers.txt forbids staying seated, or links trips, whatever the block', async () => {
  const trips = [
    { calls: 'A 8:00, B 8:10', block: '1' },
    { calls: 'B 8:10, C 8:30', block: '1' },
    { calls: 'C 8:15, A 8:40' },
  ];
  expect((await seated(trips)).pairs).toEqual(['t0, t1']);
  expect((await seated(trips, { transfers: [LINK(0, 1, 5)] })).pairs).toEqual([]);
  expect((await seated(trips, { transfers: [LINK(1, 0, 5)] })).pairs).toEqual(['t0, t1']);
  // The link counts in place of the block, at any distance.
  expect((await seated(trips, { transfers: [LINK(0, 2, 4)] })).pairs).toEqual(['t0, t2']);
  // A trip does not continue as one that leaves before it ends.
  expect((await seated(trips, { transfers: [LINK(1, 2, 4)] })).pairs).toEqual(['t0, t1']);
});

test('a linked trip continues as one of its own day, or of the next day if that one has left', async () => {
  const both = ['20260310', '20260311'];
  const transfers = [LINK(0, 1, 4)];
  const same = [
    { calls: 'A 8:00, B 8:10', on: both },
    { calls: 'B 8:20, C 34:30', on: both },
  ];
  expect((await seated(same, { transfers })).pairs).toEqual(['t0, t1']);
  const atOnce = [{ calls: 'A 8:00, B 8:10' }, { calls: 'B 8:10, C 8:30' }];
  expect((await seated(atOnce, { transfers })).pairs).toEqual(['t0, t1']);
  const night = [
    { calls: 'A 31:50, B 32:10', on: both },
    { calls: 'B 8:20, C 34:30', on: both },
  ];
  expect((await seated(night, { transfers })).pairs).toEqual(['t0, t1']);
});

test('a vehicle that is due elsewhere before it arrives keeps no riders, and is reported', async () => {
  const trips = [
    { calls: 'A 8:00, B 8:10', block: '1' },
    { calls: 'B 8:09, C 8:30', block: '1' },
  ];
  const { pairs, problems } = await seated(trips);
  expect(pairs).toEqual([]);
  expect(problems).toMatchObject([
    {
      file: 'trips.txt',
      problem: expect.stringContaining('no one stays seated'),
      rows: 1,
      first_line: 3,
    },
  ]);
  const onTime = [trips[0], { ...trips[1], calls: 'B 8:10, C 8:30' }];
  expect(await seated(onTime)).toEqual({ pairs: ['t0, t1'], problems: [] });
});
