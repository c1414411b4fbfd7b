import { TENTHS } from '../matrix/row-codec.ts';
import type { Mode } from '../modes.ts';
import type { DestTypeId, Minutes, Tenths } from '../units.ts';

/** A number that every routed block of a release has. */
export type Measure =
  /** Tenths of a minute to the nearest POI of a type; 0 for beyond 30 minutes. */
  | { readonly kind: 'minutes'; readonly type: DestTypeId; readonly mode: Mode }
  /** How much of a weight, or how many POIs of a type, are within some minutes of the block. */
  | {
      readonly kind: 'count';
      readonly of: string;
      readonly minutes: Minutes;
      readonly mode: Mode;
    };

/** Stands for the value of a block that a release lacks, or that the mode was not routed from. */
export const UNKNOWN = -1;

/** Tenths that a time beyond 30 minutes counts as, so that no gain or loss is overstated. */
const BEYOND: Tenths = TENTHS.most;

/**
 * Sizes of changes: minutes of a time, percent of a count before. Smaller changes count as none.
 */
export const CHANGE_STEPS = [1, 2, 5, 10] as const;
const TENTHS_PER_MINUTE = 10;
const PERCENT = 100;

/** Returns a known value as it is summed: a time beyond 30 minutes as 30. */
export function summed(kind: Measure['kind'], value: number): number {
  return kind === 'minutes' && value === 0 ? BEYOND : value;
}

/**
 * Returns how many of `CHANGE_STEPS` a change reaches: positive for the better, a shorter time or a
 * higher count; negative for the worse; 0 for less than the first step. Any rise from a count of 0
 * reaches all. Both values must be known. Compares whole numbers, so that it is exact.
 */
export function stepsOf(kind: Measure['kind'], before: number, after: number): number {
  const isTime = kind === 'minutes';
  const gain = isTime ? summed(kind, before) - summed(kind, after) : after - before;
  if (gain === 0) return 0;
  const size = Math.abs(gain) * (isTime ? 1 : PERCENT);
  const perStep = isTime ? TENTHS_PER_MINUTE : before;
  let steps = 0;
  while (steps < CHANGE_STEPS.length && size >= CHANGE_STEPS[steps] * perStep) steps++;
  return gain > 0 ? steps : -steps;
}
