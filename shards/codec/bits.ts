import type { VarintReader, VarintWriter } from './varint.ts';

/** The longest number in gamma code, in bits. */
const MAX_BITS = 24;

/** Writes numbers bit by bit, little-endian, into whole bytes. */
export class BitWriter {
  readonly #out: VarintWriter;
  #pending = 0;
  #count = 0;

  constructor(out: VarintWriter) {
    this.#out = out;
  }

  /**
   * Writes a natural number below 2²⁴ in Elias' gamma code (1975): as many zeros as it has bits
   * after its highest, a one, and those bits.
   */
  gamma(value: number): void {
    const width = 31 - Math.clz32(value);
    if (!(value >= 1) || width >= MAX_BITS) throw new RangeError(`${value} has no gamma code`);
    this.#bits(0, width);
    this.#bits(1, 1);
    this.#bits(value - (1 << width), width);
  }

  finish(): void {
    if (this.#count > 0) this.#out.byte(this.#pending);
    this.#pending = 0;
    this.#count = 0;
  }

  #bits(value: number, width: number): void {
    this.#pending |= value << this.#count;
    this.#count += width;
    while (this.#count >= 8) {
      this.#out.byte(this.#pending & 255);
      this.#pending >>>= 8;
      this.#count -= 8;
    }
  }
}

/** Reads what `BitWriter` wrote. Throws a `RangeError` past the end, or for other numbers. */
export class BitReader {
  readonly #reader: VarintReader;
  #pending = 0;
  #count = 0;

  constructor(reader: VarintReader) {
    this.#reader = reader;
  }

  gamma(): number {
    let width = 0;
    while (this.#bits(1) === 0) {
      if (++width >= MAX_BITS) throw new RangeError('has a number over 2²⁴');
    }
    return (1 << width) + this.#bits(width);
  }

  #bits(width: number): number {
    while (this.#count < width) {
      this.#pending |= this.#reader.byte() << this.#count;
      this.#count += 8;
    }
    const value = this.#pending & ((1 << width) - 1);
    this.#pending >>>= width;
    this.#count -= width;
    return value;
  }
}
