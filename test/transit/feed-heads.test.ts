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
    'agency.txt': [AGENCY, other, { ...other, agency_timezone: 'America/Chicago' }],
  });
  expect([feed.agency, feed.timeZone]).toEqual(['A to B', 'America/New_York']);
  expect(problems).toEqual([
    'agency.txt 4: a different time zone; America/New_York is used for all',
  ]);
  const unnamed = await read({ 'agency.txt': [{ ...AGENCY, agency_name: '' }] });
  expect(unnamed.feed.agency).toBe('A');
});

test('a feed without an agency, or without a time zone, is refused', async () => {
  await expect(read({ 'agency.txt': [] })).rejects.toThrow('agency.txt lists no agency');
  await expect(
    read({ 'agency.txt': [{ ...AGENCY, agency_timezone: 'New York' }] }),
  ).rejects.toThrow('agency.txt: "New York" is not a time zone such as America/New_York');
});

test('the dates and the id of a feed are the first that it gives', async () => {
  expect((await read()).feed.info).toEqual({ feedId: null, firstDay: null, lastDay: null });
  const { feed, problems } = await read({
    'feed_info.txt': [
      { feed_start_date: 20260230, feed_end_date: '', feed_id: '' },
      { feed_start_date: 20260301, feed_end_date: 'soon', feed_id: 'ours' },
      { feed_start_date: 20260401, feed_end_date: 20260630, feed_id: 'theirs' },
      { feed_start_date: 'x', feed_end_date: 20260730 },
    ],
  });
  expect(feed.info).toEqual({
    feedId: 'ours',
    firstDay: day('2026-03-01'),
    lastDay: day('2026-06-30'),
  });
  expect(problems).toEqual([
    'feed_info.txt 2: no valid feed_start_date; left out',
    'feed_info.txt 3: no valid feed_end_date; left out',
  ]);
});

test('routes are on rails, on demand, or neither, by their basic or extended type', async () => {
  const kinds = {
    subway: [1, 12, 400, 401, 699],
    train: [2, 100, 199],
    tram: [0, '', 5, 900, 999],
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
      trip('t', { direction_id: 1, block_id: 'b' }),
      trip('u', { service_id: 'never' }),
      trip('t', { route_id: 'blue' }),
    ],
  });
  const plain = { route: 'red', direction: '', block: '', onDemand: false };
  expect([...feed.trips.values()]).toEqual([
    { ...plain, id: 't', service: 'daily', direction: '1', block: 'b', line: 2 },
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
