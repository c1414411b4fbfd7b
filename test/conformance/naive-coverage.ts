import type { Mode } from '../../shards/modes.ts';
import type { NaiveBlock, NaiveRelease } from './naive-release.ts';

/** Sums over the blocks of an area, by filter and sort over the plain arrays of a release. */

export interface NaiveCriterion {
  readonly type: number;
  readonly mode: Mode;
  readonly max_minutes: number;
  readonly nth: number;
}

export function peopleOf(blocks: readonly NaiveBlock[]): number {
  return blocks.reduce((sum, { population }) => sum + (population ?? 0), 0);
}

/** The expected `results` of coverage, for the weight people. */
export function coverageOf(
  release: NaiveRelease,
  blocks: readonly NaiveBlock[],
  { mode, type, nth }: { mode: readonly Mode[]; type: readonly number[]; nth: number },
) {
  const leaves = release.leafIds.filter((leaf) =>
    type.some((id) => release.leavesOf.get(id)!.includes(leaf)),
  );
  const modes = release.modes.filter((one) => mode.includes(one));
  return leaves.flatMap((leaf) =>
    modes.map((one) => {
      const known = blocks.filter((block) => isRouted(block, one));
      const peopleWithin = (minutes: number) =>
        peopleOf(known.filter(({ geoid }) => nthTime(release, geoid, one, leaf, nth) <= minutes));
      return {
        dest_type_id: leaf,
        mode: one,
        weight: 'people',
        nth,
        total: peopleOf(blocks),
        within: Object.fromEntries([5, 10, 15, 20, 25, 30].map((m) => [m, peopleWithin(m)])),
        beyond: peopleOf(known) - peopleWithin(30),
        no_data: peopleOf(blocks) - peopleOf(known),
      };
    }),
  );
}

/** A weight: its name, and the count at a block. */
export interface NaiveWeight {
  readonly weight: string;
  readonly at: (block: NaiveBlock) => number;
}

/** Groups of fewer have measures only if `small`. */
const SMALL = 100;

/** The expected rows of groups for one type and mode; the first weight is the one compared with. */
export function groupsOf(
  release: NaiveRelease,
  blocks: readonly NaiveBlock[],
  cell: { mode: Mode; type: number; nth: number; small: boolean },
  weights: readonly NaiveWeight[],
) {
  const { mode, type, nth, small } = cell;
  const known = blocks
    .filter((block) => isRouted(block, mode))
    .map((block) => ({ block, time: nthTime(release, block.geoid, mode, type, nth) }));
  const sum = ({ at }: NaiveWeight, some: typeof known) =>
    some.reduce((all, { block }) => all + at(block), 0);
  const shareOf = (one: NaiveWeight, minutes: number) =>
    sum(
      one,
      known.filter(({ time }) => time <= minutes),
    ) / sum(one, known);
  return weights.map((one) => {
    const isStated = small || sum(one, known) >= SMALL;
    const by = (measure: (minutes: number) => number) =>
      Object.fromEntries(
        [5, 10, 15, 20, 25, 30].map((m) => [m, isStated ? toFourDecimals(measure(m)) : null]),
      );
    return {
      weight: one.weight,
      share: by((minutes) => shareOf(one, minutes)),
      ratio: by((minutes) => shareOf(one, minutes) / shareOf(weights[0], minutes)),
      gini: isStated
        ? giniByPairs(known.map(({ block, time }) => [one.at(block), Math.min(time, 30)]))
        : null,
    };
  });
}

/** Gini coefficient by its definition: the mean difference of all pairs, over twice the mean. */
function giniByPairs(peopleAt: readonly (readonly [number, number])[]): number | null {
  let [people, minutes, differences] = [0, 0, 0];
  for (const [count, time] of peopleAt) {
    people += count;
    minutes += count * time;
    for (const [others, their] of peopleAt) differences += count * others * Math.abs(time - their);
  }
  return toFourDecimals(differences / (2 * people * minutes));
}

/** Rounds to four decimals; null for a quotient by zero. */
function toFourDecimals(value: number): number | null {
  return Number.isFinite(value) ? Math.round(value * 1e4) / 1e4 : null;
}

/** The expected `basket` of coverage. */
export function basketOf(
  release: NaiveRelease,
  blocks: readonly NaiveBlock[],
  all_of: readonly NaiveCriterion[],
) {
  const outcomes = blocks.map((block) => ({
    block,
    outcome: all_of.map((criterion) => outcomeAt(release, block, criterion)),
  }));
  const isOpen = (outcome: readonly string[]) =>
    outcome.includes('unknown') && !outcome.includes('failed');
  const sum = (is: (outcome: readonly string[]) => boolean) =>
    peopleOf(outcomes.filter(({ outcome }) => is(outcome)).map(({ block }) => block));
  const metBy = (outcome: readonly string[]) => outcome.filter((one) => one === 'met').length;
  const met = Array.from({ length: all_of.length + 1 }, (_, i) =>
    sum((outcome) => !isOpen(outcome) && metBy(outcome) === i),
  );
  return {
    all_of,
    total: peopleOf(blocks),
    with_all: met[all_of.length],
    met,
    missing_only: all_of.map((_, j) =>
      sum((outcome) => outcome.every((one, i) => one === (i === j ? 'failed' : 'met'))),
    ),
    no_data: sum(isOpen),
  };
}

/** The expected rows of blocks that meet all criteria. */
export function matchesOf(
  release: NaiveRelease,
  blocks: readonly NaiveBlock[],
  all_of: readonly NaiveCriterion[],
) {
  return [...blocks]
    .sort((a, b) => (a.geoid < b.geoid ? -1 : 1))
    .filter((block) => all_of.every((one) => outcomeAt(release, block, one) === 'met'))
    .map(({ geoid, population }) => ({ geoid, population }));
}

function outcomeAt(
  release: NaiveRelease,
  block: NaiveBlock,
  { type, mode, max_minutes, nth }: NaiveCriterion,
): 'met' | 'failed' | 'unknown' {
  if (!isRouted(block, mode)) return 'unknown';
  return nthTime(release, block.geoid, mode, type, nth) <= max_minutes ? 'met' : 'failed';
}

/** Minutes to the n-th nearest POI that has the type, or one below it. */
function nthTime(
  release: NaiveRelease,
  geoid: string,
  mode: Mode,
  type: number,
  nth: number,
): number {
  return timesTo(release, geoid, mode, type)[nth - 1] ?? Number.POSITIVE_INFINITY;
}

/** Sorted times by block, mode and type, cached since checks of areas read each many times. */
const known = new WeakMap<NaiveRelease, Map<string, readonly number[]>>();

function timesTo(release: NaiveRelease, geoid: string, mode: Mode, type: number) {
  const times = known.get(release) ?? new Map<string, readonly number[]>();
  known.set(release, times);
  const key = `${geoid} ${mode} ${type}`;
  const before = times.get(key);
  if (before) return before;
  const leaves = release.leavesOf.get(type)!;
  const sorted = release.times
    .get(geoid)!
    .filter((row) => row.mode === mode && row.poi.types.some((one) => leaves.includes(one)))
    .map(({ travel_time }) => travel_time)
    .sort((a, b) => a - b);
  times.set(key, sorted);
  return sorted;
}

/** Whether a block has a link for a mode; a transit trip begins on foot. */
function isRouted({ links }: NaiveBlock, mode: Mode): boolean {
  return links[mode === 'bike' ? 'bike' : 'walk'] === 'linked';
}
