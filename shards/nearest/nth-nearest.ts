import type { Taxonomy } from '../taxonomy.ts';
import type { DestTypeId, Tenths } from '../units.ts';

/** The n-th nearest POIs are kept up to this n. */
export const MAX_NTH = 5;

/** Above every type id. */
const TYPE_IDS = 65_536;

/**
 * The `nth-nearest` object of a county is a sparse matrix (`matrix.ts`) from types to its blocks: a
 * row for each n and type, parents too, with the tenths of a minute from each block to its n-th
 * nearest POI of the type. This is the id of a row; its targets are the blocks of the index. Rows
 * for the nearest of all types come first, so that they are one range.
 */
export function nthNearestId(type: DestTypeId, nth: number): number {
  return nth * TYPE_IDS + type;
}

/** The type and n of a row. */
export function typeAndNth(id: number): { type: DestTypeId; nth: number } {
  return { type: id % TYPE_IDS, nth: Math.floor(id / TYPE_IDS) };
}

/** The ids of all rows, ascending. */
export function nthNearestIds({ types }: Taxonomy): Float64Array {
  const ids: number[] = [];
  for (let nth = 1; nth <= MAX_NTH; nth++) {
    for (const { dest_type_id } of types) ids.push(nthNearestId(dest_type_id, nth));
  }
  return Float64Array.from(ids);
}

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
