import { copyFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { BuildError } from '../../builder/errors.ts';
import { silent } from '../../builder/progress.ts';
import { acceptFeeds, withoutLicence } from '../../builder/transit/accept-feeds.ts';
import { dateFeeds, outlineFeeds } from '../../builder/transit/date-feeds.ts';
import { EVERYWHERE } from '../../shards/geometry/wgs84.ts';
import type { LeftOutFeed } from '../../shards/release/manifest.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { AGENCY, service } from './feed-records.ts';
import { type FeedTables, gtfsTime, writeFeed } from './gtfs-text.ts';

const folder = folderOfEachTest();
/** Tuesday, 2026-02-17. */
const NEAR = 20_501;

interface Line {
  readonly agency?: string;
  readonly route?: string;
  /** Latitude of the first stop. */
  readonly south?: number;
  /** Number of stops. */
  readonly length?: number;
  readonly trips?: number;
  /** The beginning of all ids. */
  readonly id?: string;
  /** The beginning of the ids of trips, which are numbered. */
  readonly trip?: string;
  /** Seconds by which all trips are later. */
  readonly later?: number;
  readonly feedId?: string;
  readonly days?: string;
  readonly from?: number;
  readonly until?: number;
  readonly type?: number;
  /** Whether trips run from the last stop to the first. */
  readonly back?: boolean;
  /** Degrees by which all stops are elsewhere. */
  readonly moved?: number;
  /** Whether times between both ends are left blank. */
  readonly blank?: boolean;
  /** Whether riders may only board. */
  readonly boardOnly?: boolean;
  /** The days from and to which the feed states that it is valid. */
  readonly valid?: readonly [from: number, until: number];
}

/** The tables of a line, of four stops by default. */
function line(options: Line = {}): FeedTables {
  const { agency = 'City Lines', route = '1', south = 39, trips = 20, id = '', type = 3 } = options;
  const { length = 4, trip = `${id}T` } = options;
  const { later = 0, feedId, days = '1111100', from = 20260101, until = 20261231 } = options;
  const { moved = 0, blank = false, boardOnly = false, valid } = options;
  const stops = Array.from({ length }, (_, at) => `${id}S${at}`);
  const calls = options.back ? stops.toReversed() : stops;
  const runs = Array.from({ length: trips }, (_, i) => `${trip}${i}`);
  return {
    'agency.txt': [{ ...AGENCY, agency_name: agency }],
    'stops.txt': stops.map((stop, at) => ({
      stop_id: stop,
      stop_lat: south + 0.01 * at + moved,
      stop_lon: -76.5 - moved,
    })),
    'routes.txt': [{ route_id: `${id}R`, route_short_name: route, route_type: type }],
    'calendar.txt': [service(`${id}w`, days, from, until)],
    'trips.txt': runs.map((run) => ({ route_id: `${id}R`, service_id: `${id}w`, trip_id: run })),
    'stop_times.txt': runs.flatMap((run, i) =>
      calls.map((stop, at) => {
        const time = gtfsTime(8 * 3600 + i * 600 + at * 120 + later);
        const call = { trip_id: run, stop_id: stop, stop_sequence: at };
        const stated = blank && at > 0 && at < length - 1 ? '' : time;
        const times = { arrival_time: stated, departure_time: stated };
        return { ...call, ...times, drop_off_type: boardOnly ? 1 : 0 };
      }),
    ),
    ...((feedId || valid) && {
      'feed_info.txt': [
        {
          feed_id: feedId ?? '',
          feed_start_date: valid?.[0] ?? '',
          feed_end_date: valid?.[1] ?? '',
        },
      ],
    }),
  };
}

/** The tables of several lines in one feed. */
function together(...lines: readonly FeedTables[]): FeedTables {
  return Object.fromEntries(
    Object.keys(lines[0]).map((file) => [file, lines.flatMap((tables) => tables[file])]),
  );
}

async function written(feeds: Readonly<Record<string, FeedTables>>): Promise<string[]> {
  const files = Object.entries(feeds).map(([name, tables]) =>
    writeFeed(path.join(folder, name), tables),
  );
  return Promise.all(files);
}

/**
 * The feeds that are read, the routes that they are read without, and the reasons of the others.
 */
async function chosen(files: readonly string[], area = EVERYWHERE) {
  const { feeds, leftOut } = await dateFeeds(
    await outlineFeeds(files, { asked: null, near: NEAR }, area),
  );
  const without = feeds.filter((feed) => feed.without.length > 0);
  return {
    used: feeds.map(({ path: file }) => path.basename(file)),
    without: Object.fromEntries(
      without.map((feed) => [
        path.basename(feed.path),
        feed.without.map(([route]) => route).join(),
      ]),
    ),
    leftOut: Object.fromEntries(leftOut.map(({ file, reason }) => [file, reason])),
  };
}

test('of feeds with the same bytes one is read', async () => {
  const [one] = await written({ 'one.zip': line() });
  const twin = path.join(folder, 'twin.zip');
  await copyFile(one, twin);
  expect(await chosen([one, twin])).toEqual({
    used: ['one.zip'],
    without: {},
    leftOut: { 'twin.zip': 'is the same file as one.zip' },
  });
});

test('of copies and versions of a timetable one is read, whatever their ids and names', async () => {
  const files = await written({
    'one.zip': line(),
    'zipped-anew.zip': { ...line(), 'feed_info.txt': [{ feed_version: 'x' }] },
    'renumbered.zip': line({ id: 'new-' }),
    'later.zip': line({ later: 300 }),
    'cut.zip': line({ trips: 12 }),
  });
  const { used, leftOut } = await chosen(files);
  expect(used).toEqual(['one.zip']);
  expect(new Set(Object.values(leftOut))).toEqual(
    new Set(['its service is also in one.zip, which is read for 2026-02-17']),
  );
  expect(Object.keys(leftOut)).toHaveLength(4);
});

test('of copies that differ in wheelchairs, the one that states more is read, then the one that refuses more', async () => {
  const { 'trips.txt': trips, 'stops.txt': stops, ...others } = line();
  const stating = (ofTrips: readonly string[], ofStops: readonly string[]): FeedTables => ({
    ...others,
    'trips.txt': trips!.map((row, i) => ({ ...row, wheelchair_accessible: ofTrips[i] ?? '' })),
    'stops.txt': stops!.map((row, i) => ({ ...row, wheelchair_boarding: ofStops[i] ?? '' })),
  });
  const silentOne = stating([], []);
  const ofTrips = stating(['1', '1'], []);
  const ofStops = stating([], ['0', '1']);
  const refusing = stating(['2', '1'], []);
  for (const [less, more] of [
    [silentOne, ofTrips],
    [ofTrips, ofStops],
    [ofTrips, refusing],
  ]) {
    const files = await written({ 'less.zip': less, 'more.zip': more });
    for (const order of [files, files.toReversed()]) {
      const { used, leftOut } = await chosen(order);
      expect([used, Object.keys(leftOut)]).toEqual([['more.zip'], ['less.zip']]);
    }
  }
});

test('on a requested Sunday feeds are read with their service of Sundays, or left out', async () => {
  const sunday = NEAR + 5;
  const files = await written({
    'weekdays.zip': line(),
    'weekend.zip': line({ agency: 'Boats', south: 41, days: '0000011' }),
    'until-january.zip': line({ agency: 'Hills', south: 43, days: '1111111', until: 20260131 }),
  });
  const { feeds, leftOut, notes } = await dateFeeds(
    await outlineFeeds(files, { asked: sunday, near: sunday }),
  );
  expect(feeds.map((feed) => [path.basename(feed.path), feed.day])).toEqual([
    ['weekend.zip', '20260222'],
    ['until-january.zip', '20260125'],
  ]);
  expect(leftOut.map(({ file, reason }) => [file, reason])).toEqual([
    ['weekdays.zip', 'no trip runs on any Sunday'],
  ]);
  expect(notes).toEqual([
    `${files[1]} (Boats): service day 2026-02-22, 20 trips`,
    `WARNING: ${files[2]} (Hills) has no service on 2026-02-22; using the nearest day that has its regular service, 2026-01-25`,
    expect.stringContaining(`${files[2]} (Hills): service day 2026-01-25, 20 trips`),
  ]);
});

test('the routes that are read from another feed are named in the log', async () => {
  const files = await written({
    'region.zip': together(line({ id: 'a' }), line({ id: 'b', route: '2', south: 41 })),
    'city.zip': together(line({ id: 'c' }), line({ id: 'd', route: '3', south: 43 })),
  });
  const { notes } = await dateFeeds(await outlineFeeds(files, { asked: null, near: NEAR }));
  expect(notes).toContain(`${files[1]}: 1 route is read from region.zip, which has it, too: cR`);
});

test('feeds that share a feed_id, an agency, stops or routes alone are all read', async () => {
  const files = await written({
    'one.zip': line({ feedId: '1' }),
    'same-id.zip': line({ feedId: '1', agency: 'Others', south: 41 }),
    'same-agency-and-route.zip': line({ south: 43 }),
    'same-agency-and-stops.zip': line({ route: '2', id: 'two-', later: 60 }),
    'same-stops-and-route.zip': line({ agency: 'Joint Service' }),
    'other-half-of-the-departures.zip': line({ id: 'half-', later: 300 }),
    'supplement.zip': line({ id: 'school-', later: 120, trips: 3 }),
  });
  expect(await chosen(files)).toEqual({
    used: files.map((file) => path.basename(file)),
    without: {},
    leftOut: {},
  });
});

test('of two feeds with a route the one with more of it is read, in any order', async () => {
  const [short, long] = await written({
    'short.zip': line({ length: 3 }),
    'long.zip': line({ length: 4 }),
  });
  for (const files of [
    [short, long],
    [long, short],
  ]) {
    const { used, leftOut } = await chosen(files);
    expect(used).toEqual(['long.zip']);
    expect(leftOut).toEqual({
      'short.zip': 'its service is also in long.zip, which is read for 2026-02-17',
    });
  }
});

test('a route is not left out for one that is itself left out', async () => {
  const files = await written({
    'first.zip': line(),
    'second.zip': line({ south: 39.01 }),
    'third.zip': line({ south: 39.02 }),
  });
  expect((await chosen(files)).used).toEqual(['first.zip', 'third.zip']);
});

test('of a feed and its parts the whole is read, in any order, and of parts all', async () => {
  const lines = ['1', '2'].map((route) => line({ route, id: `${route}-`, south: 38 + +route }));
  const [whole, first, half] = await written({
    'whole.zip': together(...lines),
    'first.zip': line({ id: 'other-' }),
    'half.zip': line({ route: '2', id: 'x-', south: 40, trips: 6 }),
  });
  for (const files of [
    [whole, first, half],
    [half, first, whole],
    [first, whole, half],
  ]) {
    const { used, leftOut } = await chosen(files);
    expect(used).toEqual(['whole.zip']);
    expect(Object.keys(leftOut).sort()).toEqual(['first.zip', 'half.zip']);
  }
  expect((await chosen([half, first])).used).toEqual(['half.zip', 'first.zip']);
});

test('the two directions of a line are both read, even where trips meet', async () => {
  const files = await written({
    'there.zip': line({ feedId: 'city' }),
    'back.zip': line({ id: 'b-', back: true, feedId: 'city', from: 20260105 }),
  });
  expect((await chosen(files)).used).toEqual(['there.zip', 'back.zip']);
});

test('a few trips for schools never replace a timetable, nor it them', async () => {
  const school = { id: 'school-', trips: 2, later: 120 };
  for (const supplement of [
    { ...school, feedId: 'city', from: 20260105 },
    { ...school, feedId: 'city', from: 20260105, route: 'School 7' },
  ]) {
    const files = await written({
      'main.zip': line({ feedId: 'city' }),
      'school.zip': line(supplement),
    });
    expect((await chosen(files)).used).toEqual(['main.zip', 'school.zip']);
  }
  // The timetable has expired, and is read for its own days.
  const files = await written({
    'main.zip': line({ until: 20260131 }),
    'school.zip': line({ ...school, from: 20260201 }),
    'others.zip': line({ agency: 'Others', south: 45 }),
    'more.zip': line({ agency: 'More', south: 47 }),
  });
  expect(await chosen(files)).toMatchObject({ leftOut: {}, without: {} });
});

test('another route of the same name, or of another agency in a region, is not a version', async () => {
  const alpha = { agency: 'Alpha', id: 'a-' };
  const region = together(line(alpha), line({ agency: 'Beta', id: 'b-', south: 45, trips: 8 }));
  const files = await written({
    'region.zip': region,
    'alpha.zip': line({ agency: 'Alpha', later: 120, from: 20260201 }),
    'expired.zip': together(
      line({ ...alpha, id: 'c-', trips: 20, until: 20260131 }),
      line({ agency: 'Rural', route: '9', id: 'd-', south: 47, trips: 1, until: 20260131 }),
    ),
  });
  for (const tables of [files, files.toReversed()]) {
    const { used, without } = await chosen(tables);
    expect(used.toSorted()).toEqual(['alpha.zip', 'expired.zip', 'region.zip']);
    expect(without['expired.zip']).toBe('c-R');
  }
});

test('a version with other names of routes is known by the ids of its trips', async () => {
  const files = await written({
    'before.zip': line(),
    'after.zip': line({ route: 'Line 1', later: 300, from: 20260201 }),
  });
  expect((await chosen(files)).used).toEqual(['after.zip']);
});

test('copies of a feed have one say in the common day', async () => {
  const old = { until: 20260131, trips: 20 };
  const files = await written({
    'old.zip': line(old),
    'old-again.zip': line(old),
    'current.zip': line({ from: 20260201, later: 60 }),
  });
  const { clock } = await dateFeeds(await outlineFeeds(files, { asked: null, near: NEAR }));
  expect(clock.common).toBe('20260217');
});

test('a feed without service is lost if it is for want of legible dates', async () => {
  const weekend = service('w', '0000011', 20260101, 20261231);
  const files = await written({
    'good.zip': line(),
    'weekend.zip': { ...line({ agency: 'A' }), 'calendar.txt': [weekend] },
    'dates.zip': {
      ...line({ agency: 'B' }),
      'calendar.txt': [{ ...service('w', '1111111', 20260101, 20261231), start_date: '01/01/26' }],
    },
  });
  const { leftOut } = await outlineFeeds(files, { asked: null, near: NEAR });
  expect(leftOut.map(({ file, is_lost }) => [file, is_lost])).toEqual([
    ['weekend.zip', false],
    ['dates.zip', true],
  ]);
});

test('a requested day without any service is refused, with the nearest and what is left out', async () => {
  const page = path.join(folder, 'page.zip');
  await writeFile(page, '<!doctype html><title>Not found</title>');
  const files = [...(await written({ 'weekdays.zip': line({ days: '1111110' }) })), page];
  const sunday = NEAR + 5;
  const monday = NEAR - 22;
  const on = async (asked: number) => dateFeeds(await outlineFeeds(files, { asked, near: asked }));
  await expect(on(sunday)).rejects.toThrow(/no feed can be used.*no trip runs on any Sunday/);
  expect((await on(monday)).clock.common).toBe('20260126');
  await expect(on(NEAR + 700)).rejects.toThrow(
    /^no feed has service on 2028-01-18; the nearest day with service is 2026-12-31, of those from 2026-01-01 to 2026-12-31; left out: page\.zip: is a web page/,
  );
});

test('trips that are merely numbered alike are not the same', async () => {
  const files = await written({
    'a.zip': line({ trip: '' }),
    'b.zip': line({ trip: '', later: 300 }),
  });
  expect((await chosen(files)).used).toEqual(['a.zip', 'b.zip']);
});

test('routes that another feed has, too, are read once, and the rest of a feed stays', async () => {
  const [one, two, three] = ['1', '2', '3'].map((route) =>
    line({ route, id: `${route}-`, south: 40 + Number(route) }),
  );
  const files = await written({
    'region.zip': together(one, two),
    'city.zip': one,
    'mixed.zip': together(two, three),
  });
  expect(await chosen(files)).toEqual({
    used: ['region.zip', 'mixed.zip'],
    without: { 'mixed.zip': '2-R' },
    leftOut: { 'city.zip': 'its service is also in region.zip, which is read for 2026-02-17' },
  });
  // The first given of two feeds with a route has it.
  const [region, city, mixed] = files;
  expect(await chosen([mixed, city, region])).toMatchObject({
    used: ['mixed.zip', 'region.zip'],
    without: { 'region.zip': '2-R' },
    leftOut: { 'city.zip': expect.stringContaining('its service is also in region.zip') },
  });
});

test('of timetables for different times of the year, the one for the day of the streets is read', async () => {
  const winter = { from: 20251101, until: 20260331, trips: 5 };
  const summer = { from: 20260601, until: 20260930, trips: 16 };
  const files = await written({
    'summer.zip': line(summer),
    'winter.zip': line(winter),
    'all-year.zip': line({ agency: 'Others', south: 45 }),
  });
  const reason = 'its service is also in winter.zip, which is read for 2026-02-17';
  expect(await chosen(files)).toEqual({
    used: ['winter.zip', 'all-year.zip'],
    without: {},
    leftOut: { 'summer.zip': reason },
  });
  // New numbers for all routes, and a railway that only the feed for another time has.
  const railway = line({ ...summer, id: 'rail-', route: 'R', type: 2 });
  const renamed = await written({
    'winter.zip': line(winter),
    'renamed.zip': line({ ...summer, route: '100' }),
    'with-railway.zip': together(line({ ...summer, id: 'bus-' }), railway),
    'others.zip': line({ ...winter, agency: 'Others', south: 45 }),
    'more.zip': line({ ...winter, trips: 16, agency: 'More', south: 47 }),
  });
  expect(await chosen(renamed)).toMatchObject({
    used: ['winter.zip', 'with-railway.zip', 'others.zip', 'more.zip'],
    without: { 'with-railway.zip': 'bus-R' },
    leftOut: { 'renamed.zip': reason },
  });
});

test('copies are told by both ends of trips and the stops between them, to within some metres', async () => {
  for (const copy of [{ blank: true }, { moved: 0.0001 }, { moved: -0.00005 }]) {
    const feeds = { 'one.zip': line(), 'copy.zip': line({ ...copy, id: 'new-' }) };
    const [one, other] = await written(feeds);
    for (const files of [
      [one, other],
      [other, one],
    ]) {
      expect((await chosen(files)).used).toEqual([path.basename(files[0])]);
    }
  }
});

test('trips that differ in boarding, in kind or in their hours are no copies', async () => {
  const headway = (start: string, end: string, exact: 0 | 1): FeedTables => ({
    ...line({ trips: 1, id: `${start}-` }),
    'frequencies.txt': [
      {
        trip_id: `${start}-T0`,
        start_time: start,
        end_time: end,
        headway_secs: 1200,
        exact_times: exact,
      },
    ],
  });
  const pairs = [
    [line(), line({ boardOnly: true, id: 'new-' })],
    [line(), line({ type: 1, id: 'new-' })],
    [headway('06:00:00', '12:00:00', 1), headway('06:10:00', '12:10:00', 1)],
    [headway('06:00:00', '08:30:00', 0), headway('09:00:00', '12:00:00', 0)],
  ];
  for (const [one, other] of pairs) {
    const files = await written({ 'one.zip': one, 'other.zip': other });
    expect(await chosen(files)).toMatchObject({ used: ['one.zip', 'other.zip'], leftOut: {} });
  }
  const copies = {
    'one.zip': headway('06:00:00', '12:00:00', 0),
    'two.zip': headway('06:10:00', '12:10:00', 0),
  };
  expect((await chosen(await written(copies))).used).toEqual(['one.zip']);
});

test('trips of one id that leave at other times are other trips', async () => {
  const files = await written({
    'one.zip': line({ trip: 'weekday-' }),
    'more.zip': line({ trip: 'weekday-', later: 360 }),
  });
  expect((await chosen(files)).used).toEqual(['one.zip', 'more.zip']);
});

test('of two timetables the one that is valid near the day of the streets is read, whatever day others run', async () => {
  const earlier = { from: 20210101, until: 20211231 };
  const others = ['A', 'B', 'C'].map(
    (agency, i) => [`${agency}.zip`, line({ ...earlier, agency, south: 45 + i })] as const,
  );
  const files = await written({
    ...Object.fromEntries(others),
    'earlier.zip': line({ ...earlier, later: 240 }),
    'now.zip': line(),
  });
  expect((await chosen(files)).used).toEqual(['A.zip', 'B.zip', 'C.zip', 'now.zip']);
  // A feed that is valid from later on may list its first days of service.
  const next = await written({
    'next.zip': line({ from: 20260101, valid: [20260401, 20260930], later: 240, id: 'n-' }),
    'now.zip': line({ valid: [20251001, 20260430] }),
  });
  expect((await chosen(next)).used).toEqual(['now.zip']);
  // A feed that claims to be valid at a time without any service, or from its last day on, is
  // judged by its service.
  for (const valid of [
    [20210101, 20211231],
    [20260930, 20260101],
  ] as const) {
    const stale = await written({
      'now.zip': line({ from: 20260101, valid, later: 240, id: 'n-' }),
      'earlier.zip': line({ from: 20250101, until: 20251231 }),
    });
    expect((await chosen(stale)).used).toEqual(['now.zip']);
  }
});

test('a feed far from all blocks is left out', async () => {
  const files = await written({ 'here.zip': line(), 'there.zip': line({ south: -39 }) });
  const area = { minLon: -76.6, minLat: 39, maxLon: -76.4, maxLat: 39.1 };
  expect(await chosen(files, area)).toMatchObject({
    used: ['here.zip'],
    leftOut: {
      'there.zip': 'has no stop within 300 km of the blocks; check the coordinates of its stops',
    },
  });
});

test('a feed that cannot be read is left out with its reason, and others go on', async () => {
  const tables = line({ agency: 'Elsewhere', south: 33 });
  const files = await written({
    'good.zip': line(),
    'no-stops.zip': { ...tables, 'stops.txt': [] },
    'weekends.zip': { ...tables, 'calendar.txt': [service('w', '0000011', 20260101, 20261231)] },
    'zone.zip': { ...tables, 'agency.txt': [{ ...AGENCY, agency_timezone: 'Mars/Olympus' }] },
  });
  const page = path.join(folder, 'page.zip');
  await writeFile(page, '<!doctype html><title>Not found</title>');
  const shifted = await writeFeed(path.join(folder, 'shifted'), tables);
  const agencies = 'agency_name,agency_timezone\nA, B and C,America/New_York\n';
  await writeFile(path.join(shifted, 'agency.txt'), agencies);
  const { used, leftOut } = await chosen([...files, page, shifted]);
  expect(used).toEqual(['good.zip']);
  expect(leftOut).toMatchObject({
    'weekends.zip': 'no trip runs on any weekday',
    'zone.zip': expect.stringContaining('Mars/Olympus'),
    'page.zip': expect.stringContaining('is a web page, not a zip archive'),
    'no-stops.zip': expect.stringContaining('stops.txt'),
    shifted: expect.stringMatching(
      /agency.txt lists no agency; agency.txt: 1 × more values than there are columns .*line 2/,
    ),
  });
  for (const reason of Object.values(leftOut)) expect(reason).not.toContain(folder);
});

const leftOut = (count: number, isLost: boolean, trips: number | null = null): LeftOutFeed[] =>
  Array.from({ length: count }, (_, i) => {
    const facts = { sha256: 'abc', publisher: null, trips, reason: 'is broken', is_lost: isLost };
    return { file: `${isLost ? 'lost' : 'spare'}-${i}.zip`, ...facts };
  });
/** As many feeds that are read as `count`, none of which needs a warning. */
const used = (count: number) =>
  Array.from({ length: count }, () => ({
    trips: 100,
    facts: {
      file: 'good.zip',
      trips_in_window: 1,
      best_weekday_trips: 1,
      weekday_patterns: [{ date: '2026-03-03', weekdays: 1, trips: 1 }],
    },
  })) as unknown as Parameters<typeof acceptFeeds>[0];

test('a release that loses more than a fifth of its feeds is refused, with all reasons', () => {
  const accept = (lost: number, good: number, more: Parameters<typeof acceptFeeds>[2] = {}) =>
    acceptFeeds(used(good), [...leftOut(lost, true), ...leftOut(5, false)], more, silent);
  // Five of each ten feeds are spare: versions of others.
  accept(2, 3);
  expect(() => accept(3, 2)).toThrow(BuildError);
  expect(() => accept(3, 2)).toThrow(
    /^3 of 10 feeds cannot be read; fix or remove them, or allow it by --max-feeds-left-out 30: lost-0\.zip: is broken \| lost-1\.zip: is broken \| lost-2\.zip: is broken$/,
  );
  accept(3, 2, { maxFeedsLeftOut: 30 });
  expect(() => accept(1, 4, { maxFeedsLeftOut: 0 })).toThrow('1 of 10 feeds cannot be read');
  expect(() => accept(0, 0, { maxFeedsLeftOut: 100 })).toThrow('no feed can be used');
  // The share that is named is accepted.
  for (let lost = 22; lost < 95; lost++) {
    const all = () => acceptFeeds(used(100 - lost), leftOut(lost, true), {}, silent);
    expect(all).toThrow(`--max-feeds-left-out ${lost}:`);
    const tolerance = { maxFeedsLeftOut: lost };
    acceptFeeds(used(100 - lost), leftOut(lost, true), tolerance, silent);
  }
});

test('a release that loses more than a fifth of the trips is refused, however few its feeds', () => {
  // One of ten feeds, with 100 trips each, has as many trips as are given.
  const accept = (trips: number, maxFeedsLeftOut?: number) => {
    const feeds = [...leftOut(1, true, trips), ...leftOut(1, false, 10_000)];
    acceptFeeds(used(9), feeds, maxFeedsLeftOut === undefined ? {} : { maxFeedsLeftOut }, silent);
  };
  accept(225);
  expect(() => accept(226)).toThrow(
    '1 of 11 feeds cannot be read, with 226 of 1,126 trips; fix or remove them, or allow it by --max-feeds-left-out 21: lost-0.zip: is broken',
  );
  accept(226, 21);
  expect(() => accept(8_100, 89)).toThrow('with 8,100 of 9,000 trips; fix');
  accept(8_100, 90);
});

test('the trips of an unusable feed are counted wherever its trips.txt can be read', async () => {
  const tables = line();
  const noStops = { ...tables, 'stops.txt': [] };
  const files = await written({
    'no-stops.zip': noStops,
    'no-trip-id.zip': { ...noStops, 'trips.txt': [{ route_id: 'r', service_id: 's' }] },
    'weekends.zip': { ...tables, 'calendar.txt': [service('w', '0000011', 20260101, 20261231)] },
  });
  const page = path.join(folder, 'page.zip');
  await writeFile(page, '<!doctype html><title>Not found</title>');
  const { leftOut } = await outlineFeeds([...files, page], { asked: null, near: NEAR });
  expect(leftOut.map(({ file, trips }) => [file, trips])).toEqual([
    ['no-stops.zip', tables['trips.txt'].length],
    ['no-trip-id.zip', null],
    ['weekends.zip', tables['trips.txt'].length],
    ['page.zip', null],
  ]);
});

test('a strict build refuses feeds that are left out or empty in the window, naming each', () => {
  const strict = (feeds: readonly LeftOutFeed[]) =>
    acceptFeeds(used(9), feeds, { strictFeeds: true }, silent);
  strict([]);
  const both = [...leftOut(1, true), ...leftOut(1, false)];
  expect(() => strict(both)).toThrow(
    '2 of 11 feeds cannot be used; fix or remove them, or leave out --strict: lost-0.zip: is broken | spare-0.zip: is broken',
  );
  const night = used(1).map((feed) => {
    return { ...feed, facts: { ...feed.facts, file: 'night.zip', trips_in_window: 0 } };
  });
  expect(() => acceptFeeds(night, [], { strictFeeds: true }, silent)).toThrow(
    /^1 of 1 feed cannot be used; .*: night\.zip: none of its 1 trip/,
  );
});

test('feeds that are left out for want of a licence are named, and count neither as lost nor as unusable', () => {
  const unlicensed = Array.from({ length: 9 }, (_, i) =>
    withoutLicence(`in/${i}.zip`, 'abc', 'MTA'),
  );
  const said: string[] = [];
  const progress = { ...silent, note: (text: string) => said.push(text) };
  acceptFeeds(used(1), unlicensed, { strictFeeds: true, maxFeedsLeftOut: 0 }, progress);
  expect(said).toHaveLength(9);
  expect(said[8]).toBe('WARNING: 8.zip: left out: no licence of it is known');
  expect(unlicensed[8]).toMatchObject({ file: '8.zip', publisher: 'MTA', is_lost: false });
  expect(() => acceptFeeds([], unlicensed, {}, silent)).toThrow('no feed can be used');
  // One of four feeds is lost, however many others have no licence.
  expect(() => acceptFeeds(used(3), [...unlicensed, ...leftOut(1, true)], {}, silent)).toThrow(
    '1 of 4 feeds cannot be read; fix or remove them, or allow it by --max-feeds-left-out 25: ',
  );
});

test('feeds without trips in the window, or with few on their day, have a warning each', () => {
  const said: string[] = [];
  const read = [
    { file: 'night.zip', trips_in_window: 0, best_weekday_trips: 8, trips: 8 },
    { file: 'tail.zip', trips_in_window: 2, best_weekday_trips: 318, trips: 9 },
    { file: 'half.zip', trips_in_window: 2, best_weekday_trips: 18, trips: 9 },
  ].map(({ trips, ...feed }) => ({
    trips,
    facts: {
      ...feed,
      service_date: '2026-03-03',
      weekday_patterns: [{ date: '2026-03-03', weekdays: 1, trips }],
    },
  })) as unknown as Parameters<typeof acceptFeeds>[0];
  acceptFeeds(read, [], {}, { ...silent, note: (text) => said.push(text) });
  expect(said).toEqual([
    expect.stringMatching(
      /^WARNING: night\.zip: none of its 8 trips on 2026-03-03 runs in the window/,
    ),
    expect.stringMatching(/^WARNING: tail\.zip: .*9 trips .*2026-03-03, but 318 on its best days/),
  ]);
});
