import type { EncodedRows } from '../../shards/matrix/matrix-writer.ts';
import { EntryBuffer } from './entry-buffer.ts';
import { type BandRequest, mergeBand } from './merge-band.ts';
import { type SliceRequest, type SortedSlice, sortSlice } from './sort-slice.ts';

/** One of the two kinds of work in a transposition: a slice to sort, or a band to merge. */
export type TransposeRequest =
  | { readonly slice: SliceRequest; readonly band?: never }
  | { readonly band: BandRequest; readonly slice?: never };

export interface TransposeResult {
  readonly sorted?: SortedSlice;
  readonly rows?: EncodedRows;
}

/** Does the work of a transposition. One instance serves one thread. */
export class Transposer {
  readonly #buffer = new EntryBuffer();

  run({ slice, band }: TransposeRequest): TransposeResult {
    return slice ? { sorted: sortSlice(slice, this.#buffer) } : { rows: mergeBand(band) };
  }
}
