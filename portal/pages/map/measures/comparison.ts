import { alignedTo } from './block-classes.ts';
import type { Reach } from './reach.ts';

/** Differences of up to this many minutes count as none. */
export const DEAD_BAND_MINUTES = 2;
/** A difference of more than this many minutes is large. */
export const LARGE_MINUTES = 10;

/** Minutes to the blocks of two reaches, A and B; `LACKING` for a block that one does not reach. */
export interface Comparison {
  readonly geoids: Float64Array;
  readonly a: Uint8Array;
  readonly b: Uint8Array;
}

export function comparisonOf(a: Reach, b: Reach): Comparison {
  const geoids = Float64Array.from(new Set([...a.geoids, ...b.geoids])).sort();
  const [inA, inB] = [a, b].map((one) => alignedTo(geoids, one.geoids, one.minutes));
  return { geoids, a: inA, b: inB };
}

export function laterOf({ a, b }: Comparison): Uint8Array {
  return a.map((minutes, i) => Math.max(minutes, b[i]));
}

export function soonerOf({ a, b }: Comparison): Uint8Array {
  return a.map((minutes, i) => Math.min(minutes, b[i]));
}

/** Sums of a weight by how B differs from A within some minutes, beyond the dead band. */
interface Changes {
  /** Sum of the blocks that B reaches sooner, or that only B reaches. */
  readonly gain: number;
  readonly alike: number;
  /** Sum of the blocks that B reaches later, or that only A reaches. */
  readonly lose: number;
}

export function changesOf(
  comparison: Comparison,
  weights: ArrayLike<number>,
  within: number,
): Changes {
  const [gain, alike, lose] = differenceClasses(comparison, within).reduce(
    (sums, one, i) => {
      if (one === 0) return sums;
      sums[one > ALIKE ? 0 : one === ALIKE ? 1 : 2] += weights[i];
      return sums;
    },
    [0, 0, 0],
  );
  return { gain, alike, lose };
}

const ALIKE = 4;

/**
 * Classes of the difference among the blocks that either reaches within some minutes: 1 only A, 2 A
 * much sooner, 3 A sooner, 4 alike, 5 B sooner, 6 B much sooner, 7 only B; 0 for all other blocks.
 */
export function differenceClasses({ a, b }: Comparison, within: number): Uint8Array {
  return a.map((minutes, i) => {
    const [hasA, hasB] = [minutes <= within, b[i] <= within];
    if (!hasA && !hasB) return 0;
    if (!hasB) return 1;
    if (!hasA) return 7;
    const later = b[i] - minutes;
    const size = Math.abs(later);
    if (size <= DEAD_BAND_MINUTES) return ALIKE;
    const step = size > LARGE_MINUTES ? 2 : 1;
    return later > 0 ? ALIKE - step : ALIKE + step;
  });
}
