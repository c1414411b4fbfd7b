import type { Minutes } from '../units.ts';

/** The width of a map's bands, and how many there are. */
export const BAND_MINUTES: Minutes = 5;
export const BANDS = 6;
/** The upper end of each. */
export const BAND_ENDS: readonly Minutes[] = Array.from(
  { length: BANDS },
  (_, i) => (i + 1) * BAND_MINUTES,
);
