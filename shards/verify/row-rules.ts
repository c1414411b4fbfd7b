import { ordinalIn } from '../arrays/sorted.ts';
import type { BlockIndex } from '../blocks/block-index.ts';
import { geoidFromNumber } from '../geoid.ts';
import type { Matrix } from '../matrix/matrix.ts';
import type { ModeRow } from '../matrix/row-codec.ts';
import { byMode, linkModeOf, type Mode } from '../modes.ts';
import { modeOfService, parseService } from '../services.ts';
import type { Findings } from './finding.ts';

/** The first target that a row reaches but another one later or not at all, or -1. */
function laterBy(other: ModeRow, row: ModeRow): number {
  let at = 0;
  for (let i = 0; i < row.targets.length; i++) {
    const target = row.targets[i];
    while (at < other.targets.length && other.targets[at] < target) at++;
    const found = at < other.targets.length && other.targets[at] === target;
    if (!found || other.times[at] > row.times[i]) return target;
  }
  return -1;
}

/**
 * Pairs of modes of which the first never takes longer: walking all the way is one option of
 * transit, the further ways to walk are no faster than walking, and riders without steps have no
 * more options.
 */
const NEVER_LATER: readonly (readonly [Mode, Mode])[] = [
  ['transit', 'walk'],
  ['walk', 'walk_slow'],
  ['walk', 'step_free'],
  ['transit', 'transit_step_free'],
  ['transit_step_free', 'step_free'],
];

export function timeTo({ targets, times }: ModeRow, target: number): number | null {
  const ordinal = ordinalIn(targets, target);
  return ordinal === -1 ? null : times[ordinal];
}

/** First position at which ids do not strictly ascend, or -1. */
export function outOfOrder(ids: ArrayLike<number>): number {
  for (let i = 1; i < ids.length; i++) if (ids[i] <= ids[i - 1]) return i;
  return -1;
}

export function sameIds(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/**
 * Checks rules that hold for rows from any block: some modes are never slower than others, and a
 * block without a street has no rows. `index` is null if it is not sound; `nameOf` returns the name
 * of a target for findings.
 */
export function originRowCheck(
  matrix: Matrix,
  modes: readonly string[],
  index: BlockIndex | null,
  findings: Findings,
  nameOf: (target: number) => string,
): (ordinal: number, rows: readonly ModeRow[]) => void {
  const positionsOf = (mode: Mode) =>
    [...modes.keys()].filter((m) => modeOfService(modes[m]) === mode);
  const timings = modes.map((name) => {
    const { departure, percentile } = parseService(name)!;
    return departure && `${departure} ${percentile}`;
  });
  // Times of different windows or percentiles may differ either way.
  const isComparable = (f: number, s: number) =>
    timings[f] === null || timings[s] === null || timings[f] === timings[s];
  const pairs = NEVER_LATER.flatMap(([fast, slow]) =>
    positionsOf(fast).flatMap((f) =>
      positionsOf(slow).flatMap((s) => (isComparable(f, s) ? [[f, s] as const] : [])),
    ),
  );
  return (ordinal, rows) => {
    const block = () => `block ${geoidFromNumber(matrix.origins[ordinal])}`;
    for (const [fast, slow] of pairs) {
      const late = laterBy(rows[fast], rows[slow]);
      if (late === -1) continue;
      const pair = () => `${block()} to ${nameOf(matrix.targets[late])}`;
      findings.add(
        `later ${byMode(modeOfService(modes[fast]))} than ${byMode(modeOfService(modes[slow]))}`,
        pair,
      );
    }
    modes.forEach((mode, m) => {
      if (!index || rows[m].targets.length === 0) return;
      if (index.isLinked(ordinal, linkModeOf(mode))) return;
      findings.add('rows of a block without a street', () => `${block()}, ${mode}`);
    });
  };
}
