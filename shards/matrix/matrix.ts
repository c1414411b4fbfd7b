import { ordinalIn } from '../arrays/sorted.ts';
import { VarintReader, VarintWriter } from '../codec/varint.ts';
import { decodingError } from '../errors.ts';
import type { ObjectRef, RangeSource } from '../store/store.ts';
import { ObjectHead, type StoredRows } from '../store/stored-rows.ts';
import type { Bytes } from '../units.ts';
import {
  EncodedRow,
  MINUTES,
  type ModeBases,
  type ModeRow,
  NO_BASES,
  TENTHS,
  type TimeUnit,
} from './row-codec.ts';

export const MATRIX_KIND = 'MATR';
const SCAN_BYTES = 4 * 2 ** 20;
/** Largest gap between rows that are fetched by one read. */
const GAP_BYTES: Bytes = 32 * 2 ** 10;
const MAX_MODES = 64;
/** Time units, indexed by their number in `META`. */
export const UNITS: readonly TimeUnit[] = [TENTHS, MINUTES];

/**
 * A stored matrix: its head is in memory; each row is fetched by one range read, since a request
 * wants a few rows of many thousand.
 */
export class Matrix {
  readonly origins: Float64Array;
  readonly targets: Float64Array;
  /** The `ATTR` section as written. */
  readonly attributes: Uint8Array;
  readonly modes: number;
  /** The bases of modes, see `row-codec.ts`. */
  readonly bases: ModeBases;
  readonly unit: TimeUnit;
  readonly ref: ObjectRef;
  readonly #rows: StoredRows;

  private constructor(head: ObjectHead) {
    this.ref = head.ref;
    try {
      const meta = head.reader('META');
      this.unit = UNITS[meta.uint()];
      this.modes = meta.uint();
      this.bases = decodeBases(meta, this.modes);
      if (!this.unit || this.modes > MAX_MODES)
        throw new RangeError('has an unknown unit or mode count');
      this.origins = decodeDictionary(head.section('ORIG'));
      this.targets = decodeDictionary(head.section('TARG'));
      this.attributes = head.section('ATTR');
      this.#rows = head.rows(this.origins.length);
    } catch (error) {
      throw decodingError(head.ref.name, 'head', error);
    }
  }

  static async open(source: RangeSource, ref: ObjectRef): Promise<Matrix> {
    return new Matrix(await ObjectHead.read(source, ref, MATRIX_KIND));
  }

  static fromBytes(object: string, bytes: Uint8Array): Matrix {
    const source: RangeSource = {
      readRange: async (_ref, offset, length) => bytes.subarray(offset, offset + length),
    };
    const ref = { name: object, bytes: bytes.length, sha256: '' };
    return new Matrix(new ObjectHead(source, ref, MATRIX_KIND, bytes));
  }

  get byteLength(): number {
    return (
      this.#rows.byteLength +
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
    const offset = this.#rows.startOf(ordinal);
    return { offset, length: this.#rows.startOf(ordinal + 1) - offset };
  }

  /** Reads one row with at most one range read (none if nothing is within reach). */
  async row(ordinal: number): Promise<ModeRow[]> {
    return (await this.encodedRow(ordinal)).all();
  }

  /** Reads one row as `row` does, but decodes it lazily. */
  async encodedRow(ordinal: number): Promise<EncodedRow> {
    return this.#encoded(ordinal, await this.#rows.bytes(ordinal, ordinal + 1));
  }

  /**
   * Reads several rows, given ascending; rows with at most `GAP_BYTES` between them share a read.
   */
  async encodedRows(ordinals: readonly number[]): Promise<EncodedRow[]> {
    const reads: Promise<EncodedRow[]>[] = [];
    for (let first = 0, end: number; first < ordinals.length; first = end) {
      end = first + 1;
      while (end < ordinals.length && this.#gap(ordinals[end - 1], ordinals[end]) <= GAP_BYTES)
        end++;
      reads.push(this.#run(ordinals.slice(first, end)));
    }
    return (await Promise.all(reads)).flat();
  }

  #gap(before: number, after: number): Bytes {
    return this.#rows.startOf(after) - this.#rows.startOf(before + 1);
  }

  async #run(ordinals: readonly number[]): Promise<EncodedRow[]> {
    const [first] = ordinals;
    const bytes = await this.#rows.bytes(first, ordinals[ordinals.length - 1] + 1);
    return ordinals.map((ordinal) =>
      this.#encoded(ordinal, this.#rows.rowIn(bytes, first, ordinal)),
    );
  }

  /** Reads all rows in order, by the range reads of `runs`. */
  async *rows(most?: Bytes): AsyncGenerator<{ ordinal: number; modes: ModeRow[] }> {
    for await (const { first, bytes, lengths } of this.runs(most)) {
      for (let ordinal = first; ordinal < first + lengths.length; ordinal++) {
        yield { ordinal, modes: this.decode(ordinal, this.#rows.rowIn(bytes, first, ordinal)) };
      }
    }
  }

  /**
   * Reads all rows in order, as they are encoded. Each range read fetches as many rows as fit in
   * `most` bytes, at least one and at most `mostRows`.
   */
  async *runs(most: Bytes = SCAN_BYTES, mostRows = Number.POSITIVE_INFINITY) {
    const last = this.origins.length;
    for (let first = 0, end: number; first < last; first = end) {
      const { offset } = this.rowRange(first);
      end = first + 1;
      while (end < last && end - first < mostRows && this.#rows.startOf(end + 1) - offset <= most)
        end++;
      const lengthOf = (_: unknown, i: number) => this.rowRange(first + i).length;
      const lengths = Uint32Array.from({ length: end - first }, lengthOf);
      yield { first, lengths, bytes: await this.#rows.bytes(first, end) };
    }
  }

  /** Decodes the bytes of a row fetched as `rowRange` specifies. */
  decode(ordinal: number, bytes: Uint8Array): ModeRow[] {
    return this.#encoded(ordinal, bytes).all();
  }

  #encoded(ordinal: number, bytes: Uint8Array): EncodedRow {
    const { modes, targets, unit, bases } = this;
    return new EncodedRow(this.ref.name, ordinal, bytes, modes, targets.length, unit, bases);
  }
}

/** Reads the base of each mode, which follow where any has one. A base comes before its modes. */
function decodeBases(meta: VarintReader, modes: number): ModeBases {
  if (meta.done || modes > MAX_MODES) return NO_BASES;
  return Array.from({ length: modes }, (_, mode) => {
    const base = meta.uint() - 1;
    if (base >= mode) throw new RangeError(`has mode ${base} as the base of ${mode}`);
    return base;
  });
}

/** Encodes strictly ascending ids below 2⁵³ as deltas. */
export function encodeDictionary(ids: ArrayLike<number>): Uint8Array {
  const out = new VarintWriter(ids.length * 4 + 8);
  out.uint(ids.length);
  let previous = -1;
  for (let i = 0; i < ids.length; i++) {
    if (ids[i] <= previous) throw new RangeError(`id ${ids[i]} comes after ${previous}`);
    out.uint(ids[i] - Math.max(previous, 0));
    previous = ids[i];
  }
  return out.view();
}

export function decodeDictionary(bytes: Uint8Array): Float64Array {
  const reader = new VarintReader(bytes);
  const count = reader.count('ids');
  const ids = new Float64Array(count);
  let id = 0;
  for (let i = 0; i < count; i++) {
    id += reader.uint();
    ids[i] = id;
  }
  return ids;
}
