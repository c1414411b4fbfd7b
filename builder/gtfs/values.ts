import { FEED_LIMITS } from './limits.ts';
import { dateOf, dayNumber, type ServiceDate, type ServiceSeconds } from './service-time.ts';

/**
 * Readers of single values, as GTFS writes them and as other programs do where only one meaning is
 * possible: numbers with decimals, as statistics packages write whole ones, truth values as words,
 * dates with separators, and times without seconds.
 */

const CODES: ReadonlyMap<string, string> = new Map([
  ['true', '1'],
  ['false', '0'],
]);

/**
 * Returns a code of an enumeration without decimals or leading zeros: `1` for `1.0`, `01` and
 * `true`. Other texts are returned as they are.
 */
export function codeOf(text: string): string {
  if (text.length <= 1) return text;
  if (/^\d+(\.0*)?$/.test(text)) return String(Number(text));
  return CODES.get(text.toLowerCase()) ?? text;
}

/**
 * A feed's statement on wheelchairs: of a trip, whether its vehicle has room for one; of a stop,
 * whether vehicles are boarded there in one; of an entrance, whether a way without steps leads from
 * it to the platforms. Null if it states nothing.
 */
export type WheelchairAccess = 'yes' | 'no' | null;

const STATED: Readonly<Record<string, WheelchairAccess>> = { 1: 'yes', 2: 'no' };

/** Parses `wheelchair_boarding` or `wheelchair_accessible`; any unknown code states nothing. */
export function wheelchairAccessOf(code: string): WheelchairAccess {
  return STATED[codeOf(code)] ?? null;
}

const DATE = /^(\d{4})([-/]?)(\d{2})\2(\d{2})(?:\.0*)?$/;

/** Reads a date such as `20231001`, `2023-10-01` or `2023/10/01`; null for anything else. */
export function parseServiceDate(text: string): ServiceDate | null {
  const match = DATE.exec(text);
  if (!match) return null;
  const date = `${match[1]}${match[3]}${match[4]}`;
  return dateOf(dayNumber(date)) === date ? date : null;
}

const TIME = /^(\d{1,3}):([0-5]\d)(?::([0-5]\d)(?:\.\d*)?)?(?: ?([ap])\.?m\.?)?$/i;
const HOURS_OF_HALF_DAY = 12;

/**
 * Reads a time such as `8:05:00`, `08:05`, `08:05:00.0` or `8:05:00 AM`, without fractions of a
 * second; `null` for an empty field, `NaN` for anything else, including times that are too late.
 */
export function parseServiceTime(text: string): ServiceSeconds | null {
  if (text === '') return null;
  const match = TIME.exec(text);
  if (!match) return Number.NaN;
  const [, hours, minutes, seconds = '0', half] = match;
  let hour = Number(hours);
  if (half !== undefined) {
    if (hour < 1 || hour > HOURS_OF_HALF_DAY) return Number.NaN;
    hour = (hour % HOURS_OF_HALF_DAY) + (half.toLowerCase() === 'p' ? HOURS_OF_HALF_DAY : 0);
  }
  const time = hour * 3600 + Number(minutes) * 60 + Number(seconds);
  return time <= FEED_LIMITS.serviceTime ? time : Number.NaN;
}
