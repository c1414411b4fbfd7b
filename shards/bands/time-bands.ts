import type { Minutes, Tenths } from '../units.ts';

/** Width of a map's time bands, and their number. */
const BAND_MINUTES: Minutes = 5;
export const BANDS = 6;
/** Upper bound of each band. */
export const BAND_ENDS: readonly Minutes[] = Array.from(
  { length: BANDS },
  (_, i) => (i + 1) * BAND_MINUTES,
);

/** Band of a block beyond the last band. */
export const BEYOND = BANDS + 1;
/** Band of an unrouted block, which has no link for the mode. */
export const UNROUTED = 0;

const TENTHS_PER_BAND: Tenths = BAND_MINUTES * 10;

/** Number of the band of a stored time, from 1; a bound belongs to the lower band. 0 stays 0. */
export function bandOf(time: Tenths): number {
  return Math.ceil(time / TENTHS_PER_BAND);
}
