import { MINUTES } from '../../../shards/matrix/row-codec.ts';

/** Stands for no time within an hour; greater than every stored time. */
export const NEVER = MINUTES.most + 1;

/** Creates sums by minutes, up to and including `NEVER`, all 0. */
export function minuteSums(): Float64Array {
  return new Float64Array(NEVER + 1);
}

/** Replaces the sum at each minute with the prefix sum up to that minute, in place. */
export function cumulative(sums: Float64Array): Float64Array {
  for (let i = 1; i < sums.length; i++) sums[i] += sums[i - 1];
  return sums;
}
