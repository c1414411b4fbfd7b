import type { Minutes } from '../../../shards/units.ts';

/** A pair of points, and the results of two engines, or of two sets of rules, for it. */
export interface Pair {
  readonly origin: number;
  readonly target: number;
  readonly ours: Minutes;
  readonly theirs: Minutes;
}

type Rows = readonly (readonly Minutes[])[];

/**
 * Returns the pairs that either engine reaches within `capped` minutes, except from a point to
 * itself.
 */
export function pairsOf(ours: Rows, theirs: Rows, capped: Minutes, isSame: IsSame): Pair[] {
  return ours.flatMap((row, origin) =>
    row
      .map((own, target) => ({ origin, target, ours: own, theirs: theirs[origin][target] }))
      .filter((pair) => Math.min(pair.ours, pair.theirs) <= capped && !isSame(origin, pair.target)),
  );
}

/** Whether an origin is the same point as a target. */
export type IsSame = (origin: number, target: number) => boolean;

/** Whether two results are apart by at most a part of the second, or some minutes. */
export function agrees({ ours, theirs }: Pair, part: number, minutes: Minutes): boolean {
  const apart = Math.abs(ours - theirs);
  // Two infinities would otherwise agree: a tenth of infinity is infinite.
  return Number.isFinite(apart) && (apart <= minutes || apart <= part * theirs);
}

/**
 * Splits transit trips into rides and walks. A ride is at least a minute faster than the walk by
 * the same engine, for either engine. `ours` and `theirs` are minutes on foot, one row per origin.
 */
export function byRiding(
  trips: readonly Pair[],
  ours: Rows,
  theirs: Rows,
): { rides: Pair[]; walks: Pair[] } {
  const isRide = (trip: Pair) =>
    trip.ours <= ours[trip.origin][trip.target] - 1 ||
    trip.theirs <= theirs[trip.origin][trip.target] - 1;
  return { rides: trips.filter(isRide), walks: trips.filter((trip) => !isRide(trip)) };
}

/** Shares in percent, and differences in minutes, ours minus theirs. */
export interface Difference {
  readonly pairs: number;
  readonly within1: number;
  readonly within10: number;
  readonly within10or1: number;
  readonly within10or2: number;
  readonly mean: number;
  readonly median: number;
  readonly p5: number;
  readonly p95: number;
  /** Pairs that only one of the two reaches. */
  readonly oursOnly: number;
  readonly theirsOnly: number;
}

export function differenceIn(pairs: readonly Pair[]): Difference {
  const share = (part: number, minutes: Minutes) =>
    (100 * pairs.filter((pair) => agrees(pair, part, minutes)).length) / pairs.length;
  const apart = pairs
    .map(({ ours, theirs }) => ours - theirs)
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  const at = (percent: number) => apart[Math.floor((percent / 100) * (apart.length - 1))];
  const only = (wanted: 'ours' | 'theirs', other: 'ours' | 'theirs') =>
    pairs.filter((pair) => Number.isFinite(pair[wanted]) && !Number.isFinite(pair[other])).length;
  return {
    pairs: pairs.length,
    within1: share(0, 1),
    within10: share(0.1, 0),
    within10or1: share(0.1, 1),
    within10or2: share(0.1, 2),
    mean: apart.reduce((sum, difference) => sum + difference, 0) / apart.length,
    median: at(50),
    p5: at(5),
    p95: at(95),
    oursOnly: only('ours', 'theirs'),
    theirsOnly: only('theirs', 'ours'),
  };
}
