import type { Minutes } from '../units.ts';

/** Width of a map's time bands, and their number. */
export const BAND_MINUTES: Minutes = 5;
export const BANDS = 6;
/** Upper bound of each band. */
export const BAND_ENDS: readonly Minutes[] = Array.from(
  { length: BANDS },
  (_, i) => (i + 1) * BAND_MINUTES,
);
