import type { Bytes } from '../../shards/units.ts';

/**
 * The body of an answer, in pieces: to put the pieces of a large one together would hold the process
 * for as long as all of it takes to copy, and have it in memory twice.
 */
export class Body {
  static readonly NONE = new Body([]);
  readonly pieces: readonly Buffer[];
  readonly length: Bytes;
  /** Up to where what is paid for stands: once as much is delivered, all of it is. */
  readonly paidLength: Bytes;

  /** `tail`: bytes at the end that nobody pays for. */
  constructor(pieces: readonly Buffer[], tail: Bytes = 0) {
    this.pieces = pieces;
    this.length = pieces.reduce((sum, { length }) => sum + length, 0);
    this.paidLength = this.length - tail || this.length;
  }

  static of(bytes: Uint8Array): Body {
    return new Body([Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)]);
  }

  /** All of it in one: what is small, or was compressed. */
  whole(): Buffer {
    return this.pieces.length === 1 ? this.pieces[0] : Buffer.concat(this.pieces);
  }

  /** All of it, in order, at most so much at a time. */
  *cut(most: Bytes): Generator<Buffer> {
    for (const piece of this.pieces) {
      for (let start = 0; start < piece.length; start += most) {
        yield piece.subarray(start, start + most);
      }
    }
  }
}
