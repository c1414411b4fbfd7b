import type { PointGeometry, PolygonGeometry } from '../../shards/geometry/geo-json.ts';
import type { Bytes } from '../../shards/units.ts';
import { Body } from '../http/body.ts';
import {
  type PartWriter,
  type RowColumn,
  type RowMembers,
  type RowPart,
  requireColumns,
} from './columns.ts';
import type { Format } from './negotiate.ts';

/**
 * Text as its UTF-8 bytes, one character per byte. Concatenated, it takes one byte per character
 * even for non-ASCII text, and `toBytes` only copies it.
 */
export type ByteText = string & { readonly unit?: 'bytes' };

export function byteText(text: string): ByteText {
  return BEYOND_ASCII.test(text) ? Buffer.from(text).toString('latin1') : text;
}

const BEYOND_ASCII = /[^\0-\x7f]/;

function toBytes(text: ByteText): Buffer {
  return Buffer.from(text, 'latin1');
}

/**
 * Flattens a text. Joined text is a tree of its pieces, which would be traversed again for each row
 * that contains it; a cached text copies faster when flat.
 */
export function inOnePiece(text: ByteText): ByteText {
  return toBytes(text).toString('latin1');
}

export interface RowFormat {
  readonly name: Format;
  rows(columns: readonly RowColumn[]): Rows;
}

type Parts<K extends readonly unknown[]> = { readonly [P in keyof K]: RowPart<K[P]> };

/** The rows of a response, written as they are added: they never become objects. */
export interface Rows {
  readonly format: RowFormat;
  readonly columns: readonly RowColumn[];
  readonly count: number;
  /** Length of the text written; 0 in a format that is not text. */
  readonly bytes: Bytes;
  /** Returns a function that adds a row, given the key of each of its parts. */
  of<K extends readonly unknown[]>(...parts: Parts<K>): (...keys: K) => void;
}

/**
 * A format of text. A row is `begin`, then its members separated by commas, then `end`, so the text
 * of some members can be rendered once and used in many rows.
 */
export interface TextFormat extends RowFormat {
  /**
   * Text before all rows, unless they are a member of a JSON body; `after` is the text after all
   * rows. `others` are the other members of a batch or an area; undefined for other responses.
   */
  before(columns: readonly RowColumn[], others: RowMembers | undefined): string;
  after(others: RowMembers | undefined): string;
  /** Whether rows end in a comma, which is removed from the last row. */
  readonly endsInComma: boolean;
  readonly omitsAbsent: boolean;
  /** Whether rows begin with their geometry. */
  readonly hasGeometry: boolean;
  /** Starts a row, with its geometry in formats that have geometries. */
  begin(geometry?: PointGeometry | PolygonGeometry): string;
  /** Renders adjacent members in the order of `members`, or of `columns` in CSV. */
  members(members: RowMembers, columns: readonly RowColumn[]): string;
  readonly end: string;
}

/** Length of a piece, unless one row is longer. */
const PIECE_BYTES: Bytes = 16_384;
/** Room in the first piece for the text before the rows, which then takes no write of its own. */
const MARGIN_BYTES: Bytes = 512;
/** Rendered rows are buffered as text up to this length. */
const BUFFERED_BYTES: Bytes = PIECE_BYTES - MARGIN_BYTES;

export class TextRows implements Rows {
  readonly format: TextFormat;
  readonly columns: readonly RowColumn[];
  readonly #pieces: Buffer[] = [];
  #text: ByteText = '';
  #count = 0;
  #pieceBytes = 0;

  constructor(format: TextFormat, columns: readonly RowColumn[]) {
    this.format = format;
    this.columns = columns;
  }

  get count(): number {
    return this.#count;
  }

  get bytes(): Bytes {
    return this.#pieceBytes + this.#text.length;
  }

  of<K extends readonly unknown[]>(...parts: Parts<K>): (...keys: K) => void {
    requireColumns(this.columns, parts);
    const { format } = this;
    const isWritten = ({ columns, isGeometry }: RowPart<never>) =>
      columns.length > 0 || (isGeometry && format.hasGeometry);
    const written = [...parts.keys()].filter((part) => isWritten(parts[part]));
    const texts = written.map((part, i) =>
      parts[part].written(
        this.#writerAt(
          i,
          written.map((one) => parts[one]),
        ),
      ),
    );
    const [first, second, third, fourth] = texts;
    const [a, b, c, d] = written;
    // Written out, since a loop over so short texts takes a tenth of the time of a row.
    switch (texts.length) {
      case 1:
        return (...keys) => this.#add(first(keys[a]));
      case 2:
        return (...keys) => this.#add(first(keys[a]) + second(keys[b]));
      case 3:
        return (...keys) => this.#add(first(keys[a]) + second(keys[b]) + third(keys[c]));
      case 4:
        return (...keys) =>
          this.#add(first(keys[a]) + second(keys[b]) + third(keys[c]) + fourth(keys[d]));
    }
    return (...keys) => {
      let row = first(keys[a]) + second(keys[b]) + third(keys[c]) + fourth(keys[d]);
      for (let i = 4; i < texts.length; i++) row += texts[i](keys[written[i]]);
      this.#add(row);
    };
  }

  /** Writes the part at a place of the rows, with the text between it and the part before. */
  #writerAt(place: number, parts: readonly RowPart<never>[]): PartWriter<ByteText> {
    const { format } = this;
    const first = parts[0].isGeometry ? 1 : 0;
    const isFirst = place === first;
    const before = isFirst ? (first === 0 ? format.begin() : '') : ',';
    const after = place === parts.length - 1 ? format.end : '';
    return {
      name: `${format.name} ${before} ${after}`,
      geometry: (geometry) => byteText(format.begin(geometry)),
      members(members, columns) {
        const text = format.members(members, columns);
        const isAbsent = text === '' && !isFirst && format.omitsAbsent;
        return byteText((isAbsent ? '' : before + text) + after);
      },
    };
  }

  #add(row: ByteText): void {
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
  prepare?(): Promise<void>;
  addTo(rows: Rows): Promise<void>;
}
