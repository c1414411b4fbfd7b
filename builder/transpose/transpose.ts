import { concat } from '../../shards/arrays/concat.ts';
import { Matrix } from '../../shards/matrix/matrix.ts';
import type { EncodedRows } from '../../shards/matrix/matrix-writer.ts';
import type { ModeBases, TimeUnit } from '../../shards/matrix/row-codec.ts';
import { ScratchFile } from '../../shards/store/scratch-file.ts';
import type { ObjectRef, Store } from '../../shards/store/store.ts';
import type { Bytes } from '../../shards/units.ts';
import { inOrder } from '../threads/pool.ts';
import { shareArrays } from '../threads/share-arrays.ts';
import { BYTES_PER_ENTRY, MAX_ORIGINS } from './entry-buffer.ts';
import { mostEntriesPerByte, type SliceRequest } from './sort-slice.ts';
import type { TransposePool, TransposeRequest } from './transpose-pool.ts';

interface TranspositionRequest {
  /** Matrices whose origins ascend from each to the next. */
  readonly sources: readonly ObjectRef[];
  /** The matrices to create, one after another. */
  readonly parts: readonly TransposedPart[];
  readonly modes: number;
  readonly bases: ModeBases;
  readonly unit: TimeUnit;
  /** Memory limit for slices and their entries. */
  readonly memory: Bytes;
  readonly scratch: string;
}

interface TransposedPart {
  readonly stem: string;
  /** Ids of the origins of the matrix, which are targets of the sources. */
  readonly origins: Float64Array;
  /** Returns, for each origin of all sources, its ordinal among this matrix's targets, or -1. */
  readonly ordinals: () => Int32Array;
}

/** Number of targets whose rows are merged at a time. */
const BAND_TARGETS = 64;
const MAX_SLICE_BYTES: Bytes = 64 * 2 ** 20;
const MIN_SLICE_BYTES: Bytes = 4 * 2 ** 10;
/** Copies of a slice in memory: as read, as sorted, and queued copies of either kind. */
const COPIES_OF_A_SLICE = 8;

/**
 * Transposes matrices: finds for each target which origins reach it, and in what time. Rows are
 * transposed rather than searched backwards from the targets: that would cost as much again, and
 * its rounded times would not always be those of the rows. The sources of a county are the matrices
 * of all counties around it, more than memory holds, so this is an external sort in two passes,
 * both run by a pool of threads. First, slices of the sources are sorted by target into a scratch
 * file. Then, the rows of each band of targets are merged from all slices. `onRows` receives the
 * rows of each part in order, and whether they are its last; `onDone` receives the number of rows
 * read and created.
 */
export async function transpose(
  store: Store,
  pool: TransposePool,
  request: TranspositionRequest,
  onRows: (rows: EncodedRows, areLast: boolean) => void | Promise<void>,
  onDone: (rows: number) => void,
): Promise<void> {
  const runs = new ScratchFile(`${request.scratch}/runs`);
  try {
    const { parts, modes, bases, unit } = request;
    const bands = bandsOf(parts);
    const starts = Uint32Array.from([...bands.map(({ first }) => first), totalOf(parts)]);
    const sorted: { firstOrigin: number; offset: Bytes; bandStarts: Uint32Array }[] = [];
    let done = 0;
    await inOrder(pool, slices(store, request, starts, pool.width), (result, { slice }) => {
      const { firstOrigin, bytes, bandStarts } = result.sorted!;
      sorted.push({ firstOrigin, offset: runs.append(bytes), bandStarts });
      done += slice!.lengths.length;
      onDone(done);
    });

    function* merges(): Generator<TransposeRequest> {
      let ordinals: Int32Array = new Int32Array(0);
      for (const [b, { part, firstRow, targets }] of bands.entries()) {
        if (firstRow === 0) ordinals = shareArrays(part.ordinals());
        const pieces = sorted
          .filter(({ bandStarts }) => bandStarts[b + 1] > bandStarts[b])
          .map(({ firstOrigin, offset, bandStarts }) => ({
            firstOrigin,
            bytes: runs.read(offset + bandStarts[b], bandStarts[b + 1] - bandStarts[b]),
          }));
        yield {
          band: { stem: part.stem, pieces, targets, firstRow, ordinals, modes, bases, unit },
        };
      }
    }
    let next = 0;
    await inOrder(pool, merges(), async ({ rows }) => {
      const { part } = bands[next++];
      await onRows(rows!, bands[next]?.part !== part);
      done += rows!.lengths.length;
      onDone(done);
    });
  } finally {
    runs.close();
  }
}

interface Band {
  readonly part: TransposedPart;
  /** The band's first target, counted through all parts. */
  readonly first: number;
  /** The row of the band's first target in its part. */
  readonly firstRow: number;
  readonly targets: number;
}

function bandsOf(parts: readonly TransposedPart[]): Band[] {
  const bands: Band[] = [];
  let first = 0;
  for (const part of parts) {
    const rows = part.origins.length;
    // A part without rows needs a band too, since parts are begun and ended by their bands.
    for (let firstRow = 0; firstRow === 0 || firstRow < rows; firstRow += BAND_TARGETS) {
      const targets = Math.min(BAND_TARGETS, rows - firstRow);
      bands.push({ part, first: first + firstRow, firstRow, targets });
    }
    first += rows;
  }
  return bands;
}

function totalOf(parts: readonly TransposedPart[]): number {
  return parts.reduce((sum, { origins }) => sum + origins.length, 0);
}

/** Cuts the sources into slices that fit into the threads' memory. */
async function* slices(
  store: Store,
  { sources, parts, modes, bases, unit, memory }: TranspositionRequest,
  bands: Uint32Array,
  threads: number,
): AsyncGenerator<{ slice: SliceRequest }> {
  const memoryPerByte = COPIES_OF_A_SLICE + BYTES_PER_ENTRY * mostEntriesPerByte(unit, bases);
  const share = sources.reduce((sum, { bytes }) => sum + bytes, 0) / threads;
  const limit = Math.max(
    MIN_SLICE_BYTES,
    Math.min(MAX_SLICE_BYTES, share, memory / threads / memoryPerByte),
  );
  const targets = concat(parts.map(({ origins }) => origins));
  const byId = Uint32Array.from(targets.keys()).sort((a, b) => targets[a] - targets[b]);
  let firstOrigin = 0;
  for (const source of sources) {
    const matrix = await Matrix.open(store, source);
    const ordinals = shareArrays(ordinalsIn(matrix.targets, targets, byId));
    for await (const { first, lengths, bytes } of matrix.runs(limit, MAX_ORIGINS)) {
      yield {
        slice: {
          object: source.name,
          firstRow: first,
          firstOrigin: firstOrigin + first,
          lengths,
          bytes,
          modes,
          bases,
          unit,
          ordinals,
          bands,
        },
      };
    }
    firstOrigin += matrix.origins.length;
  }
}

/**
 * Returns the ordinal of each of some ascending ids in `list`, or -1. `byId` has the ordinals of
 * `list` in ascending order of their ids.
 */
function ordinalsIn(ids: Float64Array, list: Float64Array, byId: Uint32Array): Int32Array {
  const ordinals = new Int32Array(ids.length).fill(-1);
  for (let i = 0, at = 0; i < ids.length && at < byId.length; i++) {
    while (at < byId.length && list[byId[at]] < ids[i]) at++;
    if (at < byId.length && list[byId[at]] === ids[i]) ordinals[i] = byId[at];
  }
  return ordinals;
}
