import { MINUTES } from '../../../shards/matrix/row-codec.ts';

/** No time within an hour: later than all. */
export const NEVER = MINUTES.most + 1;

/** Sums by minutes, up to `NEVER`, all 0. */
export function minuteSums(): Float64Array {
  return new Float64Array(NEVER + 1);
}

/** Makes sums at each minute those up to it. */
export function cumulative(sums: Float64Array): Float64Array {
  for (let i = 1; i < sums.length; i++) sums[i] += sums[i - 1];
  return sums;
}
