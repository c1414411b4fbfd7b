import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FEED_LIMITS } from '../../builder/gtfs/limits.ts';
import {
  dateOf,
  dayNumber,
  dayOfMillis,
  isoDate,
  isTimeZone,
  isWeekday,
  offsetAtNoon,
  weekdayOf,
} from '../../builder/gtfs/service-time.ts';
import { codeOf, parseServiceDate, parseServiceTime } from '../../builder/gtfs/values.ts';
import { forAll } from '../support/for-all.ts';
import { gtfsTime } from './gtfs-text.ts';

const DAY_MS = 86_400_000;
const WEEK_SECONDS = 7 * 24 * 3600;

test('a time is the seconds since the service day began, up to a week', () =>
  forAll(300, fc.integer({ min: 0, max: WEEK_SECONDS + 7_200 }), (seconds) => {
    const read = seconds <= WEEK_SECONDS ? seconds : Number.NaN;
    expect(parseServiceTime(gtfsTime(seconds))).toBe(read);
    expect(parseServiceTime(gtfsTime(seconds).replace(/^0/, ''))).toBe(read);
  }));

test('the last time is the limit, and an empty time is null, unlike an invalid one', () => {
  expect(FEED_LIMITS.serviceTime).toBe(WEEK_SECONDS);
  expect(parseServiceTime('168:00:00')).toBe(WEEK_SECONDS);
  expect(parseServiceTime('168:00:01')).toBeNaN();
  expect(parseServiceTime('')).toBeNull();
});

test.each([
  '8',
  '8:00:',
  '8:0',
  '8:00:0',
  '13:00:00 PM',
  '0:30 AM',
  '8:00:00 XM',
  '8:0:00',
  '8:60:00',
  '8:00:60',
  '8:00:00 ',
  ' 8:00:00',
  '-8:00:00',
  '1000:00:00',
  ':00:00',
  '8:00:00x',
  'x',
  '8.00.00',
])('"%s" is no time', (text) => {
  expect(parseServiceTime(text)).toBeNaN();
});

test.each([
  ['8:05', 8 * 3600 + 300],
  ['25:05', 25 * 3600 + 300],
  ['08:05:07.0', 8 * 3600 + 307],
  ['8:05:07.9', 8 * 3600 + 307],
  ['8:05:07 AM', 8 * 3600 + 307],
  ['8:05 pm', 20 * 3600 + 300],
  ['12:05:00 AM', 300],
  ['12:05:00 p.m.', 12 * 3600 + 300],
])('"%s" has one meaning only', (text, seconds) => {
  expect(parseServiceTime(text)).toBe(seconds);
});

test.each([
  ['', ''],
  ['1', '1'],
  ['1.0', '1'],
  ['1.', '1'],
  ['01', '1'],
  ['10', '10'],
  ['true', '1'],
  ['FALSE', '0'],
  ['1.5', '1.5'],
  ['-1', '-1'],
  ['x1', 'x1'],
  ['yes', 'yes'],
])('the code "%s" is "%s"', (text, code) => {
  expect(codeOf(text)).toBe(code);
});

test('dates, days and weekdays are those of the calendar', () =>
  forAll(300, fc.integer({ min: -30_000, max: 80_000 }), (day) => {
    const date = new Date(day * DAY_MS);
    const iso = date.toISOString().slice(0, 10);
    const text = iso.replaceAll('-', '');
    expect([dateOf(day), isoDate(text), dayNumber(text)]).toEqual([text, iso, day]);
    expect(parseServiceDate(text)).toBe(text);
    expect(parseServiceDate(iso)).toBe(text);
    expect(parseServiceDate(iso.replaceAll('-', '/'))).toBe(text);
    expect(weekdayOf(day)).toBe((date.getUTCDay() + 6) % 7);
    expect(isWeekday(day)).toBe(date.getUTCDay() >= 1 && date.getUTCDay() <= 5);
    expect([0, DAY_MS - 1, DAY_MS].map((more) => dayOfMillis(day * DAY_MS + more))).toEqual([
      day,
      day,
      day + 1,
    ]);
  }));

test.each([
  '',
  '2026031',
  '202603111',
  '20260229',
  '20261301',
  '20260011',
  '20260300',
  '2026031x',
  'x20260311',
  ' 20260311',
  '2026-03/11',
  '2026-0311',
  '03/11/2026',
  '2026-3-11',
  '20260311.5',
])('"%s" is no date', (text) => {
  expect(parseServiceDate(text)).toBeNull();
});

test.each([
  ['America/New_York', '20260111', -5 * 3600],
  ['America/New_York', '20260711', -4 * 3600],
  // The clocks have changed by noon.
  ['America/New_York', '20260308', -4 * 3600],
  ['America/New_York', '20261101', -5 * 3600],
  ['America/New_York', '20260307', -5 * 3600],
  ['America/New_York', '20261031', -4 * 3600],
  ['America/Phoenix', '20260711', -7 * 3600],
  ['Pacific/Honolulu', '20260711', -10 * 3600],
  ['America/St_Johns', '20260711', -2.5 * 3600],
  ['Pacific/Auckland', '20260111', 13 * 3600],
  ['Pacific/Auckland', '20261231', 13 * 3600],
  ['Pacific/Pago_Pago', '20260101', -11 * 3600],
  ['UTC', '20240229', 0],
  // Before zones were whole minutes from each other.
  ['America/New_York', '18800101', -(4 * 3600 + 56 * 60 + 2)],
])('the clock of %s on %s is %d seconds ahead of UTC', (zone, date, seconds) => {
  expect(offsetAtNoon(zone, date)).toBe(seconds);
});

test('a time zone is recognised by its name', () => {
  for (const zone of ['America/New_York', 'UTC', 'Europe/Berlin']) {
    expect(isTimeZone(zone)).toBe(true);
  }
  for (const text of ['', 'New York', 'America/Nowhere']) expect(isTimeZone(text)).toBe(false);
});
