import type { Millis, Seconds } from '../../shards/units.ts';

/**
 * Seconds on a service day, counted as in GTFS from noon minus twelve hours: from midnight, except
 * on the two days a year when the clocks change. Times over 86,400 are in the following night.
 */
export type ServiceSeconds = Seconds;

/** Writes a time of day as GTFS does: `25:10:00` is in the following night. */
export function clock(seconds: ServiceSeconds): string {
  const part = (value: number) => String(Math.floor(value)).padStart(2, '0');
  return `${part(seconds / 3600)}:${part((seconds / 60) % 60)}:${part(seconds % 60)}`;
}

/** A calendar day as `YYYYMMDD`, as in GTFS; sortable. */
export type ServiceDate = string;

/** A calendar day as the number of days since 1970-01-01. */
export type ServiceDay = number;

const MILLIS_PER_DAY = 86_400_000;

/** Returns the day of a timestamp, in UTC. */
export function dayOfMillis(millis: Millis): ServiceDay {
  return Math.floor(millis / MILLIS_PER_DAY);
}

export function dayNumber(date: ServiceDate): ServiceDay {
  const [year, month, day] = [date.slice(0, 4), date.slice(4, 6), date.slice(6, 8)].map(Number);
  return Date.UTC(year, month - 1, day) / MILLIS_PER_DAY;
}

export function dateOf(day: ServiceDay): ServiceDate {
  return new Date(day * MILLIS_PER_DAY).toISOString().slice(0, 10).replaceAll('-', '');
}

/** Returns the weekday of a day, from 0 for Monday to 6 for Sunday. */
export function weekdayOf(day: ServiceDay): number {
  return (((day + 3) % 7) + 7) % 7;
}

const WEEKDAYS = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ');
const SATURDAY = 5;

export function weekdayName(day: ServiceDay): string {
  return WEEKDAYS[weekdayOf(day)];
}

export function isWeekday(day: ServiceDay): boolean {
  return weekdayOf(day) < SATURDAY;
}

/** Whether a text names a time zone, such as America/New_York. */
export function isTimeZone(text: string): boolean {
  try {
    offsetAtNoon(text, '20200101');
    return true;
  } catch {
    return false;
  }
}

export function isoDate(date: ServiceDate): string {
  return `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6, 8)}`;
}

/**
 * Returns a zone's offset from UTC, in seconds, at noon UTC of a day. Throws if there is no such
 * zone.
 */
export function offsetAtNoon(timeZone: string, date: ServiceDate): number {
  const noonUtc = dayNumber(date) * MILLIS_PER_DAY + MILLIS_PER_DAY / 2;
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(noonUtc);
  const part = (type: string) => Number(parts.find((p) => p.type === type)?.value);
  const local = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  return (local - noonUtc) / 1000;
}
