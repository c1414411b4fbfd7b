import { grow } from '../arrays/growable-array.ts';

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();

/**
 * Writes LEB128 integers below 2⁵³. Bitwise operators stop at 32 bits, so the high part uses
 * multiplication.
 */
export class VarintWriter {
  #bytes: Uint8Array;
  #length = 0;

  constructor(capacity = 256) {
    this.#bytes = new Uint8Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  /** The bytes written so far; valid until the next write or `reset`. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  reset(): void {
    this.#length = 0;
  }

  /** Reserves `count` bytes for the caller to fill. Valid until the next write. */
  take(count: number): Uint8Array {
    this.#reserve(count);
    this.#length += count;
    return this.#bytes.subarray(this.#length - count, this.#length);
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  bytes(values: Uint8Array): void {
    this.#reserve(values.length);
    this.#bytes.set(values, this.#length);
    this.#length += values.length;
  }

  uint(value: number): void {
    this.#reserve(8);
    while (value >= 0x8000_0000) {
      this.#bytes[this.#length++] = (value % 128) | 128;
      value = Math.floor(value / 128);
    }
    while (value >= 128) {
      this.#bytes[this.#length++] = (value & 127) | 128;
      value >>>= 7;
    }
    this.#bytes[this.#length++] = value;
  }

  /** Writes a zigzag varint: small magnitudes of either sign stay short. Magnitudes below 2⁵². */
  int(value: number): void {
    this.uint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  text(text: string): void {
    const bytes = ENCODER.encode(text);
    this.uint(bytes.length);
    this.bytes(bytes);
  }

  texts(texts: readonly string[]): void {
    this.uint(texts.length);
    for (const text of texts) this.text(text);
  }

  #reserve(more: number): void {
    const wanted = this.#length + more;
    if (wanted > this.#bytes.length) this.#bytes = grow(this.#bytes, wanted);
  }
}

/** Reads what `VarintWriter` wrote. Throws a `RangeError` past the end or above 2⁵³. */
export class VarintReader {
  readonly #bytes: Uint8Array;
  #at: number;
  readonly #end: number;

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  get position(): number {
    return this.#at;
  }

  get done(): boolean {
    return this.#at >= this.#end;
  }

  get left(): number {
    return this.#end - this.#at;
  }

  byte(): number {
    if (this.#at >= this.#end) throw new RangeError('ends early');
    return this.#bytes[this.#at++];
  }

  bytes(length: number): Uint8Array {
    if (length > this.#end - this.#at) throw new RangeError('ends early');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  uint(): number {
    // Fast path: most numbers take one byte.
    if (this.#at < this.#end && this.#bytes[this.#at] < 128) return this.#bytes[this.#at++];
    let value = 0;
    let scale = 1;
    for (let i = 0; i < 8; i++) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) {
        if (value > Number.MAX_SAFE_INTEGER) break;
        return value;
      }
      scale *= 128;
    }
    throw new RangeError('has a number over 2⁵³');
  }

  int(): number {
    const value = this.uint();
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  }

  /** Reads the number of the items that follow, of at least a byte each; errors name `what`. */
  count(what: string): number {
    const count = this.uint();
    if (count > this.left) throw new RangeError(`counts ${count} ${what}`);
    return count;
  }

  text(): string {
    return DECODER.decode(this.bytes(this.uint()));
  }

  texts(what: string): string[] {
    return Array.from({ length: this.count(what) }, () => this.text());
  }
}
