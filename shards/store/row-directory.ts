import type { VarintReader } from '../codec/varint.ts';
import type { Bytes } from '../units.ts';
import type { SectionEntry } from './envelope.ts';

/** Offsets of an object's rows, from its `RDIR` section: the byte length of each row, in order. */
export class RowDirectory {
  /** Offset of each row in the object, and one past the last: rows can exceed 4 GiB. */
  readonly #starts: Float64Array;

  /** Throws a `RangeError` unless `count` lengths add up to the section of rows. */
  constructor(lengths: VarintReader, count: number, rows: SectionEntry) {
    if (count > lengths.left) throw new RangeError(`counts ${count} rows`);
    this.#starts = new Float64Array(count + 1);
    let start = rows.offset;
    for (let row = 0; row < count; row++) {
      this.#starts[row] = start;
      start += lengths.uint();
    }
    this.#starts[count] = start;
    if (start !== rows.offset + rows.bytes) throw new RangeError('does not add up to its rows');
  }

  get count(): number {
    return this.#starts.length - 1;
  }

  /** Memory use. */
  get byteLength(): Bytes {
    return this.#starts.byteLength;
  }

  /** Offset of a row; for `count`, the end of the last row. */
  startOf(row: number): Bytes {
    return this.#starts[row];
  }

  rangeOf(row: number): { readonly offset: Bytes; readonly length: Bytes } {
    const offset = this.#starts[row];
    return { offset, length: this.#starts[row + 1] - offset };
  }
}
