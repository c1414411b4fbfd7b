import { BEYOND, UNROUTED } from '../../../../shards/bands/time-bands.ts';
import { LACKING } from './block-classes.ts';

/**
 * Classes of blocks by how the band of the nearest POI differs between two releases: 1 newly within
 * 30 minutes, 2 sooner by two bands or more, 3 sooner by one, 4 the same, 5 later by one, 6 later
 * by two or more, 7 no longer within 30 minutes; 0 over 30 minutes in both; 8 not known: no street
 * near in one of them, or one lacks the block.
 */
export const CHANGE_CLASSES = [1, 2, 3, 4, 5, 6, 7] as const;
export const NEITHER = 0;
export const NOT_KNOWN = 8;
const SAME = 4;

/** Classes of the changes from `before` to `after`, the bands of the same blocks. */
export function changeClasses(before: Uint8Array, after: Uint8Array): Uint8Array {
  return before.map((was, i) => changeClass(was, after[i]));
}

function changeClass(was: number, is: number): number {
  if ([was, is].some((band) => band === UNROUTED || band === LACKING)) return NOT_KNOWN;
  if (was === BEYOND) return is === BEYOND ? NEITHER : 1;
  if (is === BEYOND) return 7;
  return SAME + Math.max(-2, Math.min(2, is - was));
}

/** Sums up people by class of change. */
export function changedPeople(people: readonly number[]) {
  const sum = (classes: readonly number[]) =>
    classes.reduce((all, one) => all + (people[one] ?? 0), 0);
  return { sooner: sum([1, 2, 3]), later: sum([5, 6, 7]) };
}
