import type { EncodedRows } from '../../shards/matrix/matrix-writer.ts';
import { openThreads, type Pool, thisThread } from '../threads/pool.ts';
import { EntryBuffer } from './entry-buffer.ts';
import { type BandRequest, mergeBand } from './merge-band.ts';
import { type SliceRequest, type SortedSlice, sortSlice } from './sort-slice.ts';

/** One of the two kinds of work in a transposition: a slice to sort, or a band to merge. */
export type TransposeRequest =
  | { readonly slice: SliceRequest; readonly band?: never }
  | { readonly band: BandRequest; readonly slice?: never };

interface TransposeResult {
  readonly sorted?: SortedSlice;
  readonly rows?: EncodedRows;
}

export type TransposePool = Pool<TransposeRequest, TransposeResult>;

export function openWork(): (request: TransposeRequest) => TransposeResult {
  const buffer = new EntryBuffer();
  return ({ slice, band }) =>
    slice ? { sorted: sortSlice(slice, buffer) } : { rows: mergeBand(band) };
}

/**
 * Opens a pool of threads that transpose matrices. With one thread, the calling thread does the
 * work. Otherwise, threads run compiled code, so request only one when running from source.
 */
export function openTransposePool(threads: number): TransposePool {
  return threads > 1
    ? openThreads(new URL('./transpose-pool.js', import.meta.url), threads)
    : thisThread(openWork());
}
