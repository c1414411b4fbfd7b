import { VarintWriter } from '../codec/varint.ts';
import type { PutBody } from '../store/put-body.ts';
import type { Spool } from '../store/spool.ts';
import { SpooledRows } from '../store/stored-rows.ts';
import { encodeDictionary, MATRIX_KIND, UNITS } from './matrix.ts';
import { encodeRow, type ModeBases, type ModeRow, NO_BASES, type TimeUnit } from './row-codec.ts';

/** Encoded matrix rows, one after the other, as workers return them. */
export interface EncodedRows {
  readonly bytes: Uint8Array;
  /** Byte length of each row, in origin order. */
  readonly lengths: Uint32Array;
}

/**
 * Writes a sparse travel-time matrix: origins × targets, several modes, most pairs absent.
 *
 * Sections: `META` shape; `ORIG` and `TARG` dictionaries of ids; `ATTR` opaque per-target
 * attributes; `RDIR` the byte length of each row; `ROWS`, last, so that everything before it, the
 * head that readers cache, is one range.
 */
export class MatrixWriter {
  readonly #shape: MatrixShape;
  readonly #rows: SpooledRows;
  readonly #row = new VarintWriter(1 << 14);

  constructor(stem: string, shape: MatrixShape, spool: Spool) {
    this.#shape = shape;
    this.#rows = new SpooledRows(stem, spool);
  }

  /** Adds the next origin's row: one entry per mode. Rows come in origin order. */
  row(modes: readonly ModeRow[]): void {
    if (modes.length !== this.#shape.modes) throw new RangeError(`row has ${modes.length} modes`);
    const { unit, bases } = this.#shape;
    this.#row.reset();
    const { sum, count } = this.#rows;
    const length = encodeRow(this.#row, sum, count, modes, unit, bases);
    this.#rows.append(this.#row.view().slice(), [length]);
  }

  /** Adds the next origins' rows, already encoded for this object and their ordinals. */
  append({ bytes, lengths }: EncodedRows): void {
    this.#rows.append(bytes, lengths);
  }

  finish(): PutBody {
    const { origins, targets, attributes, modes, unit, bases = NO_BASES } = this.#shape;
    const meta = new VarintWriter();
    meta.uint(UNITS.indexOf(unit));
    meta.uint(modes);
    for (const base of bases) meta.uint(base + 1);
    return this.#rows.content(
      MATRIX_KIND,
      [
        { tag: 'META', bytes: meta.view() },
        { tag: 'ORIG', bytes: encodeDictionary(origins) },
        { tag: 'TARG', bytes: encodeDictionary(targets) },
        { tag: 'ATTR', bytes: attributes ?? new Uint8Array(0) },
      ],
      origins.length,
    );
  }
}

/** Everything in a matrix except its rows. Origins and targets strictly ascend. */
export interface MatrixShape {
  readonly origins: ArrayLike<number>;
  readonly targets: ArrayLike<number>;
  readonly attributes?: Uint8Array;
  readonly modes: number;
  /** The modes that others differ little from, as `encodeRow` takes them; none by default. */
  readonly bases?: ModeBases;
  readonly unit: TimeUnit;
}
