import { Matrix } from '../matrix/matrix.ts';
import type { ModeRow } from '../matrix/row-codec.ts';
import type { ObjectRef, Store } from '../store/store.ts';
import { EntrySums, hashIds } from './entry-sums.ts';

/** A scanned county matrix or transpose, with its digests per other county. */
interface Scanned {
  readonly ref: ObjectRef;
  /** Digests by the number of the other county; only of counties with entries. */
  readonly digests: ReadonlyMap<number, string>;
}

/**
 * Checks that the transposes of all counties have exactly the entries of the matrices they come
 * from. Counties are numbered. Each matrix is read once and kept as one digest per county it refers
 * to, so memory grows with the pairs of counties that reach each other.
 */
export class TransposeCheck {
  readonly #counties: number;
  readonly #matrices = new Map<number, Scanned>();
  readonly #transposes = new Map<number, Scanned>();

  constructor(counties: number) {
    this.#counties = counties;
  }

  /** Starts a matrix scan; `countyOf` gives the county of each target, or -1. */
  matrix(county: number, matrix: Matrix, countyOf: Int32Array): RowScan {
    return this.#scan(matrix, countyOf, 'from', (scanned) => this.#matrices.set(county, scanned));
  }

  transpose(county: number, matrix: Matrix, countyOf: Int32Array): RowScan {
    return this.#scan(matrix, countyOf, 'to', (scanned) => this.#transposes.set(county, scanned));
  }

  #scan(
    matrix: Matrix,
    countyOf: Int32Array,
    side: 'from' | 'to',
    keep: (scanned: Scanned) => void,
  ): RowScan {
    const rows = hashIds(matrix.origins, side);
    const columns = hashIds(matrix.targets, side === 'from' ? 'to' : 'from');
    const sums = new EntrySums(this.#counties);
    return {
      row: (ordinal, modes) => sums.add(rows, ordinal, columns, countyOf, modes),
      finish: () => {
        const digests = new Map<number, string>();
        for (let county = 0; county < this.#counties; county++) {
          if (sums.count(county) > 0) digests.set(county, sums.digest(county));
        }
        keep({ ref: matrix.ref, digests });
      },
    };
  }

  /** Yields pairs of a matrix and a transpose, both completely read, whose entries differ. */
  *differing(): Generator<{ matrix: ObjectRef; transpose: ObjectRef }> {
    for (const [from, { ref, digests }] of this.#matrices) {
      for (const [to, transposed] of this.#transposes) {
        if (digests.get(to) === transposed.digests.get(from)) continue;
        yield { matrix: ref, transpose: transposed.ref };
      }
    }
  }
}

/** Receives the rows of a matrix in order. */
interface RowScan {
  row(ordinal: number, modes: readonly ModeRow[]): void;
  /** Call after the last row: a matrix that could not be read to the end is not compared. */
  finish(): void;
}

/** An entry that differs between a matrix and its transpose; null means absent. */
interface Difference {
  readonly from: number;
  readonly to: number;
  readonly mode: number;
  readonly time: number | null;
  readonly transposedTime: number | null;
}

/**
 * Finds the first entry, by destination, in which a matrix and its transpose differ. Reads both
 * objects again; returns null if they differ only in ids that one of them does not list.
 */
export async function firstDifference(
  store: Store,
  matrixRef: ObjectRef,
  transposeRef: ObjectRef,
): Promise<Difference | null> {
  const matrix = await Matrix.open(store, matrixRef);
  const transposed = await Matrix.open(store, transposeRef);
  const destination = await firstDifferingRow(matrix, transposed);
  if (destination === -1) return null;
  const to = transposed.origins[destination];
  const times = await timesTo(matrix, to);
  const rows = await transposed.row(destination);
  for (let mode = 0; mode < rows.length; mode++) {
    const { targets, times: said } = rows[mode];
    for (let i = 0; i < targets.length; i++) {
      const from = transposed.targets[targets[i]];
      if (matrix.originOrdinal(from) === -1) continue;
      const time = times[mode].get(from) ?? null;
      if (time !== said[i]) return { from, to, mode, time, transposedTime: said[i] };
      times[mode].delete(from);
    }
    const [left] = times[mode];
    if (left) return { from: left[0], to, mode, time: left[1], transposedTime: null };
  }
  return null;
}

async function firstDifferingRow(matrix: Matrix, transposed: Matrix): Promise<number> {
  const destinations = transposed.origins.length;
  const [ours, theirs] = [new EntrySums(destinations), new EntrySums(destinations)];
  const matrixRows = hashIds(matrix.origins, 'from');
  const matrixColumns = hashIds(matrix.targets, 'to');
  const destinationOf = Int32Array.from(matrix.targets, (id) => transposed.originOrdinal(id));
  for await (const { ordinal, modes } of matrix.rows()) {
    ours.add(matrixRows, ordinal, matrixColumns, destinationOf, modes);
  }
  const rows = hashIds(transposed.origins, 'to');
  const columns = hashIds(transposed.targets, 'from');
  const isFrom = Array.from(transposed.targets, (id) => matrix.originOrdinal(id) !== -1);
  for await (const { ordinal, modes } of transposed.rows()) {
    const group = Int32Array.from(isFrom, (wanted) => (wanted ? ordinal : -1));
    theirs.add(rows, ordinal, columns, group, modes);
    if (ours.digest(ordinal) !== theirs.digest(ordinal)) return ordinal;
  }
  return -1;
}

/** Per mode, the times to one target by origin id. */
async function timesTo(matrix: Matrix, to: number): Promise<Map<number, number>[]> {
  const target = matrix.targetOrdinal(to);
  const times = Array.from({ length: matrix.modes }, () => new Map<number, number>());
  for await (const { ordinal, modes } of matrix.rows()) {
    modes.forEach((row, mode) => {
      const at = row.targets.indexOf(target);
      if (at !== -1) times[mode].set(matrix.origins[ordinal], row.times[at]);
    });
  }
  return times;
}
