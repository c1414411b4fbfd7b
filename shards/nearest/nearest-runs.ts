import type { ObjectRef, Store } from '../store/store.ts';
import type { Bytes, CountyBlock } from '../units.ts';
import { decodeNearestRow, nearestRange } from './nearest.ts';

/** Rows that are read along rather than read past. */
const GAP_ROWS = 8;

/** Ascending ordinals in runs that are read in one go. */
export function runsOfRows(ordinals: readonly CountyBlock[]): CountyBlock[][] {
  const runs: CountyBlock[][] = [];
  for (let first = 0; first < ordinals.length; ) {
    let end = first + 1;
    while (end < ordinals.length && ordinals[end] - ordinals[end - 1] <= GAP_ROWS) end++;
    runs.push(ordinals.slice(first, end));
    first = end;
  }
  return runs;
}

/** The rows of a run by one range read, and how many bytes between them are read along. */
export function readNearestRun(
  store: Store,
  ref: ObjectRef,
  run: readonly CountyBlock[],
  columns: number,
): { rows: Promise<Uint16Array[]>; alongBytes: Bytes } {
  const { offset, length } = nearestRange(run[0], columns);
  const bytes = (run[run.length - 1] - run[0] + 1) * length;
  const rows = store.readRange(ref, offset, bytes).then((read) =>
    run.map((ordinal) => {
      const at = (ordinal - run[0]) * length;
      return decodeNearestRow(ref.name, ordinal, read.subarray(at, at + length), columns);
    }),
  );
  return { rows, alongBytes: bytes - run.length * length };
}
