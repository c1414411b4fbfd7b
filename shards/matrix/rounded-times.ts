import type { Millis, Minutes, Tenths } from '../units.ts';
import { MINUTES, TENTHS } from './row-codec.ts';

const MILLIS_PER_MINUTE = 60_000;
const MILLIS_PER_TENTH = MILLIS_PER_MINUTE / 10;

/** A time as rows to POIs have it: rounded once, to tenths of a minute, at least 1.0. */
export function toTenths(time: Millis): Tenths {
  return Math.max(TENTHS.least, Math.round(time / MILLIS_PER_TENTH));
}

/** The longest time that becomes so many tenths. */
export function longestInTenths(tenths: Tenths): Millis {
  return (tenths + 0.5) * MILLIS_PER_TENTH;
}

/** A time as rows between blocks have it: whole minutes, rounded up, at least 1. */
export function toMinutes(time: Millis): Minutes {
  return Math.max(MINUTES.least, Math.ceil(time / MILLIS_PER_MINUTE));
}

/** The longest time that becomes so many minutes. */
export function longestInMinutes(minutes: Minutes): Millis {
  return minutes * MILLIS_PER_MINUTE;
}
