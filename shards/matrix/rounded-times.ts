import type { Millis, Minutes, Tenths } from '../units.ts';
import { MINUTES, TENTHS } from './row-codec.ts';

const MILLIS_PER_MINUTE = 60_000;
const MILLIS_PER_TENTH = MILLIS_PER_MINUTE / 10;

/** Rounds a time once, to tenths of a minute, at least 1.0, as rows to POIs store it. */
export function toTenths(time: Millis): Tenths {
  return Math.max(TENTHS.least, Math.round(time / MILLIS_PER_TENTH));
}

/** Upper bound, exclusive, of the times that become the given number of tenths. */
export function endOfTenths(tenths: Tenths): Millis {
  return (tenths + 0.5) * MILLIS_PER_TENTH;
}

/** Rounds a time up to whole minutes, at least 1, as rows between blocks store it. */
export function toMinutes(time: Millis): Minutes {
  return Math.max(MINUTES.least, Math.ceil(time / MILLIS_PER_MINUTE));
}

/** Longest time that becomes the given number of minutes. */
export function longestInMinutes(minutes: Minutes): Millis {
  return minutes * MILLIS_PER_MINUTE;
}
