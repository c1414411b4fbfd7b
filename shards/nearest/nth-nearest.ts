import type { Tenths } from '../units.ts';

/** The n-th nearest POIs are kept up to this n. */
export const MAX_NTH = 5;

/**
 * Inserts a time into a list of the least `MAX_NTH`, ascending and filled up with zeros: the
 * `list`-th of those in `lists`.
 */
export function insertNth(lists: Uint16Array, list: number, time: Tenths): void {
  const first = list * MAX_NTH;
  let at = first + MAX_NTH - 1;
  if (lists[at] !== 0 && lists[at] <= time) return;
  for (; at > first && (lists[at - 1] === 0 || lists[at - 1] > time); at--) {
    lists[at] = lists[at - 1];
  }
  lists[at] = time;
}
