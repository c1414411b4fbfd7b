import { decodeCheckedRow, ROW_CRC_BYTES, sealRow } from '../codec/checked-row.ts';
import { nameSum, stemSum } from '../codec/object-name.ts';
import { VarintReader, VarintWriter } from '../codec/varint.ts';
import { damaged } from '../errors.ts';
import type { Bytes } from '../units.ts';
import {
  checkedSection,
  type Envelope,
  envelopeContent,
  HEADER_READ_BYTES,
  readEnvelope,
  SELF_CHECKED,
  type Section,
  sectionOf,
} from './envelope.ts';
import type { PutBody } from './put-body.ts';
import type { Spool } from './spool.ts';
import type { ObjectRef, RangeSource } from './store.ts';

/** Tag of the section with the byte length of each row, in order. */
const LENGTHS = 'RDIR';
const NOTHING = new Uint8Array(0);

/** Writes the rows of an object one after another, each with its checksum. */
export class RowsWriter {
  /** Where the next row is written. */
  readonly row = new VarintWriter(1 << 16);
  readonly #lengths = new VarintWriter(1 << 12);
  readonly #sum: number;
  #rows = 0;
  #start = 0;

  /** `sum`: the `stemSum` of the object. */
  constructor(sum: number) {
    this.#sum = sum;
  }

  end(): void {
    this.row.take(ROW_CRC_BYTES);
    sealRow(this.#sum, this.#rows++, this.row.view(), this.#start);
    this.#lengths.uint(this.row.length - this.#start);
    this.#start = this.row.length;
  }

  sections(): Section[] {
    return [
      { tag: LENGTHS, bytes: this.#lengths.view() },
      { tag: SELF_CHECKED, bytes: this.row.view() },
    ];
  }
}

/** Takes the rows of an object that may exceed memory, each with its checksum or without a byte. */
export class SpooledRows {
  /** The seed of the rows' checksums. */
  readonly sum: number;
  readonly #spool: Spool;
  readonly #lengths = new VarintWriter(1 << 12);
  count = 0;

  /** `stem`: of the object's name; `spool`: closed by the caller once the content is stored. */
  constructor(stem: string, spool: Spool) {
    this.sum = stemSum(stem);
    this.#spool = spool;
  }

  append(bytes: Uint8Array, lengths: Iterable<number>): void {
    for (const length of lengths) {
      this.#lengths.uint(length);
      this.count++;
    }
    if (bytes.length > 0) this.#spool.append(bytes);
  }

  /** Returns the object with these sections before its rows, of which there must be `count`. */
  content(kind: string, head: readonly Section[], count: number): PutBody {
    if (this.count !== count) throw new RangeError(`${this.count} rows of ${count}`);
    const lengths = { tag: LENGTHS, bytes: this.#lengths.view() };
    return envelopeContent(kind, [...head, lengths], this.#spool, this.sum);
  }
}

/** The part of an object before its rows, in memory. */
export class ObjectHead {
  readonly ref: ObjectRef;
  /** At least those of the head. */
  readonly bytes: Uint8Array;
  readonly #source: RangeSource;
  readonly #envelope: Envelope;

  constructor(source: RangeSource, ref: ObjectRef, kind: string, bytes: Uint8Array) {
    this.ref = ref;
    this.bytes = bytes;
    this.#source = source;
    this.#envelope = readEnvelope(ref.name, bytes, ref.bytes, kind);
  }

  /**
   * Reads the head of an object, whose rows come last: one read of `firstBytes`, small where the
   * length is not known, and another if it is longer than that read. Throws a `ShardError` if the
   * object was written for another name.
   */
  static async read(
    source: RangeSource,
    ref: ObjectRef,
    kind: string,
    firstBytes = HEADER_READ_BYTES,
  ): Promise<ObjectHead> {
    const first = await source.readRange(ref, 0, Math.min(firstBytes, ref.bytes));
    const head = new ObjectHead(source, ref, kind, first);
    if (head.#envelope.sum !== nameSum(ref.name)) {
      throw damaged(ref.name, 'header', 'is of another kind or area than the name');
    }
    const { length } = head;
    if (length <= first.length) return head;
    return new ObjectHead(source, ref, kind, await source.readRange(ref, 0, length));
  }

  get length(): Bytes {
    return sectionOf(this.ref.name, this.#envelope, SELF_CHECKED).offset;
  }

  section(tag: string): Uint8Array {
    return checkedSection(this.ref.name, this.#envelope, tag, this.bytes);
  }

  reader(tag: string): VarintReader {
    return new VarintReader(this.section(tag));
  }

  /** The rows, of which there are `count`; throws a `RangeError` for another number. */
  rows(count: number): StoredRows {
    const { bytes } = sectionOf(this.ref.name, this.#envelope, SELF_CHECKED);
    const end = this.length + bytes;
    return new StoredRows(this.#source, this.ref, this.reader(LENGTHS), count, this.length, end);
  }
}

export class StoredRows {
  readonly #source: RangeSource;
  readonly #ref: ObjectRef;
  /** Offset of each row in the object, and one past the last: rows can exceed 4 GiB. */
  readonly #starts: Float64Array;

  /** Throws a `RangeError` unless `count` lengths add up to the bytes from `start` up to `end`. */
  constructor(
    source: RangeSource,
    ref: ObjectRef,
    lengths: VarintReader,
    count: number,
    start: Bytes,
    end: Bytes,
  ) {
    this.#source = source;
    this.#ref = ref;
    if (count > lengths.left) throw new RangeError(`counts ${count} rows`);
    this.#starts = new Float64Array(count + 1);
    let at = start;
    for (let row = 0; row < count; row++) {
      this.#starts[row] = at;
      at += lengths.uint();
    }
    this.#starts[count] = at;
    if (at !== end) throw new RangeError('does not add up to its rows');
  }

  get count(): number {
    return this.#starts.length - 1;
  }

  get byteLength(): Bytes {
    return this.#starts.byteLength;
  }

  /** Offset of a row; for `count`, the end of the last row. */
  startOf(row: number): Bytes {
    return this.#starts[row];
  }

  /** The bytes of the rows from `first` up to `end`. One range read; none if there are no bytes. */
  bytes(first: number, end: number): Promise<Uint8Array> | Uint8Array {
    const start = this.startOf(first);
    const length = this.startOf(end) - start;
    return length === 0 ? NOTHING : this.#source.readRange(this.#ref, start, length);
  }

  /** The bytes of a row among those from `first` on. */
  rowIn(bytes: Uint8Array, first: number, row: number): Uint8Array {
    const start = this.startOf(first);
    return bytes.subarray(this.startOf(row) - start, this.startOf(row + 1) - start);
  }

  /**
   * Decodes the rows from `first` up to `end`, with one range read; a row without bytes is `empty`,
   * and damaged if that is not given.
   */
  async decoded<T>(
    first: number,
    end: number,
    decode: (reader: VarintReader) => T,
    empty?: T,
  ): Promise<T[]> {
    const bytes = await this.bytes(first, end);
    return Array.from({ length: end - first }, (_, i) => {
      const row = this.rowIn(bytes, first, first + i);
      if (row.length === 0 && empty !== undefined) return empty;
      return decodeCheckedRow(this.#ref.name, first + i, row, decode);
    });
  }
}
