import type { Waiters } from '../../shards/concurrency/fair-queue.ts';
import type { Bytes } from '../../shards/units.ts';
import { Body } from '../http/body.ts';
import { type ByteText, toBytes } from './byte-text.ts';
import type { RowFormat } from './row-format.ts';

/** Length of a piece, unless one row is longer. */
const PIECE_BYTES: Bytes = 16_384;
/** Room in the first piece for the text before the rows, which then takes no write of its own. */
const MARGIN_BYTES: Bytes = 512;
/** Rendered rows are buffered as text up to this length. */
const BUFFERED_BYTES: Bytes = PIECE_BYTES - MARGIN_BYTES;

/**
 * The rows of a response, as bytes of a format: they are added as text and never become objects.
 */
export class Rows {
  readonly format: RowFormat;
  readonly #pieces: Buffer[] = [];
  #text: ByteText = '';
  #count = 0;
  #pieceBytes = 0;

  constructor(format: RowFormat) {
    this.format = format;
  }

  get count(): number {
    return this.#count;
  }

  get bytes(): Bytes {
    return this.#pieceBytes + this.#text.length;
  }

  /** Adds a row, from its `begin` to its `end`. */
  add(row: ByteText): void {
    this.#count++;
    if (this.#text.length + row.length > BUFFERED_BYTES && this.#text !== '') {
      this.#pieces.push(this.#pieces.length === 0 ? withMargin(this.#text) : toBytes(this.#text));
      this.#pieceBytes += this.#text.length;
      this.#text = '';
    }
    this.#text += row;
  }

  /** The body: `before`, all rows, and `after`, which is not metered (`Body.paidLength`). */
  between(before: ByteText, after: ByteText): Body {
    const isCommaLeft = this.format.endsInComma && this.#count > 0;
    const pieces = this.#pieces.length === 0 ? [] : piecesAfter(before, this.#pieces);
    const last = pieces.length === 0 ? before + this.#text : this.#text;
    // Overwrites a trailing comma, since slicing it off would copy the whole text again.
    const bytes = Buffer.allocUnsafe(last.length - Number(isCommaLeft) + after.length);
    bytes.write(last, 'latin1');
    bytes.write(after, bytes.length - after.length, 'latin1');
    return new Body([...pieces, bytes], after.length);
  }
}

function withMargin(text: ByteText): Buffer {
  const bytes = Buffer.allocUnsafeSlow(MARGIN_BYTES + text.length);
  bytes.write(text, MARGIN_BYTES, 'latin1');
  return bytes;
}

/** Puts a text before pieces of rows, in the margin of the first piece if the text fits. */
function piecesAfter(before: ByteText, [first, ...others]: readonly Buffer[]): Buffer[] {
  const margin = MARGIN_BYTES - before.length;
  if (margin < 0) return [toBytes(before), first.subarray(MARGIN_BYTES), ...others];
  first.write(before, margin, 'latin1');
  return [first.subarray(margin), ...others];
}

/** Rows that have been counted but not yet rendered. */
export interface FoundRows {
  readonly count: number;
  /**
   * Reads and sums what the rows state, if they could be counted without it. A batch calls this for
   * several origins at once, so that their reads overlap; otherwise `addTo` does the work.
   */
  prepare?(waiters: Waiters): Promise<void>;
  addTo(rows: Rows, waiters: Waiters): Promise<void>;
}
