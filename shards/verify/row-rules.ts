import { ordinalIn } from '../arrays/sorted.ts';
import type { ModeRow } from '../matrix/row-codec.ts';

/**
 * The first target that a row reaches on foot but later or not at all by transit, or -1. Walking
 * all the way is one option of transit.
 */
export function slowerThanWalking(walk: ModeRow, transit: ModeRow): number {
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
