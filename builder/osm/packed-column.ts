import type { PbfReader } from 'pbf';
import { grow } from '../../shards/arrays/growable-array.ts';

/**
 * A column of packed varints, decoded into memory that is reused for the next column, since a
 * national file has ten billion varints. Most fit 28 bits and take the fast path; the rest go
 * through `pbf`.
 */
export class PackedColumn {
  values = new Float64Array(1024);
  length = 0;

  clear(): this {
    this.length = 0;
    return this;
  }

  /** The values; valid until the next read into the column. */
  view(): Float64Array {
    return this.values.subarray(0, this.length);
  }

  /** Appends `uint32` or `int32` values. */
  readUnsigned(pbf: PbfReader): void {
    const end = this.#reserve(pbf);
    while (pbf.pos < end) this.values[this.length++] = pbf.readVarint();
  }

  /** Appends delta-encoded zigzag varints as their running sums. */
  readDeltas(pbf: PbfReader): void {
    const end = this.#reserve(pbf);
    const { buf } = pbf;
    const { values } = this;
    let { length } = this;
    let sum = length === 0 ? 0 : values[length - 1];
    let at = pbf.pos;
    while (at < end) {
      let byte = buf[at];
      let zigzag = byte & 0x7f;
      let next = at + 1;
      for (let shift = 7; byte > 0x7f && shift < 28; shift += 7) {
        byte = buf[next++];
        zigzag |= (byte & 0x7f) << shift;
      }
      if (byte > 0x7f) {
        pbf.pos = at;
        sum += pbf.readSVarint();
        at = pbf.pos;
      } else {
        sum += (zigzag >>> 1) ^ -(zigzag & 1);
        at = next;
      }
      values[length++] = sum;
    }
    pbf.pos = at;
    this.length = length;
  }

  /** Makes room for one value per byte, and returns the end position of the column. */
  #reserve(pbf: PbfReader): number {
    const end = pbf.readPackedEnd();
    if (end > pbf.length) throw new RangeError('a list in it is truncated');
    const needed = this.length + end - pbf.pos;
    if (needed > this.values.length) this.values = grow(this.values, needed);
    return end;
  }
}
