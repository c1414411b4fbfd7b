import { ordinalIn } from '../arrays/sorted.ts';
import { type BlockIndex, linkModeOf } from '../blocks/block-index.ts';
import { geoidFromNumber } from '../geoid.ts';
import type { Matrix } from '../matrix/matrix.ts';
import type { ModeRow } from '../matrix/row-codec.ts';
import { modeOfService } from '../services.ts';
import type { Findings } from './finding.ts';

/**
 * The first target that a row reaches on foot but later or not at all by transit, or -1. Walking
 * all the way is one option of transit.
 */
function slowerThanWalking(walk: ModeRow, transit: ModeRow): number {
  let at = 0;
  for (let i = 0; i < walk.targets.length; i++) {
    const target = walk.targets[i];
    while (at < transit.targets.length && transit.targets[at] < target) at++;
    const found = at < transit.targets.length && transit.targets[at] === target;
    if (!found || transit.times[at] > walk.times[i]) return target;
  }
  return -1;
}

/** Time of a row to a target, or null. */
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
 * Checks rules that hold for rows from any block: transit is never slower than walking, and a block
 * without a street has no rows. `index` is null if it is not sound; `nameOf` returns the name of a
 * target for findings.
 */
export function originRowCheck(
  matrix: Matrix,
  modes: readonly string[],
  index: BlockIndex | null,
  findings: Findings,
  nameOf: (target: number) => string,
): (ordinal: number, rows: readonly ModeRow[]) => void {
  const walk = modes.indexOf('walk');
  const byTransit = [...modes.keys()].filter((m) => modeOfService(modes[m]) === 'transit');
  return (ordinal, rows) => {
    const block = () => `block ${geoidFromNumber(matrix.origins[ordinal])}`;
    for (const transit of byTransit) {
      const late = slowerThanWalking(rows[walk], rows[transit]);
      if (late === -1) continue;
      const pair = () => `${block()} to ${nameOf(matrix.targets[late])}`;
      findings.add('later by transit than on foot', pair);
    }
    modes.forEach((mode, m) => {
      if (!index || rows[m].targets.length === 0) return;
      if (index.isLinked(ordinal, linkModeOf(mode))) return;
      findings.add('rows of a block without a street', () => `${block()}, ${mode}`);
    });
  };
}
