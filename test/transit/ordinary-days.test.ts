import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Calendar } from '../../builder/gtfs/calendar.ts';
import type { Feed } from '../../builder/gtfs/feed.ts';
import { FeedReport } from '../../builder/gtfs/feed-report.ts';
import { daysOfWeekend, nearestDay, ordinaryDays } from '../../builder/gtfs/ordinary-days.ts';
import { forAll } from '../support/for-all.ts';
import { exception } from './feed-records.ts';
import { feedSource } from './gtfs-text.ts';

const DAY_MS = 86_400_000;
/** A Monday. */
const MONDAY = Date.UTC(2026, 2, 2) / DAY_MS;
const asNumber = (day: number) =>
  Number(new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll('-', ''));

interface Claim {
  readonly firstDay?: number;
  readonly lastDay?: number;
  /** The day of the streets; by default the first. */
  readonly near?: number;
  /** Days on which a second timetable of the line overlaps the first. */
  readonly twice?: readonly [first: number, last: number];
}

/**
 * The days of a feed whose service on each day from `MONDAY` on is a letter: `a` has one trip, `b`
 * two, and so on, and `.` none.
 */
async function daysOf(letters: string, { firstDay, lastDay, near = 0, twice }: Claim = {}) {
  const services = [...new Set(letters)].filter((letter) => letter !== '.');
  const dates = [...letters].flatMap((letter, i) =>
    letter === '.' ? [] : [exception(letter, asNumber(MONDAY + i), 1)],
  );
  const versions = twice?.flatMap((day, i) => {
    const [first, last] = i === 0 ? [MONDAY - 30, twice[1] + MONDAY] : [day, 500];
    return [{ id: `version ${i}`, first, last }];
  });
  const calendar = await Calendar.read(
    feedSource({
      'calendar_dates.txt': dates,
      'calendar.txt': (versions ?? []).map(({ id, first, last }, i) => ({
        service_id: id,
        monday: 1,
        tuesday: 1,
        wednesday: 1,
        thursday: 1,
        friday: 1,
        start_date: asNumber(i === 0 ? first : MONDAY + twice![0]),
        end_date: asNumber(i === 0 ? last : MONDAY + last),
      })),
    }),
    new FeedReport(),
  );
  const trips = new Map(services.map((letter) => [letter, letter.charCodeAt(0) - 96]));
  const feed = {
    calendar,
    tripsOfService: trips,
    kindOfService: new Map(services.map((letter) => [letter, letter.charCodeAt(0)])),
    tripsOfRoutes: new Map([['line', new Map((versions ?? []).map(({ id }) => [id, 1]))]]),
    info: {
      feedId: null,
      firstDay: firstDay === undefined ? null : MONDAY + firstDay,
      lastDay: lastDay === undefined ? null : MONDAY + lastDay,
    },
  } as unknown as Feed;
  const { trips: byDay, ordinary, patterns, best } = ordinaryDays(feed, MONDAY + near);
  const places = (days: Iterable<number>) => [...days].map((day) => day - MONDAY);
  return {
    best,
    trips: [...byDay].map(([day, count]) => [day - MONDAY, count]),
    ordinary: places(ordinary).toSorted((a, b) => a - b),
    patterns: patterns.map(({ days, preferred, trips: count }) => ({
      days: places(days),
      preferred: places(preferred),
      trips: count,
    })),
  };
}

/** Weeks of which Monday to Friday have one service, and Saturday and Sunday another. */
const weeks = (count: number, week = 'cccccaa') => week.repeat(count);

test('the days of the most common service are ordinary, those in the middle of it preferred', async () => {
  const { trips, ordinary, patterns } = await daysOf(weeks(3));
  expect(trips).toHaveLength(21);
  expect(trips.slice(4, 6)).toEqual([
    [4, 3],
    [5, 1],
  ]);
  const weekdays = [0, 1, 2, 3, 4, 7, 8, 9, 10, 11, 14, 15, 16, 17, 18];
  expect(ordinary).toEqual(weekdays);
  expect(patterns).toEqual([{ days: weekdays, preferred: [7, 8, 9, 10, 11], trips: 3 }]);
});

test('other services are ordinary if some day has the same a week before and after', async () => {
  // Fridays have another service, and so do two of the Wednesdays.
  const { patterns, ordinary } = await daysOf(
    `ccdcbaa${weeks(1, 'ccdcbaa')}${weeks(2, 'ccccbaa')}`,
  );
  expect(patterns.map(({ trips, days }) => [trips, days])).toEqual([
    [3, [0, 1, 3, 7, 8, 10, 14, 15, 16, 17, 21, 22, 23, 24]],
    [2, [4, 11, 18, 25]],
  ]);
  expect(ordinary).not.toContain(2);
  // With a third such Wednesday, its service is ordinary, too.
  const third = await daysOf(weeks(3, 'ccdcbaa') + weeks(3, 'ccccbaa'));
  expect(third.patterns.map(({ trips }) => trips)).toEqual([3, 2, 4]);
});

test('the pattern with the most trips on all its days together is first, then the earlier', async () => {
  const more = await daysOf(weeks(3, 'ddeec..'));
  expect(more.patterns.map(({ trips }) => trips)).toEqual([5, 4, 3]);
  // Three days of five trips weigh more than four of three.
  const fewer = await daysOf(weeks(3, 'eceec..') + weeks(1, 'ccccc..'));
  expect(fewer.patterns.map(({ trips, days }) => [trips, days.length])).toEqual([
    [5, 9],
    [3, 11],
  ]);
  const earlier = await daysOf(`${weeks(1, 'd.c....')}`);
  expect(earlier.patterns.map(({ trips }) => trips)).toEqual([4]);
});

test('days with the few trips of a forgotten service are not ordinary, however many', async () => {
  const year = weeks(52, 'aaaaa..');
  const seasons = {
    'four weeks of one service': weeks(4, 'ttttt..'),
    'two weeks': weeks(2, 'ttttt..'),
    'services that change from day to day': 'qrstp..prqts..tqspr..sprqt..',
  };
  for (const [name, season] of Object.entries(seasons)) {
    for (const near of [0, 200]) {
      const { ordinary, best } = await daysOf(season + year, { near });
      expect(ordinary.length, name).toBeGreaterThan(0);
      for (const day of ordinary) expect(day, name).toBeLessThan(season.length);
      expect(best, name).toBeGreaterThanOrEqual(17);
    }
  }
  // A single day of extra service does not make all others extraordinary.
  const event = await daysOf(`${weeks(2, 'ccccc..')}cczcc..${weeks(2, 'ccccc..')}`);
  expect(event.patterns.map(({ trips }) => trips)).toEqual([3]);
  expect(event.best).toBe(3);
});

test('near the date of the streets, days with under half the trips of others are not ordinary', async () => {
  const letters = weeks(8, 'ttttt..') + weeks(30, 'ggggg..');
  const ordinary = async (near: number) =>
    (await daysOf(letters, { near })).patterns.map(({ trips }) => trips);
  expect(await ordinary(0)).toEqual([20]);
  // A low season of months is the service of its time.
  expect(await ordinary(200)).toContain(7);
  // Half of the trips are enough.
  const half = await daysOf(weeks(4, 'ttttt..') + weeks(4, 'jjjjj..') + weeks(4, 'iiiii..'));
  expect(half.patterns.map(({ trips }) => trips)).toEqual([20, 10]);
});

test('dates that a feed outlived do not bring back days with two timetables at once', async () => {
  // The two timetables overlap in the second and third week; the feed's own dates are long past.
  const letters = weeks(8, 'ccccc..');
  const claim = { firstDay: -500, lastDay: -400, twice: [7, 18] } as const;
  const { ordinary } = await daysOf(letters, claim);
  for (const day of ordinary) expect(day < 7 || day > 18).toBe(true);
});

test('days within a quarter of a year of the date of the streets decide which pattern is usual', async () => {
  const letters = weeks(10, 'ttttt..') + weeks(40, 'sssss..');
  const usual = async (near: number) => (await daysOf(letters, { near })).patterns[0].trips;
  expect(await usual(-100)).toBe(20);
  expect(await usual(0)).toBe(20);
  expect(await usual(100)).toBe(19);
  expect(await usual(1_000)).toBe(19);
});

test('a feed of one week has one ordinary pattern, though nothing recurs', async () => {
  const { patterns } = await daysOf('ccccb..');
  expect(patterns).toEqual([{ days: [0, 1, 2, 3], preferred: [0, 1, 2, 3], trips: 3 }]);
});

test('a weekday with the service of a weekend is not ordinary, unless most weekdays have it', async () => {
  // A Monday with a Sunday's service, in each of three weeks.
  const { ordinary } = await daysOf(weeks(3, 'accccba'));
  expect(ordinary).toEqual([1, 2, 3, 4, 8, 9, 10, 11, 15, 16, 17, 18]);
  // The same service every day.
  const daily = await daysOf(weeks(3, 'ccccccc'));
  expect(daily.ordinary).toHaveLength(15);
  // Half of the weekdays around have the weekend's service: as many as do not.
  const half = await daysOf('aabb.a.');
  expect(half.ordinary).toEqual([2, 3]);
  // A season with one service every day, and one without weekends after it.
  const season = await daysOf(weeks(3, 'ccccccc') + weeks(3, 'bbbbb..'));
  expect(season.ordinary).toHaveLength(30);
  expect((await daysOf('ccccbc.')).ordinary).toEqual([0, 1, 2, 3]);
  expect((await daysOf('cb....c')).ordinary).toEqual([1]);
  // Only a weekend within a week counts, before or after.
  expect((await daysOf('ccbb.c.')).ordinary).toEqual([2, 3]);
  expect((await daysOf('.....c.ccbb')).ordinary).toEqual([9, 10]);
  expect((await daysOf('ccbb........c.')).ordinary).toEqual([0, 1]);
});

test('days are chosen from all weekdays where none is without a weekend’s service', async () => {
  const { ordinary } = await daysOf('a.b.cabc');
  // Each weekday resembles the weekend or its Monday; none stands out.
  expect(ordinary.length).toBeGreaterThan(0);
  const only = await daysOf('a....a.');
  expect(only.ordinary).toEqual([0]);
});

test('a feed’s own dates limit its days, inclusive, unless no weekday is left', async () => {
  const three = weeks(3);
  expect((await daysOf(three, { firstDay: 8 })).ordinary).toEqual([
    8, 9, 10, 11, 14, 15, 16, 17, 18,
  ]);
  expect((await daysOf(three, { lastDay: 8 })).ordinary).toEqual([0, 1, 2, 3, 4, 7, 8]);
  expect((await daysOf(three, { firstDay: 5, lastDay: 6 })).ordinary).toHaveLength(15);
  expect((await daysOf(three, { firstDay: 21 })).ordinary).toHaveLength(15);
});

test('days on which two timetables overlap are not ordinary', async () => {
  const { ordinary } = await daysOf(weeks(3), { twice: [8, 15] });
  expect(ordinary).toEqual([0, 1, 2, 3, 4, 7, 16, 17, 18]);
});

test('a feed without weekdays has no ordinary day', async () => {
  expect(await daysOf('.....bb')).toMatchObject({ ordinary: [], patterns: [] });
  expect(await daysOf('')).toEqual({ best: 0, trips: [], ordinary: [], patterns: [] });
});

test('the nearest of some days is found, and of two equally near ones the earlier', () =>
  forAll(100, fc.uniqueArray(fc.nat(40), { minLength: 1 }), fc.nat(40), (days, to) => {
    const sorted = days.toSorted((a, b) => Math.abs(a - to) - Math.abs(b - to) || a - b);
    expect(
      nearestDay(
        days.toSorted((a, b) => a - b),
        to,
      ),
    ).toBe(sorted[0]);
  }));

test('of the Saturdays, those with two versions of a timetable are left out, if there are others', async () => {
  const version = (id: string, first: number, last: number) => ({
    service_id: id,
    saturday: 1,
    start_date: asNumber(MONDAY + first),
    end_date: asNumber(MONDAY + last),
  });
  const saturdays = async (last: number) => {
    const calendar = await Calendar.read(
      feedSource({ 'calendar.txt': [version('old', 0, 5), version('new', 5, last)] }),
      new FeedReport(),
    );
    const trips = new Map([
      ['old', 10],
      ['new', 10],
    ]);
    const feed = {
      calendar,
      tripsOfService: trips,
      kindOfService: trips,
      tripsOfRoutes: new Map([['line', trips]]),
      info: { feedId: null, firstDay: null, lastDay: null },
    } as unknown as Feed;
    const { patterns, best } = daysOfWeekend(ordinaryDays(feed, MONDAY), 5, MONDAY);
    return {
      best,
      patterns: patterns.map(({ days, trips }) => [days.map((d) => d - MONDAY), trips]),
    };
  };
  expect(await saturdays(12)).toEqual({ best: 10, patterns: [[[12], 10]] });
  expect(await saturdays(6)).toEqual({ best: 20, patterns: [[[5], 20]] });
});
