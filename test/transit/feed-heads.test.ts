import { readdir, readlink } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readFeed } from '../../builder/gtfs/feed.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { AGENCY, exception, service } from './feed-records.ts';
import { type FeedRecord, type FeedTables, writeFeed } from './gtfs-text.ts';

const folder = folderOfEachTest();
let feeds = 0;

const DAY_MS = 86_400_000;
const day = (iso: string) => Date.parse(iso) / DAY_MS;
const trip = (id: string, members: FeedRecord = {}) => ({
  trip_id: id,
  service_id: 'daily',
  route_id: 'red',
  ...members,
});
const TABLES: FeedTables = {
  'agency.txt': [AGENCY],
  'stops.txt': [{ stop_id: 'a', stop_lat: 39, stop_lon: -76 }],
  'trips.txt': [trip('t')],
  'stop_times.txt': [{ trip_id: 't' }],
  'calendar_dates.txt': [exception('daily', 20260311, 1)],
};

/** Reads a feed with these tables in place of the usual ones. */
async function read(tables: FeedTables = {}) {
  const file = await writeFeed(path.join(folder, `feed ${++feeds}`), { ...TABLES, ...tables });
  const feed = await readFeed(file);
  feed.source.close();
  const problems = feed.report.problems.map(
    ({ file, first_line, problem, rows }) =>
      `${file} ${first_line}: ${problem}${rows > 1 ? ` (${rows})` : ''}`,
  );
  return { feed, problems };
}

/** The error message for a feed without some files; null if it is read. */
async function without(...files: readonly string[]) {
  const left = Object.entries(TABLES).filter(([name]) => !files.includes(name));
  const file = await writeFeed(path.join(folder, `feed ${++feeds}`), Object.fromEntries(left));
  return readFeed(file).then(
    () => null,
    (error: Error) => error.message.replace(file, 'FEED'),
  );
}

test.each(['agency.txt', 'stops.txt', 'trips.txt', 'stop_times.txt'])(
  'a feed without %s is refused by name',
  async (file) => {
    expect(await without(file)).toBe(`FEED: has no ${file}; is it a complete GTFS feed?`);
  },
);

test.each([
  ['agency.txt', 'agency_timezone'],
  ['stops.txt', 'stop_id'],
  ['levels.txt', 'level_id'],
  ['levels.txt', 'level_index'],
  ['routes.txt', 'route_id'],
  ['trips.txt', 'trip_id'],
  ['trips.txt', 'service_id'],
  ['pathways.txt', 'from_stop_id'],
  ['pathways.txt', 'to_stop_id'],
  ['calendar.txt', 'service_id'],
  ['calendar.txt', 'start_date'],
  ['calendar.txt', 'end_date'],
  ['calendar_dates.txt', 'service_id'],
  ['calendar_dates.txt', 'date'],
  ['calendar_dates.txt', 'exception_type'],
])('a feed whose %s has no column %s is refused by the names of both', async (file, column) => {
  const columns =
    {
      'levels.txt': ['level_id', 'level_index'],
      'routes.txt': ['route_id'],
      'pathways.txt': ['from_stop_id', 'to_stop_id'],
      'calendar.txt': ['service_id', 'start_date', 'end_date'],
    }[file] ?? Object.keys(TABLES[file][0]);
  const record = Object.fromEntries(
    columns.map((name) => [name === column ? 'other' : name, 'x'] as const),
  );
  await expect(read({ [file]: [record] })).rejects.toThrow(
    `${file} has no column ${column}; is it a GTFS feed?`,
  );
});

test('a feed needs one of the two calendars', async () => {
  expect(await without('calendar_dates.txt')).toBe(
    'FEED: has neither calendar.txt nor calendar_dates.txt',
  );
  const { feed } = await read();
  expect(feed.calendar.has('daily')).toBe(true);
  const { 'calendar_dates.txt': _, ...others } = TABLES;
  const weekly = { 'calendar.txt': [service('daily', '1111100', 20260301, 20260331)] };
  const file = await writeFeed(path.join(folder, 'weekly'), { ...others, ...weekly });
  const { calendar, source } = await readFeed(file);
  source.close();
  expect(calendar.has('daily')).toBe(true);
});

test('a feed has the name of its first agency, or else its id; all agencies have its clock', async () => {
  const other = { ...AGENCY, agency_id: 'B', agency_name: 'B to C' };
  const { feed, problems } = await read({
    'agency.txt': [AGENCY, other, { ...other, agency_id: 'C', agency_timezone: 'America/Chicago' }],
  });
  expect([feed.agency, feed.timeZone]).toEqual(['A to B', 'America/New_York']);
  expect(problems).toEqual([
    'agency.txt 4: a different time zone; America/New_York is used for all',
  ]);
  const unnamed = await read({ 'agency.txt': [{ ...AGENCY, agency_name: '' }] });
  expect(unnamed.feed.agency).toBe('A');
  const blank = { ...AGENCY, agency_id: '', agency_name: '' };
  const { agencies } = (await read({ 'agency.txt': [AGENCY, blank] })).feed;
  expect([...agencies]).toEqual(['a to b']);
});

test('a feed without an agency, or without a time zone, is refused', async () => {
  await expect(read({ 'agency.txt': [] })).rejects.toThrow('agency.txt lists no agency');
  await expect(
    read({ 'agency.txt': [{ ...AGENCY, agency_timezone: 'New York' }] }),
  ).rejects.toThrow(
    'agency.txt: line 2: agency_timezone "New York" is not a time zone such as America/New_York',
  );
});

test('an agency without a time zone has that of the others, which is reported', async () => {
  const { feed, problems } = await read({
    'agency.txt': [
      { ...AGENCY, agency_timezone: '' },
      { ...AGENCY, agency_id: 'B', agency_timezone: 'Mars/Base' },
      { ...AGENCY, agency_id: 'C', agency_timezone: 'America/Chicago' },
      { ...AGENCY, agency_id: 'A', agency_timezone: 'America/Denver' },
    ],
  });
  expect([feed.agency, feed.timeZone]).toEqual(['A to B', 'America/Chicago']);
  expect(problems).toEqual([
    'agency.txt 5: duplicate agency_id; left out',
    'agency.txt 2: no valid agency_timezone; America/Chicago is used for all (2)',
  ]);
});

test('the dates and the id of a feed are those of the first row', async () => {
  expect((await read()).feed.info).toEqual({
    feedId: null,
    publisher: null,
    firstDay: null,
    lastDay: null,
  });
  const { feed, problems } = await read({
    'feed_info.txt': [
      {
        feed_publisher_name: 'City Hall',
        feed_start_date: '2026-03-01',
        feed_end_date: 'soon',
        feed_id: 'ours',
      },
      { feed_start_date: 20260401, feed_end_date: 20260630, feed_id: 'theirs' },
      { feed_start_date: 'x', feed_end_date: 20260730 },
    ],
  });
  expect(feed.info).toEqual({
    feedId: 'ours',
    publisher: 'City Hall',
    firstDay: day('2026-03-01'),
    lastDay: null,
  });
  expect(problems).toEqual([
    'feed_info.txt 2: no valid feed_end_date; left out',
    'feed_info.txt 3: another row than the first; left out (2)',
  ]);
});

test('of rows with one id the first is used, and the others are reported', async () => {
  const { feed, problems } = await read({
    'routes.txt': [
      { route_id: 'red', route_type: 1, route_short_name: 'Red' },
      { route_id: 'red', route_type: 3, route_short_name: 'Blue' },
    ],
    'levels.txt': [
      { level_id: 'L', level_index: -2 },
      { level_id: 'L', level_index: 1 },
      { level_id: '', level_index: 5 },
    ],
    'stops.txt': [
      { stop_id: 'a', stop_lat: 39, stop_lon: -76, level_id: 'L' },
      { stop_id: 'b', stop_lat: 39, stop_lon: -76 },
    ],
    'pathways.txt': [
      {
        pathway_id: 'p',
        from_stop_id: 'a',
        to_stop_id: 'b',
        is_bidirectional: 0,
        traversal_time: 60,
      },
      {
        pathway_id: 'p',
        from_stop_id: 'a',
        to_stop_id: 'b',
        is_bidirectional: 0,
        traversal_time: 20,
      },
    ],
    'frequencies.txt': [600, 60].map((headway_secs) => {
      return { trip_id: 't', start_time: '8:00:00', end_time: '9:00:00', headway_secs };
    }),
  });
  expect([feed.routeNames.get('red'), feed.railways.get('red')]).toEqual(['Red', 'subway']);
  expect(['a', 'b'].map((id) => feed.stops.get(id)!.level)).toEqual([-2, null]);
  expect(feed.pathways.map(({ seconds }) => seconds)).toEqual([60]);
  expect(feed.tripsOfService).toEqual(new Map([['daily', 6]]));
  expect(problems).toEqual([
    'levels.txt 3: duplicate level_id; left out',
    'levels.txt 4: no id or no valid level_index; left out',
    'routes.txt 3: duplicate route_id; left out',
    'frequencies.txt 3: duplicate start_time of a trip; left out',
    'pathways.txt 3: duplicate pathway_id; left out',
  ]);
});

test('values that are no code of theirs are reported, with their use', async () => {
  const { feed, problems } = await read({
    'routes.txt': ['', 'bus', -1, 5_000].map((route_type, i) => ({
      route_id: `r${i}`,
      route_type,
    })),
    'trips.txt': [
      trip('t', { route_id: 'r0', direction_id: '1.0' }),
      trip('u', { route_id: 'lost', direction_id: 'valueOf' }),
      trip('', { route_id: 'r1' }),
    ],
    'stops.txt': [
      { stop_id: 'a', stop_lat: 39, stop_lon: -76, location_type: '0.0', stop_access: '1.0' },
      { stop_id: 'b', stop_lat: 39, stop_lon: -76, location_type: 9 },
    ],
    'frequencies.txt': [
      {
        trip_id: 't',
        start_time: '8:00',
        end_time: '9:00',
        headway_secs: '600.0',
        exact_times: 'maybe',
      },
    ],
  });
  expect(feed.railways.size).toBe(0);
  expect(feed.trips.get('t')!.direction).toBe('1');
  expect(['a', 'b'].map((id) => feed.stops.get(id)!.type)).toEqual([0, 0]);
  expect(feed.stops.get('a')!.isDirect).toBe(true);
  expect(feed.frequencies.get('t')).toEqual([
    { start: 28_800, end: 32_400, headway: 600, exact: false },
  ]);
  expect(problems).toEqual([
    'stops.txt 3: unknown location_type; taken as 0, a stop',
    'routes.txt 2: no valid route_type; taken as 3, a bus (4)',
    'trips.txt 3: direction_id neither 0 nor 1; taken as another direction',
    'trips.txt 3: route missing from routes.txt; taken as a bus',
    'trips.txt 4: no trip_id; left out',
    'frequencies.txt 2: unknown exact_times; taken as 0, only the headway',
  ]);
});

test('routes are on rails, on demand, or neither, by their basic or extended type', async () => {
  const kinds = {
    subway: [1, 12, 400, 401, 699],
    train: [2, 100, 199],
    tram: [0, 5, 900, 999],
    none: [3, 4, 6, 7, 11, 13, 99, 200, 399, 700, 714, 715, 716, 899, 1000, 1499, 1500, 1599, 1600],
  };
  const types = Object.values(kinds).flat();
  const { feed, problems } = await read({
    'routes.txt': types.map((type) => ({ route_id: `r${type}`, route_type: type })),
    'trips.txt': types.map((type) => trip(`t${type}`, { route_id: `r${type}` })),
  });
  const onRails = Object.entries(kinds).flatMap(([kind, list]) =>
    kind === 'none' ? [] : list.map((type) => [`r${type}`, kind] as const),
  );
  expect(feed.railways).toEqual(new Map(onRails));
  const onDemand = [...feed.trips.values()].filter((one) => one.onDemand).map(({ id }) => id);
  expect(onDemand).toEqual(['t715', 't1500', 't1599']);
  const first = 2 + types.indexOf(715);
  expect(problems).toEqual([`trips.txt ${first}: on a demand-responsive route; left out (3)`]);
  expect(feed.tripsOfService).toEqual(new Map([['daily', types.length - 3]]));
});

test('a trip has its fields and its line in the file; a second trip of the same id is left out', async () => {
  const { feed, problems } = await read({
    'trips.txt': [
      trip('t', { direction_id: 1, block_id: 'b', shape_id: 's' }),
      trip('u', { service_id: 'never' }),
      trip('t', { route_id: 'blue' }),
    ],
  });
  const plain = {
    route: 'red',
    direction: '',
    block: '',
    shape: '',
    onDemand: false,
    wheelchair: null,
  };
  expect([...feed.trips.values()]).toEqual([
    { ...plain, id: 't', service: 'daily', direction: '1', block: 'b', shape: 's', line: 2 },
    { ...plain, id: 'u', service: 'never', line: 3 },
  ]);
  expect(problems).toEqual([
    'trips.txt 3: service missing from the calendar; never runs',
    'trips.txt 4: duplicate trip_id; left out',
  ]);
});

const tripsOf = (id: string, ...routes: readonly string[]) =>
  routes.map((route, i) => {
    const [route_id, direction_id = ''] = route.split(' ');
    return trip(`${id} ${i}`, { service_id: id, route_id, direction_id });
  });

test('trips are counted by service, and by route and service, with repetitions by headway', async () => {
  const often = { trip_id: 'a 0', start_time: '8:00:00', end_time: '9:00:00', headway_secs: 600 };
  const { feed } = await read({
    'trips.txt': [...tripsOf('a', 'red', 'red', 'blue'), ...tripsOf('b', 'blue')],
    'frequencies.txt': [often, { ...often, start_time: '9:00:00', end_time: '9:25:00' }],
  });
  // One trip runs six times in the hour, and three times in 25 minutes.
  expect(feed.tripsOfService).toEqual(
    new Map([
      ['a', 11],
      ['b', 1],
    ]),
  );
  expect(feed.tripsOfRoutes).toEqual(
    new Map([
      ['red', new Map([['a', 10]])],
      [
        'blue',
        new Map([
          ['a', 1],
          ['b', 1],
        ]),
      ],
    ]),
  );
});

test('services are of one kind if they have equally many trips of each route and direction', async () => {
  const { feed } = await read({
    'trips.txt': [
      ...tripsOf('a', 'red 0', 'red 1', 'blue'),
      ...tripsOf('alike', 'blue', 'red 1', 'red 0'),
      ...tripsOf('one way', 'red 0', 'red 0', 'blue'),
      ...tripsOf('other line', 'red 0', 'red 1', 'green'),
      ...tripsOf('more', 'red 0', 'red 1', 'blue', 'blue'),
      ...tripsOf('joined', 'red0', 'red1', 'blue'),
    ],
  });
  const { a, alike, ...others } = Object.fromEntries(feed.kindOfService);
  expect(alike).toBe(a);
  const kinds = [a, ...Object.values(others)];
  expect(new Set(kinds).size).toBe(5);
  for (const kind of kinds) expect(Number.isSafeInteger(kind) && kind >= 3).toBe(true);
});

test('an archive that cannot be used is closed', async () => {
  const file = await writeFeed(path.join(folder, 'feed.zip'), { ...TABLES, 'agency.txt': [] });
  await expect(readFeed(file)).rejects.toThrow('lists no agency');
  const descriptors = await readdir('/proc/self/fd');
  const open = await Promise.all(
    descriptors.map((one) => readlink(`/proc/self/fd/${one}`).catch(() => '')),
  );
  expect(open).not.toContain(file);
});
