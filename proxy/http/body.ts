import type { Bytes } from '../../shards/units.ts';

/**
 * The body of a response, in pieces: joining the pieces of a large one would block the process
 * while copying and hold it in memory twice.
 */
export class Body {
  static readonly NONE = new Body([]);
  readonly pieces: readonly Buffer[];
  readonly length: Bytes;
  /** Length of the paid part: once this much is delivered, everything counts as delivered. */
  readonly paidLength: Bytes;

  /** `tail`: unmetered bytes at the end. */
  constructor(pieces: readonly Buffer[], tail: Bytes = 0) {
    this.pieces = pieces;
    this.length = pieces.reduce((sum, { length }) => sum + length, 0);
    this.paidLength = this.length - tail || this.length;
  }

  static of(bytes: Uint8Array): Body {
    return new Body([Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)]);
  }

  /** Joins the pieces in one buffer; for small or compressed bodies. */
  whole(): Buffer {
    return this.pieces.length === 1 ? this.pieces[0] : Buffer.concat(this.pieces);
  }

  /** Yields the body in order, in chunks of at most `most` bytes. */
  *cut(most: Bytes): Generator<Buffer> {
    for (const piece of this.pieces) {
      for (let start = 0; start < piece.length; start += most) {
        yield piece.subarray(start, start + most);
      }
    }
  }
}
