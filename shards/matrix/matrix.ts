import {
  checkedSection,
  HEADER_READ_BYTES,
  readEnvelope,
  sectionOf,
  writeEnvelope,
} from '../envelope.ts';
import { ShardError } from '../errors.ts';
import type { ObjectRef, Store } from '../store/store.ts';
import { VarintReader, VarintWriter } from '../varint.ts';
import { decodeDictionary, encodeDictionary, ordinalIn } from './dictionary.ts';
import { decodeRow, encodeRow, MINUTES, type ModeRow, TENTHS, type TimeUnit } from './row-codec.ts';

export const MATRIX_KIND = 'MATR';
const UNITS: readonly TimeUnit[] = [TENTHS, MINUTES];

/**
 * Writes a sparse travel-time matrix: origins × targets, several modes, most pairs absent.
 *
 * Sections: `META` shape; `ORIG` and `TARG` dictionaries of ids; `ATTR` what an answer says of a
 * target beside its id (opaque here); `RDIR` the byte length of each row; `ROWS`, which is last,
 * so that everything before it is one range: the head, which a reader keeps.
 */
export class MatrixWriter {
  readonly #origins: ArrayLike<number>;
  readonly #targets: ArrayLike<number>;
  readonly #attributes: Uint8Array;
  readonly #modes: number;
  readonly #unit: TimeUnit;
  readonly #lengths = new VarintWriter(4096);
  readonly #rows = new VarintWriter(1 << 20);
  #written = 0;

  constructor(shape: {
    origins: ArrayLike<number>;
    targets: ArrayLike<number>;
    attributes?: Uint8Array;
    modes: number;
    unit: TimeUnit;
  }) {
    this.#origins = shape.origins;
    this.#targets = shape.targets;
    this.#attributes = shape.attributes ?? new Uint8Array(0);
    this.#modes = shape.modes;
    this.#unit = shape.unit;
  }

  /** The next origin's row: one entry a mode. Rows come in the order of the origins. */
  row(modes: readonly ModeRow[]): void {
    if (modes.length !== this.#modes) throw new RangeError(`row has ${modes.length} modes`);
    this.#lengths.uint(encodeRow(this.#rows, this.#written, modes, this.#unit));
    this.#written++;
  }

  finish(): Uint8Array {
    if (this.#written !== this.#origins.length) {
      throw new RangeError(`${this.#written} rows for ${this.#origins.length} origins`);
    }
    const meta = new VarintWriter();
    meta.uint(UNITS.indexOf(this.#unit));
    meta.uint(this.#modes);
    return writeEnvelope(MATRIX_KIND, [
      { tag: 'META', bytes: meta.view() },
      { tag: 'ORIG', bytes: encodeDictionary(this.#origins) },
      { tag: 'TARG', bytes: encodeDictionary(this.#targets) },
      { tag: 'ATTR', bytes: this.#attributes },
      { tag: 'RDIR', bytes: this.#lengths.view() },
      { tag: 'ROWS', bytes: this.#rows.view() },
    ]);
  }
}

/** The head of a matrix, kept in memory; rows are fetched one range each. */
export class Matrix {
  readonly origins: Float64Array;
  readonly targets: Float64Array;
  /** The `ATTR` section as written. */
  readonly attributes: Uint8Array;
  readonly modes: number;
  readonly unit: TimeUnit;
  readonly ref: ObjectRef;
  /** Offset of each row in the object, and one past the last: rows can pass 4 GiB. */
  readonly #rowStarts: Float64Array;

  private constructor(ref: ObjectRef, head: Uint8Array) {
    this.ref = ref;
    const envelope = readEnvelope(ref.name, head, ref.bytes, MATRIX_KIND);
    const section = (tag: string) => checkedSection(ref.name, envelope, tag, head);
    const rows = sectionOf(ref.name, envelope, 'ROWS');
    try {
      const meta = new VarintReader(section('META'));
      this.unit = UNITS[meta.uint()];
      this.modes = meta.uint();
      if (!this.unit || this.modes > 16) throw new RangeError('has an unknown unit or mode count');
      this.origins = decodeDictionary(section('ORIG'));
      this.targets = decodeDictionary(section('TARG'));
      this.attributes = section('ATTR');
      const directory = new VarintReader(section('RDIR'));
      this.#rowStarts = new Float64Array(this.origins.length + 1);
      let start = rows.offset;
      for (let i = 0; i < this.origins.length; i++) {
        this.#rowStarts[i] = start;
        start += directory.uint();
      }
      this.#rowStarts[this.origins.length] = start;
      if (start !== rows.offset + rows.bytes) throw new RangeError('does not add up to its rows');
    } catch (error) {
      if (error instanceof RangeError) throw new ShardError(ref.name, 'head', error.message);
      throw error;
    }
  }

  /** Reads the head of `ref`: one small read to learn its length, and one for the rest. */
  static async open(store: Store, ref: ObjectRef): Promise<Matrix> {
    const first = await store.readRange(ref, 0, Math.min(HEADER_READ_BYTES, ref.bytes));
    const envelope = readEnvelope(ref.name, first, ref.bytes, MATRIX_KIND);
    const headBytes = sectionOf(ref.name, envelope, 'ROWS').offset;
    const head = headBytes <= first.length ? first : await store.readRange(ref, 0, headBytes);
    return new Matrix(ref, head);
  }

  /** The head of a matrix that is in memory whole. */
  static fromBytes(object: string, bytes: Uint8Array): Matrix {
    return new Matrix({ name: object, bytes: bytes.length, sha256: '' }, bytes);
  }

  /** Memory held, for a byte-bounded cache. */
  get byteLength(): number {
    return (
      this.#rowStarts.byteLength +
      this.origins.byteLength +
      this.targets.byteLength +
      this.attributes.buffer.byteLength
    );
  }

  originOrdinal(id: number): number {
    return ordinalIn(this.origins, id);
  }

  targetOrdinal(id: number): number {
    return ordinalIn(this.targets, id);
  }

  rowRange(ordinal: number): { offset: number; length: number } {
    const offset = this.#rowStarts[ordinal];
    return { offset, length: this.#rowStarts[ordinal + 1] - offset };
  }

  /** One row, by at most one range read (none when nothing is within reach). */
  async row(store: Store, ordinal: number): Promise<ModeRow[]> {
    const { offset, length } = this.rowRange(ordinal);
    const bytes =
      length === 0 ? new Uint8Array(0) : await store.readRange(this.ref, offset, length);
    return this.decode(ordinal, bytes);
  }

  /** Decodes the bytes of a row as `rowRange` places it. */
  decode(ordinal: number, bytes: Uint8Array): ModeRow[] {
    return decodeRow(this.ref.name, ordinal, bytes, this.modes, this.targets.length, this.unit);
  }
}
