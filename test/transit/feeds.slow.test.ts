import { expect, test } from 'vitest';
import type { FeedFacts } from '../../shards/release/manifest.ts';
import { type AvenueTrip, avenueFeed } from './avenue.ts';
import { BusTown, busFeed, busLine, EIGHT, RIDE, STOPS, TIME } from './bus-town.ts';
import { AGENCY, exception, service } from './feed-records.ts';
import type { FeedRecord, FeedTables } from './gtfs-text.ts';

const town = new BusTown();

const days = (feeds: readonly FeedFacts[]) => feeds.map(({ service_date }) => service_date);

test('assumptions name each feed by file, feed id and agency, and the day it was read for', async () => {
  const early = busFeed({
    'calendar.txt': [service('daily', '1111100', 20260101, 20260331)],
    'feed_info.txt': [{ feed_publisher_name: 'Buses', feed_lang: 'en', feed_id: 'f-buses' }],
  });
  const late = busFeed({
    'agency.txt': [{ ...AGENCY, agency_name: 'Others' }],
    'calendar.txt': [service('daily', '1111100', 20270101, 20270331)],
    'feed_info.txt': [{ feed_publisher_name: 'Buses', feed_lang: 'en' }],
  });
  const files = [await town.write('with-id.zip', early), await town.write('no-id.zip', late)];
  const { assumptions, feeds } = await town.build(files);
  expect(assumptions.feeds).toEqual([
    {
      file: 'with-id.zip',
      feed_id: 'f-buses',
      agency: AGENCY.agency_name,
      service_date: feeds[0].service_date,
    },
    {
      file: 'no-id.zip',
      feed_id: null,
      agency: 'Others',
      service_date: feeds[1].service_date,
    },
  ]);
  expect(days(feeds).map((day) => day.slice(0, 4))).toEqual(['2026', '2027']);
});

test('a feed without any weekday of service is left out, with the rows that could not be used', async () => {
  const broken: Record<string, FeedTables> = {
    'weekends.zip': busFeed({ 'calendar.txt': [service('daily', '0000011', 20260101, 20261231)] }),
    'no-days.zip': busFeed({ 'calendar.txt': [service('daily', '0000000', 20260101, 20261231)] }),
    'other-service.zip': busFeed({}, busLine('unknown')),
    'removed.zip': busFeed({
      'calendar.txt': [service('daily', '1111111', 20260311, 20260311)],
      'calendar_dates.txt': [exception('daily', 20260311, 2)],
    }),
  };
  const good = await town.write('good.zip', busFeed());
  for (const [name, tables] of Object.entries(broken)) {
    const file = await town.write(name, tables);
    const { feeds, minutes, said } = await town.build([good, file]);
    expect(feeds.map((feed) => feed.file)).toEqual(['good.zip']);
    expect(minutes, name).toBe(TIME);
    expect(said).toContain(`WARNING: ${name}: left out: no trip runs on any weekday`);
    await expect(town.build([file]), name).rejects.toThrow(
      `no feed can be used; fix them, or build without transit, by tta build with --osm and --blocks, without --inputs and --gtfs: ${name}: no trip runs on any weekday`,
    );
  }
});

test('a feed whose dates cannot be used counts as lost', async () => {
  const endsFirst = busFeed({ 'calendar.txt': [service('daily', '1111100', 20261231, 20260101)] });
  const files = [await town.write('good.zip', busFeed()), await town.write('odd.zip', endsFirst)];
  await expect(town.build(files)).rejects.toThrow(
    '1 of 2 feeds cannot be read; fix or remove them, or allow it by --max-feeds-left-out 50: odd.zip: no trip runs on any weekday; calendar.txt: 1 × end_date before start_date',
  );
});

test('a feed with calendar_dates.txt alone runs on its dates', async () => {
  const { 'calendar.txt': _, ...tables } = busFeed();
  const dates = [20260307, 20260308, 20260310].map((date) => exception('daily', date, 1));
  const file = await town.write('dates.zip', { ...tables, 'calendar_dates.txt': dates });
  const { feeds, minutes } = await town.build([file]);
  expect(days(feeds)).toEqual(['2026-03-10']);
  expect(minutes).toBe(TIME);
  const { 'calendar.txt': __, ...neither } = tables;
  const bare = await town.write('bare.zip', neither);
  await expect(town.build([bare])).rejects.toThrow(/bare\.zip.*calendar/);
});

test('a feed is read alike from an archive or a folder, with a byte order mark, quoted, with any line ends', async () => {
  const tables = busFeed();
  const files = [
    await town.write('plain.zip', tables),
    await town.write('folder', tables),
    await town.write('nested.zip', tables, { inFolder: 'gtfs/2026' }),
    await town.write('marked.zip', tables, { bom: true, quoteAll: true }),
    await town.write('windows.zip', tables, { bom: true, lineEnd: '\r\n', openEnd: true }),
  ];
  for (const file of files) expect((await town.build([file])).minutes, file).toBe(TIME);
});

test('a build whose only feed lacks a file, or is not a feed, fails by name', async () => {
  const tables = busFeed();
  for (const name of ['agency.txt', 'stops.txt', 'trips.txt', 'stop_times.txt']) {
    const { [name]: _, ...rest } = tables;
    const file = await town.write(`without-${name}.zip`, rest);
    await expect(town.build([file])).rejects.toThrow(`without-${name}.zip: has no ${name}`);
  }
  await expect(town.build([town.path('nowhere.zip')])).rejects.toThrow(/nowhere\.zip/);
  const noZone = busFeed({ 'agency.txt': [{ ...AGENCY, agency_timezone: 'Mars/Olympus' }] });
  const file = await town.write('mars.zip', noZone);
  await expect(town.build([file])).rejects.toThrow(
    /mars\.zip: agency\.txt: line 2: .*"Mars\/Olympus"/,
  );
});

test('times are by the clock of each feed: seven in Chicago is eight in New York', async () => {
  const stops = { A: STOPS.A, M: 5_000, B: STOPS.B };
  const onward = (first: number) => busLine('daily', first, { M: 6, B: RIDE });
  const chicago = { 'agency.txt': [{ ...AGENCY, agency_timezone: 'America/Chicago' }] };
  const newYork = await town.write(
    'ny.zip',
    avenueFeed(stops, busLine('daily', EIGHT - 60, { A: 0, M: 5 })),
  );
  const sameZone = await town.write('same.zip', avenueFeed(stops, onward(EIGHT - 60)));
  const hourOff = await town.write('chicago.zip', avenueFeed(stops, onward(EIGHT - 120), chicago));
  expect((await town.build([newYork, sameZone])).minutes).toBe(TIME);
  expect((await town.build([newYork, hourOff])).minutes).toBe(TIME);
  // Alone, a feed of Chicago uses its own eight o'clock.
  const alone = await town.write('alone.zip', busFeed(chicago));
  const { minutes, feeds } = await town.build([alone]);
  expect([minutes, feeds[0].time_zone]).toEqual([TIME, 'America/Chicago']);
});

test.each([
  ['a stop', { stop_timezone: 'America/Chicago' }, {}],
  ['its station', { stop_timezone: 'Asia/Tokyo' }, { stop_timezone: 'America/Chicago' }],
])(
  'times are the feed’s, but eight o’clock is that of %s where its time zone differs',
  async (_, own, ofStation) => {
    const tables = busFeed({}, busLine('daily', EIGHT + 60));
    const stops = tables['stops.txt'].flatMap((stop) => [
      {
        ...stop,
        ...own,
        ...('stop_timezone' in ofStation && { parent_station: `S${stop.stop_id}` }),
      },
      { ...stop, ...ofStation, stop_id: `S${stop.stop_id}`, location_type: 1 },
    ]);
    const file = await town.write('own-zones.zip', { ...tables, 'stops.txt': stops });
    expect((await town.build([file])).minutes).toBe(TIME);
  },
);

test('an invalid time zone of a stop is reported, and that of the feed used', async () => {
  const tables = busFeed();
  const stops = tables['stops.txt'].map((stop) => ({ ...stop, stop_timezone: 'Mars/Olympus' }));
  const { minutes, feeds } = await town.build([
    await town.write('mars-stops.zip', { ...tables, 'stops.txt': stops }),
  ]);
  expect(minutes).toBe(TIME);
  expect(JSON.stringify(feeds[0].problems)).toContain('stop_timezone');
});

test('a feed of another season keeps its clock', async () => {
  const stops = { A: STOPS.A, M: 5_000, B: STOPS.B };
  const winter = avenueFeed(stops, busLine('daily', EIGHT - 60, { A: 0, M: 5 }), {
    'calendar.txt': [service('daily', '1111111', 20260105, 20260227)],
  });
  // Buses leave M from 8:06 to 9:06; six meet a bus that a rider departing after eight can catch.
  const summer = avenueFeed(stops, busLine('daily', EIGHT, { M: 6, B: RIDE }).slice(0, 7), {
    'calendar.txt': [service('daily', '1111111', 20250701, 20250731)],
  });
  const files = [await town.write('winter.zip', winter), await town.write('summer.zip', summer)];
  const { minutes, feeds } = await town.build(files);
  expect(days(feeds)).toEqual(['2026-01-12', '2025-07-24']);
  expect(minutes).toBe(TIME);
});

/** Three hours of buses, from an hour before the given hour of their service day on. */
const nightFeed = (hours: number, weekdays: string) =>
  busFeed(
    { 'calendar.txt': [service('night', weekdays, 20260101, 20261231)] },
    busLine('night', hours * 60 - 60),
  );

test('a trip at 32 o’clock runs at eight the next day, if its service runs on the day before', async () => {
  const others = { 'agency.txt': [{ ...AGENCY, agency_name: 'Others' }] };
  const other = await town.write('other.zip', busFeed(others, busLine('daily', 15 * 60)));
  const timeWith = async (name: string, tables: FeedTables) =>
    (await town.build([other, await town.write(name, tables)], '2026-03-11')).minutes;
  const everyDay = '1111100';
  expect(await timeWith('weekdays.zip', nightFeed(32, everyDay))).toBe(TIME);
  expect(await timeWith('today.zip', nightFeed(8, everyDay))).toBe(TIME);
  expect(await timeWith('tomorrow.zip', nightFeed(24 + 15, everyDay))).toBe(undefined);
  // The service runs today and not yesterday.
  expect(await timeWith('wednesdays.zip', nightFeed(32, '0010000'))).toBe(undefined);
  expect(await timeWith('both.zip', nightFeed(32, '0110000'))).toBe(TIME);
});

test('on days when the clocks change, so do the trips of the night before', async () => {
  const times = async (hours: number, date: string) => {
    const file = await town.write(`night-${hours}-${date}.zip`, nightFeed(hours, '1111111'));
    return (await town.build([file], date)).minutes;
  };
  // Sunday starts with a night of 23 hours: 31 o'clock of Saturday is 8 o'clock of Sunday.
  expect(await times(31, '2026-03-08')).toBe(TIME);
  expect(await times(33, '2026-11-01')).toBe(TIME);
  expect(await times(32, '2026-03-09')).toBe(TIME);
  expect(await times(32, '2026-03-07')).toBe(TIME);
});

test('invalid rows are counted, file by file, and the rest is used', async () => {
  const tables = busFeed();
  const orphan = { ...tables['stop_times.txt'][0], trip_id: 'nobody' };
  const astray = { ...tables['stop_times.txt'][0], stop_id: 'nowhere', stop_sequence: 9 };
  const odd: FeedTables = {
    ...tables,
    'stops.txt': [...tables['stops.txt'], { stop_id: 'C', stop_name: 'C' }],
    'stop_times.txt': [...tables['stop_times.txt'], orphan, orphan, orphan, astray, astray],
    'trips.txt': [...tables['trips.txt'], { route_id: 'R', service_id: 'never', trip_id: 'ghost' }],
    'calendar.txt': [...tables['calendar.txt'], service('bad', '1111111', 20261301, 20261231)],
    'calendar_dates.txt': [{ service_id: 'daily', date: 20260601, exception_type: 7 }],
    'transfers.txt': [{ from_stop_id: 'A', to_stop_id: 'nowhere', transfer_type: 2 }],
    'frequencies.txt': [
      { trip_id: 't0', start_time: '09:00:00', end_time: '08:00:00', headway_secs: 600 },
    ],
  };
  const { minutes, feeds, said } = await town.build([await town.write('odd.zip', odd)]);
  expect(minutes).toBe(TIME);
  const counted = feeds[0].problems.map(({ file, rows }) => `${file} ${rows}`).sort();
  expect(counted).toEqual([
    'calendar.txt 1',
    'calendar_dates.txt 1',
    'frequencies.txt 1',
    'stop_times.txt 2',
    'stop_times.txt 3',
    'stops.txt 1',
    'transfers.txt 1',
    'trips.txt 1',
    'trips.txt 1',
  ]);
  for (const { file, problem, rows } of feeds[0].problems) {
    const line = said
      .split('\n')
      .find((l) => l.includes(`${file}: ${rows}`) && l.includes(problem));
    expect(line, problem).toContain('odd.zip');
  }
});

test('blank times are filled in by straight distances, or by stated ones', async () => {
  const stops = { A: STOPS.A, M1: 3_000, M2: 4_000, B: STOPS.B, C: 20_000 };
  const calls = ['A', 'M1', 'M2', 'B', 'C'];
  const tables = (distances: readonly number[] | null) => {
    const trips = busLine().map(({ calls: [[, leaves]] }) => {
      return { calls: calls.map((stop, i) => [stop, leaves + 10 * i] as const) };
    });
    const feed = avenueFeed(stops, trips);
    const stopTimes = feed['stop_times.txt'].map((record): FeedRecord => {
      const place = calls.indexOf(String(record.stop_id));
      const blank: FeedRecord =
        place > 0 && place < 4 ? { arrival_time: '', departure_time: '' } : {};
      const distance: FeedRecord = distances ? { shape_dist_traveled: distances[place] } : {};
      return { ...record, ...blank, ...distance };
    });
    return { ...feed, 'stop_times.txt': stopTimes };
  };
  const timeWith = async (name: string, distances: readonly number[] | null) =>
    await town.minutes(name, tables(distances));
  // 40 minutes from A to C: by straight lines B is at 16.5, by distance at 40 · 5.2 / 16.
  const share = (STOPS.B - STOPS.A) / (20_000 - STOPS.A);
  expect(await timeWith('place.zip', null)).toBe(Math.ceil(5 + 40 * share + 2.5));
  expect(await timeWith('distance.zip', [0, 2, 3, 5.2, 16])).toBe(Math.ceil(5 + RIDE + 2.5));
});

test('a call that goes back in time is left out and reported; the other calls of its trip remain', async () => {
  const stops = { A: STOPS.A, M: 3_000, B: STOPS.B, C: 20_000 };
  /** Builds with trips that reach each stop the given minutes after they leave the first. */
  const built = async (name: string, after: readonly [stop: string, minutes: number][]) => {
    const trips = busLine().map(
      ({ calls: [[, leaves]] }): AvenueTrip => ({
        calls: after.map(([stop, minutes]) => [stop, leaves + minutes]),
      }),
    );
    const feed = avenueFeed(stops, trips);
    const { minutes, feeds } = await town.build([await town.write(name, feed)]);
    return { minutes, problems: feeds[0].problems };
  };
  const reported = (rows: number, first_line: number) => [
    {
      file: 'stop_times.txt',
      problem: 'goes back in time; the call is left out',
      rows,
      first_line,
    },
  ];
  const trips = busLine().length;
  // The second call is too early; then the last is; then the second is far too late, so that all
  // later ones would be too early.
  const early = await built('early.zip', [
    ['A', 0],
    ['M', -5],
    ['B', RIDE],
  ]);
  expect(early).toEqual({ minutes: TIME, problems: reported(trips, 3) });
  const last = await built('last.zip', [
    ['A', 0],
    ['B', RIDE],
    ['C', RIDE - 1],
  ]);
  expect(last).toEqual({ minutes: TIME, problems: reported(trips, 4) });
  const late = await built('late.zip', [
    ['A', 0],
    ['M', 600],
    ['B', RIDE],
    ['C', RIDE + 9],
  ]);
  expect(late).toEqual({ minutes: TIME, problems: reported(trips, 3) });
});
