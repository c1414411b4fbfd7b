import { expect, test } from 'vitest';
import { stationOf, timeZoneOf } from '../../builder/gtfs/feed.ts';
import { FeedReport } from '../../builder/gtfs/feed-report.ts';
import { type Pathway, readPathways } from '../../builder/gtfs/pathways.ts';
import { type FeedStop, readStops } from '../../builder/gtfs/stops.ts';
import { readTransfers } from '../../builder/gtfs/transfers.ts';
import { type FeedRecord, type FeedTables, feedSource } from './gtfs-text.ts';

/** Reads tables; problems are `file line: problem`, and their rows if there are several. */
async function read<T>(
  tables: FeedTables,
  by: (source: ReturnType<typeof feedSource>, report: FeedReport) => Promise<T>,
) {
  const report = new FeedReport();
  const found = await by(feedSource(tables), report);
  const problems = report.problems.map(
    ({ file, first_line, problem, rows }) =>
      `${file} ${first_line}: ${problem}${rows > 1 ? ` (${rows})` : ''}`,
  );
  return { found, problems };
}

const at = { stop_lat: 39, stop_lon: -76 };
const stopsOf = async (records: readonly FeedRecord[], levels: readonly FeedRecord[] = []) => {
  // Columns that no record has are absent.
  const tables = { 'stops.txt': records, ...(levels.length > 0 && { 'levels.txt': levels }) };
  const { found, problems } = await read(tables, readStops);
  return { stops: [...found.values()], problems };
};

test('a stop has its fields, and defaults where a feed leaves them out', async () => {
  const { stops, problems } = await stopsOf(
    [
      { stop_id: 'plain', ...at },
      { stop_id: 'station', ...at, location_type: 1, stop_timezone: 'America/Chicago' },
      {
        stop_id: 'full',
        stop_name: 'A name',
        stop_lat: -90,
        stop_lon: 180,
        location_type: 0,
        parent_station: 'station',
        stop_timezone: 'UTC',
        stop_access: 1,
        level_id: 'deep',
      },
      { stop_id: 'not direct', ...at, stop_access: 0, level_id: 'unknown' },
    ],
    [{ level_id: 'deep', level_index: -2.5 }],
  );
  const plain = {
    id: 'plain',
    name: 'plain',
    lat: 39,
    lon: -76,
    type: 0,
    parent: '',
    timeZone: null,
    isDirect: false,
    wheelchair: null,
    level: null,
  };
  expect(stops.map(({ line: _, ...stop }) => stop)).toEqual([
    plain,
    { ...plain, id: 'station', name: 'station', type: 1, timeZone: 'America/Chicago' },
    {
      id: 'full',
      name: 'A name',
      lat: -90,
      lon: 180,
      type: 0,
      parent: 'station',
      timeZone: 'UTC',
      isDirect: true,
      wheelchair: null,
      level: -2.5,
    },
    { ...plain, id: 'not direct', name: 'not direct' },
  ]);
  expect(problems).toEqual([]);
});

test('only nodes and boarding areas need no coordinates', async () => {
  const { stops, problems } = await stopsOf(
    [0, 1, 2, 3, 4].map((type) => ({ stop_id: `${type}`, location_type: type })),
  );
  expect(stops.map(({ id, lon, lat }) => [id, lon, lat])).toEqual([
    ['3', Number.NaN, Number.NaN],
    ['4', Number.NaN, Number.NaN],
  ]);
  expect(problems).toEqual(['stops.txt 2: no id or no valid coordinates; left out (3)']);
});

test.each<FeedRecord>([
  { stop_lat: 90.1, stop_lon: 0 },
  { stop_lat: -90.1, stop_lon: 0 },
  { stop_lat: 0, stop_lon: 180.1 },
  { stop_lat: 0, stop_lon: -180.1 },
  { stop_lat: 0, stop_lon: 0 },
  { stop_lat: 0, stop_lon: 0, location_type: 3 },
  { stop_lat: 'x', stop_lon: 0 },
  { stop_lat: 1, stop_lon: 'x' },
  { stop_lat: '', stop_lon: 1 },
  { stop_lat: 1, stop_lon: '' },
  { stop_id: '', ...at },
])('a stop is left out without an id or a place on earth: %j', async (record) => {
  const { stops, problems } = await stopsOf([{ stop_id: 'a', ...record }]);
  expect(stops).toEqual([]);
  expect(problems).toEqual(['stops.txt 2: no id or no valid coordinates; left out']);
});

test.each<FeedRecord>([
  { stop_lat: 0, stop_lon: 1 },
  { stop_lat: 1, stop_lon: 0 },
  { stop_lat: -90, stop_lon: -180 },
])('a place on the equator or the prime meridian is valid: %j', async (record) => {
  expect((await stopsOf([{ stop_id: 'a', ...record }])).problems).toEqual([]);
});

test('a second stop of an id, a missing station, and an invalid zone are reported, each by its line', async () => {
  const { stops, problems } = await stopsOf([
    { stop_id: 'a', ...at, stop_name: 'first' },
    { stop_id: 'a', ...at, stop_name: 'second', parent_station: 'none' },
    { stop_id: 'b', ...at, parent_station: 'later' },
    { stop_id: 'c', ...at, parent_station: 'none' },
    { stop_id: 'd', ...at, stop_timezone: 'Nowhere' },
    { stop_id: 'later', ...at, location_type: 1, stop_timezone: 'Nowhere' },
  ]);
  expect(stops.map(({ id, name, timeZone }) => [id, name, timeZone])).toEqual([
    ['a', 'first', null],
    ...['b', 'c', 'd', 'later'].map((id) => [id, id, null]),
  ]);
  expect(problems).toEqual([
    'stops.txt 3: duplicate stop_id; left out',
    "stops.txt 6: no valid stop_timezone; the feed's is used (2)",
    'stops.txt 5: parent_station does not exist',
  ]);
});

test('levels are up to a hundred above or below the street', async () => {
  const levels = [-100, 100, 0, -101, 101, '', 'x'].map((index, i) => ({
    level_id: `l${i}`,
    level_index: index,
  }));
  const { stops, problems } = await stopsOf(
    levels.map(({ level_id }, i) => ({ stop_id: `${i}`, ...at, level_id })),
    levels,
  );
  expect(stops.map(({ level }) => level)).toEqual([-100, 100, 0, null, null, null, null]);
  expect(problems).toEqual(['levels.txt 5: no id or no valid level_index; left out (4)']);
});

test('a stop belongs to its station, whose zone it has, and to nothing else', async () => {
  const { stops: list } = await stopsOf([
    { stop_id: 'station', ...at, location_type: 1, stop_timezone: 'UTC' },
    { stop_id: 'platform', ...at, parent_station: 'station', stop_timezone: 'Asia/Tokyo' },
    { stop_id: 'area', ...at, parent_station: 'platform', location_type: 4 },
    { stop_id: 'lost', ...at, parent_station: 'none', stop_timezone: 'Asia/Tokyo' },
  ]);
  const feed = {
    stops: new Map(list.map((stop) => [stop.id, stop])),
    timeZone: 'America/New_York',
  };
  expect(list.map((stop) => [stationOf(feed, stop).id, timeZoneOf(feed, stop)])).toEqual([
    ['station', 'UTC'],
    ['station', 'UTC'],
    ['area', 'America/New_York'],
    ['lost', 'Asia/Tokyo'],
  ]);
});

const transfersOf = async (records: readonly FeedRecord[]) => {
  const known = (...ids: string[]) => new Map(ids.map((id) => [id, {}]));
  const { found, problems } = await read({ 'transfers.txt': records }, (source, report) =>
    readTransfers(source, known('a', 'b'), known('t', 'u'), report),
  );
  return { ...found, problems };
};
const between = { from_stop_id: 'a', to_stop_id: 'b' };

test('a transfer between stops is usual, timed, of a minimum time, or never possible', async () => {
  const { betweenStops, betweenTrips, problems } = await transfersOf([
    { ...between, transfer_type: '' },
    { ...between, transfer_type: 0 },
    { ...between, transfer_type: 1, min_transfer_time: 60 },
    { ...between, transfer_type: 2, min_transfer_time: 90 },
    { ...between, transfer_type: 2, min_transfer_time: 0 },
    { ...between, transfer_type: 2, min_transfer_time: 1e9 },
    { from_stop_id: 'b', to_stop_id: 'b', transfer_type: 3 },
  ]);
  const usual = { from: 'a', to: 'b', kind: 'usual', minimum: 0 };
  expect(betweenStops).toEqual([
    usual,
    usual,
    { ...usual, kind: 'timed' },
    { ...usual, kind: 'minimum', minimum: 90 },
    { ...usual, kind: 'minimum', minimum: 0 },
    { ...usual, kind: 'minimum', minimum: 7 * 24 * 3600 },
    { from: 'b', to: 'b', kind: 'never', minimum: 0 },
  ]);
  expect([betweenTrips, problems]).toEqual([[], []]);
});

test('a transfer between trips states whether riders may stay seated, whatever its stops', async () => {
  const trips = { from_trip_id: 't', to_trip_id: 'u' };
  const { betweenStops, betweenTrips, problems } = await transfersOf([
    { ...trips, transfer_type: 4 },
    { ...trips, transfer_type: 5, from_stop_id: 'none' },
    { ...trips, transfer_type: 4, to_trip_id: 'none' },
    { ...trips, transfer_type: 5, from_trip_id: '' },
  ]);
  expect(betweenTrips).toEqual([
    { from: 't', to: 'u', mayStay: true },
    { from: 't', to: 'u', mayStay: false },
  ]);
  expect(betweenStops).toEqual([]);
  expect(problems).toEqual(['transfers.txt 4: trip missing from trips.txt; left out (2)']);
});

test('transfers that cannot be used are reported, each by its line', async () => {
  const { betweenStops, problems } = await transfersOf([
    { ...between, to_stop_id: 'none' },
    { ...between, from_stop_id: 'none' },
    { ...between, transfer_type: 6 },
    { ...between, transfer_type: 'toString' },
    { ...between, transfer_type: 2 },
    { ...between, transfer_type: 2, min_transfer_time: -1 },
    { ...between, transfer_type: 2, min_transfer_time: 'x' },
    { ...between, transfer_type: 2, min_transfer_time: '1e-400' },
    ...['from_trip_id', 'to_trip_id', 'from_route_id', 'to_route_id'].map((column) => ({
      ...between,
      [column]: 't',
    })),
  ]);
  expect(betweenStops).toEqual([]);
  expect(problems).toEqual([
    'transfers.txt 2: stop missing from stops.txt; left out (2)',
    'transfers.txt 4: no valid transfer_type; left out (2)',
    'transfers.txt 6: no valid min_transfer_time; left out (4)',
    'transfers.txt 10: for particular routes or trips only; not used (4)',
  ]);
});

/** Two places a hundredth of a degree of latitude apart, and others. */
const PLACES: readonly Partial<FeedStop>[] = [
  { id: 'a', lon: -76, lat: 39, level: -1 },
  { id: 'b', lon: -76, lat: 39.01, level: 2 },
  { id: 'node', lon: Number.NaN, lat: Number.NaN, type: 3 },
  { id: 'high', lon: -76, lat: 39, level: 3 },
  { id: 'of no level', lon: -76, lat: 39 },
  { id: 'area', lon: -76, lat: 39, type: 4, parent: 'platform' },
  { id: 'loose area', lon: -76, lat: 39, type: 4 },
  { id: 'entrance', lon: -76, lat: 39, type: 2, parent: 'platform' },
];
const pathwaysOf = async (records: readonly FeedRecord[]) => {
  const plain = {
    name: '',
    type: 0,
    parent: '',
    timeZone: null,
    isDirect: false,
    wheelchair: null,
    level: null,
  };
  const stops = new Map(
    PLACES.map((one) => [one.id!, { lon: 0, lat: 0, ...plain, ...one } as FeedStop]),
  );
  const { found, problems } = await read({ 'pathways.txt': records }, (source, report) =>
    readPathways(source, stops, report),
  );
  return { pathways: found, problems };
};
const way = (members: FeedRecord) => {
  return { from_stop_id: 'a', to_stop_id: 'b', is_bidirectional: 0, ...members };
};
const METRES = 0.01 * 111_195;
/** Seconds per metre, per level, and in a lift. */
const [WALK, LEVEL, LIFT] = [3.6 / 4.8, 30, 60];

test.each([
  ['its time', { traversal_time: 7, length: 100, stair_count: 3 }, 7],
  ['no time at all', { traversal_time: 0 }, 0],
  ['its length', { length: 130, pathway_mode: 1 }, 130 * WALK],
  ['its steps', { stair_count: 40 }, 30],
  ['its steps down', { stair_count: -40, pathway_mode: 2 }, 30],
  ['both', { length: 13, stair_count: 40 }, 13 * WALK + 30],
  ['its ends', {}, METRES * WALK],
  ['ends that are nowhere', { to_stop_id: 'node' }, 0],
  ['its ends and levels, by stairs', { pathway_mode: 2 }, METRES * WALK + 3 * LEVEL],
  ['its ends and levels, by escalator', { pathway_mode: 4 }, METRES * WALK + 3 * LEVEL],
  ['its length and a lift', { pathway_mode: 5, length: 13 }, 13 * WALK + LIFT],
  ['one level where one is unknown', { pathway_mode: 2, to_stop_id: 'node' }, LEVEL],
  ['one level where the other is', { pathway_mode: 4, from_stop_id: 'node' }, LEVEL],
  ['one level up', { pathway_mode: 2, from_stop_id: 'high', to_stop_id: 'of no level' }, LEVEL],
  ['one level down', { pathway_mode: 2, from_stop_id: 'of no level', to_stop_id: 'high' }, LEVEL],
] as const)('a pathway takes %s', async (_, members, seconds) => {
  const { pathways, problems } = await pathwaysOf([way(members)]);
  expect(problems).toEqual([]);
  expect(pathways).toHaveLength(1);
  // Within a fraction of a percent: the shape of the earth is tested elsewhere.
  expect(Math.abs(pathways[0].seconds - seconds)).toBeLessThanOrEqual(seconds / 500);
});

test('a pathway leads both ways if the feed states so, but never back through an exit gate', async () => {
  const { pathways, problems } = await pathwaysOf([
    way({ is_bidirectional: '1.0' }),
    way({ is_bidirectional: 0 }),
    way({ is_bidirectional: '' }),
    way({ is_bidirectional: '"1"' }),
    way({ is_bidirectional: 1, pathway_mode: 6 }),
    way({ is_bidirectional: 1, pathway_mode: 7 }),
  ]);
  expect(pathways.map(({ bothWays }) => bothWays)).toEqual([
    ...[true, false, false, false],
    ...[true, false],
  ]);
  expect(problems).toEqual(['pathways.txt 4: is_bidirectional neither 0 nor 1; taken as 0 (2)']);
});

test('a pathway to a boarding area leads to its platform', async () => {
  const ends = (from: string, to: string) => ({ from_stop_id: from, to_stop_id: to });
  const { pathways } = await pathwaysOf([
    ends('area', 'a'),
    ends('a', 'area'),
    ends('loose area', 'entrance'),
  ]);
  expect(pathways.map(({ from, to }: Pathway) => `${from}, ${to}`)).toEqual([
    'platform, a',
    'a, platform',
    'loose area, entrance',
  ]);
});

test('pathways of unknown stops, and those without a possible time, are reported', async () => {
  const { pathways, problems } = await pathwaysOf([
    way({ from_stop_id: 'none' }),
    way({ to_stop_id: 'none' }),
    way({ traversal_time: -1 }),
    way({ traversal_time: 7 * 24 * 3600 + 1 }),
    way({ length: 'x' }),
    way({ length: -1 }),
  ]);
  expect(pathways).toEqual([]);
  expect(problems).toEqual([
    'pathways.txt 2: stop missing from stops.txt; left out (2)',
    'pathways.txt 4: no valid time or length; left out (4)',
  ]);
  expect((await pathwaysOf([way({ traversal_time: 7 * 24 * 3600 })])).problems).toEqual([]);
});

test('each problem is noted once, with its number of rows and the first of them', () => {
  const report = new FeedReport();
  report.add('stops.txt', 3, 'lost');
  report.add('trips.txt', 9, 'lost');
  report.add('stops.txt', 7, 'lost');
  report.add('stops.txt', 8, 'late');
  const noted: string[] = [];
  report.noteProblems((line) => noted.push(line));
  expect(noted).toEqual([
    'stops.txt: 2 × lost (first in line 3)',
    'trips.txt: 1 × lost (first in line 9)',
    'stops.txt: 1 × late (first in line 8)',
  ]);
});
