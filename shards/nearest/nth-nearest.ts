import type { Taxonomy } from '../taxonomy.ts';
import type { DestTypeId, Tenths } from '../units.ts';

/** Largest n for which times to the n-th nearest POI are kept. */
export const MAX_NTH = 5;

/** Upper bound, exclusive, of type ids. */
const TYPE_IDS = 65_536;

/**
 * Returns the id of a row of a county's `nth-nearest` object. The object is a sparse matrix
 * (`matrix.ts`) from types to the blocks of the index, with a row for each n and type, parents too:
 * the tenths of a minute from each block to its n-th nearest POI of the type. Rows for the nearest
 * POI of every type come first, so that they are one range.
 */
export function nthNearestId(type: DestTypeId, nth: number): number {
  return nth * TYPE_IDS + type;
}

export function typeAndNth(id: number): { type: DestTypeId; nth: number } {
  return { type: id % TYPE_IDS, nth: Math.floor(id / TYPE_IDS) };
}

/** The ids of all rows of an `nth-nearest` object, ascending. */
export function nthNearestIds({ types }: Taxonomy): Float64Array {
  const ids: number[] = [];
  for (let nth = 1; nth <= MAX_NTH; nth++) {
    for (const { dest_type_id } of types) ids.push(nthNearestId(dest_type_id, nth));
  }
  return Float64Array.from(ids);
}

/**
 * Inserts a time into the list at index `list` of `lists`. Each list holds the `MAX_NTH` lowest
 * times, ascending, padded with zeros.
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
