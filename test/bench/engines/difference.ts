import type { Minutes } from '../../../shards/units.ts';
import { figure } from '../figure.ts';

/** A pair of points, and the results of two engines for it. */
export interface Pair {
  readonly origin: number;
  readonly target: number;
  readonly ours: Minutes;
  readonly theirs: Minutes;
}

/**
 * Returns the pairs that either engine reaches within `capped` minutes, well below an hour. At the
 * cap of an hour, one engine may report 59.9 minutes and the other nothing.
 */
export function pairsOf(
  ours: readonly (readonly Minutes[])[],
  theirs: readonly (readonly Minutes[])[],
  capped: Minutes,
): Pair[] {
  return ours.flatMap((row, origin) =>
    row
      .map((own, target) => ({ origin, target, ours: own, theirs: theirs[origin][target] }))
      .filter((pair) => Math.min(pair.ours, pair.theirs) <= capped),
  );
}

/** Whether both results are about the same: within a tenth, or two minutes. */
export function isAlike(pair: Pair): boolean {
  return agrees(pair, 0.1, 2);
}

/**
 * Splits transit trips into rides and walks. A ride is at least a minute faster than the walk by
 * the same engine, for either engine. `ours` and `theirs` are minutes on foot, one row per origin.
 */
export function byRiding(
  trips: readonly Pair[],
  ours: readonly (readonly Minutes[])[],
  theirs: readonly (readonly Minutes[])[],
): { rides: Pair[]; walks: Pair[] } {
  const isRide = (trip: Pair) =>
    trip.ours <= ours[trip.origin][trip.target] - 1 ||
    trip.theirs <= theirs[trip.origin][trip.target] - 1;
  return { rides: trips.filter(isRide), walks: trips.filter((trip) => !isRide(trip)) };
}

/** Key of a pair of points, the same in every run. */
export function keyOf({ origin, target }: Pair): string {
  return `${origin} ${target}`;
}

/** Whether each named cause applies to a pair; a pair counts for the first cause that applies. */
export type Causes = Readonly<Record<string, (pair: Pair) => boolean>>;

/** Returns a test of whether more than half of the pairs at either end of a pair disagree. */
export function atAnEnd(pairs: readonly Pair[]): (pair: Pair) => boolean {
  const count = new Map<string, { all: number; unlike: number }>();
  for (const pair of pairs) {
    for (const end of endsOf(pair)) {
      const { all, unlike } = count.get(end) ?? { all: 0, unlike: 0 };
      count.set(end, { all: all + 1, unlike: unlike + (isAlike(pair) ? 0 : 1) });
    }
  }
  return (pair) => endsOf(pair).some((end) => 2 * count.get(end)!.unlike > count.get(end)!.all);
}

function endsOf({ origin, target }: Pair): string[] {
  return [`from ${origin}`, `to ${target}`];
}

/**
 * Prints the causes of disagreement: each disagreeing pair counts for the first cause that applies,
 * or as `unexplained`.
 */
export function printCauses(
  name: string,
  pairs: readonly Pair[],
  causes: Causes,
  about: object,
): void {
  let rest = pairs.filter((pair) => !isAlike(pair));
  for (const [cause, holds] of Object.entries(causes)) {
    const share = (100 * rest.filter(holds).length) / pairs.length;
    figure(`${name}.tail.${cause}`, share, '%', about);
    rest = rest.filter((pair) => !holds(pair));
  }
  figure(`${name}.tail.unexplained`, (100 * rest.length) / pairs.length, '%', about);
}

function agrees({ ours, theirs }: Pair, part: number, minutes: Minutes): boolean {
  const apart = Math.abs(ours - theirs);
  // Two infinities would otherwise agree: a tenth of infinity is infinite.
  return Number.isFinite(apart) && (apart <= minutes || apart <= part * theirs);
}

/** Prints how two engines differ over some pairs; `about` is added to each figure. */
export function printDifference(name: string, pairs: readonly Pair[], about: object): void {
  const reported = { ...about, pairs: pairs.length };
  const share = (part: number, minutes: Minutes) =>
    (100 * pairs.filter((pair) => agrees(pair, part, minutes)).length) / pairs.length;
  figure(`${name}.within_2_percent`, share(0.02, 0), '%', reported);
  figure(`${name}.within_5_percent`, share(0.05, 0), '%', reported);
  figure(`${name}.within_10_percent`, share(0.1, 0), '%', reported);
  figure(`${name}.within_1_minute`, share(0, 1), '%', reported);
  figure(`${name}.within_2_minutes`, share(0, 2), '%', reported);
  figure(`${name}.within_10_percent_or_2_minutes`, share(0.1, 2), '%', reported);
  const apart = pairs
    .filter(({ ours, theirs }) => Number.isFinite(ours) && Number.isFinite(theirs))
    .map(({ ours, theirs }) => ours - theirs)
    .sort((a, b) => a - b);
  const mean = apart.reduce((sum, difference) => sum + difference, 0) / apart.length;
  figure(`${name}.bias`, mean, 'min', reported);
  for (const percent of [1, 5, 50, 95, 99]) {
    const at = apart[Math.floor((percent / 100) * (apart.length - 1))];
    figure(`${name}.difference_p${percent}`, at, 'min', reported);
  }
  const one = (wanted: 'ours' | 'theirs', other: 'ours' | 'theirs') =>
    pairs.filter((pair) => Number.isFinite(pair[wanted]) && !Number.isFinite(pair[other])).length;
  figure(`${name}.reached_by_ours_only`, one('ours', 'theirs'), 'pairs', reported);
  figure(`${name}.reached_by_theirs_only`, one('theirs', 'ours'), 'pairs', reported);
}
