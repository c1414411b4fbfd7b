/** A record of CSV text: the line that it begins on, from 1, and its cells. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** A line that begins a row that is not CSV, and what it has. */
export interface CsvFault {
  readonly line: number;
  readonly fault: string;
  /**
   * The cells of this line, if it leaves no doubt about them: between its delimiters there are as
   * many as there are columns, and each quote has its partner in the same cell. Null otherwise.
   */
  readonly cells: readonly string[] | null;
}

export type CsvRecord = CsvRow | CsvFault;

const AFTER_QUOTE = 'text after a closing quote';
const UNCLOSED = 'a quote that is not closed';
const CLOSED_IN_ANOTHER = 'a quote that seems to be closed in another row';
const EXTRA_CELLS =
  'more values than there are columns (those that contain the delimiter need quotes)';
const PART_OF_ROW = 'a part of a row with mismatched quotes';
const LINE_ENDS = /\r\n|\r|\n/g;

interface Quoted {
  readonly cells: string[];
  readonly end: number;
  readonly lines: number;
}

/** A fault in a record, with the number of lines that the record has up to there. */
interface Mismatch {
  readonly fault: string;
  readonly lines: number;
}

/**
 * Reads the records of CSV text (RFC 4180, with line ends of any kind, which become `\n`) as it
 * arrives, in linear time whatever the text. Blank records are skipped; short rows are accepted;
 * blanks may surround a quoted cell.
 *
 * A row yields a fault if its quotes do not match; if it has cells beyond those of the first
 * record, since an unquoted delimiter may have shifted them; or if, without the quotes around its
 * line ends, both its first and its last line would be rows with a cell in each of several columns,
 * since they may be, with a stray quote in each. Reading resumes on the line after the one that the
 * row begins on, so that an unclosed quote swallows no row after it. Lines up to where the fault
 * was noticed may be parts of that row, so they are rows only if they are complete.
 */
export class CsvReader {
  readonly #delimiter: string;
  readonly #maxRecord: number;
  #pending = '';
  #line = 1;
  /** Number of columns: the cells of the first record. */
  #width = Number.POSITIVE_INFINITY;
  /** The last line that may be a part of a row with mismatched quotes. */
  #doubtfulUntil = 0;

  /** `maxRecord`: characters after which a quote that is not closed never will be. */
  constructor(delimiter: string, maxRecord = Number.POSITIVE_INFINITY) {
    this.#delimiter = delimiter;
    this.#maxRecord = maxRecord;
  }

  get pendingLength(): number {
    return this.#pending.length;
  }

  get nextLine(): number {
    return this.#line + linesIn(this.#pending);
  }

  /** Yields the records that are complete with this text, all of them if it is the last. */
  *read(more: string, isLast: boolean): Generator<CsvRecord> {
    let text = this.#pending + more;
    let carried = '';
    if (text.includes('\r')) {
      // A carriage return at the very end may be the first half of a line end.
      if (!isLast && text.endsWith('\r')) carried = '\r';
      text = text.slice(0, text.length - carried.length).replaceAll(LINE_ENDS, '\n');
    }
    const hasQuotes = text.includes('"');
    let at = 0;
    while (at < text.length) {
      let end = text.indexOf('\n', at);
      if (end === -1) {
        if (!isLast) break;
        end = text.length;
      }
      let lines = 1;
      let cells: string[];
      const line = text.slice(at, end);
      if (hasQuotes && line.includes('"')) {
        const quoted = this.#quoted(text, at, isLast);
        if (quoted === null) break;
        if ('fault' in quoted) {
          yield this.#faultOf(quoted, this.#certainCells(line));
          at = end + 1;
          continue;
        }
        ({ cells, end, lines } = quoted);
      } else cells = line.split(this.#delimiter);
      const fault = this.#faultIn(cells);
      if (fault !== null) {
        yield this.#faultOf({ fault, lines }, null);
        at = text.indexOf('\n', at) + 1 || text.length;
        continue;
      }
      const record = { line: this.#line, cells };
      this.#line += lines;
      at = end + 1;
      if (cells.length === 1 && cells[0].trim() === '') continue;
      if (this.#width === Number.POSITIVE_INFINITY) this.#width = cells.length;
      yield record;
    }
    this.#pending = text.slice(at) + carried;
  }

  /** Notes that the record that begins on this line has a fault; resumes on the next. */
  #faultOf({ fault, lines }: Mismatch, cells: readonly string[] | null): CsvFault {
    const line = this.#line++;
    this.#doubtfulUntil = Math.max(this.#doubtfulUntil, line + lines - 1);
    return { line, fault, cells };
  }

  #certainCells(line: string): string[] | null {
    if (this.#line <= this.#doubtfulUntil) return null;
    const cells = line.split(this.#delimiter);
    if (cells.length !== this.#width) return null;
    return cells.every((cell) => cell.split('"').length % 2 === 1)
      ? cells.map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'))
      : null;
  }

  /** The fault of a record whose quotes match, or null. */
  #faultIn(cells: readonly string[]): string | null {
    if (cells.length > this.#width) {
      const isBlank = cells.slice(this.#width).every((cell) => cell.trim() === '');
      if (!isBlank) return EXTRA_CELLS;
    }
    if (this.#line > this.#doubtfulUntil) return null;
    return cells.length < this.#width || cells.some((cell) => cell.includes('"'))
      ? PART_OF_ROW
      : null;
  }

  /** Reads a record with quotes; null if it is not complete yet. */
  #quoted(text: string, start: number, isLast: boolean): Quoted | Mismatch | null {
    const cells: string[] = [];
    let lines = 1;
    // Cells of the first line, and those before the last line, if quotes contained no line end.
    let [ofFirst, beforeLast] = [0, 0];
    for (let at = start; ; at++) {
      const open = afterBlanks(text, at, this.#delimiter);
      if (text[open] === '"') {
        const close = closingQuote(text, open);
        const after = close === -1 ? text.length : afterBlanks(text, close + 1, this.#delimiter);
        if (after === text.length && !isLast && after - start <= this.#maxRecord) return null;
        if (close === -1 || close - start > this.#maxRecord) return { fault: UNCLOSED, lines: 1 };
        const value = text.slice(open + 1, close);
        if (value.includes('\n')) {
          const parts = value.split('\n');
          if (lines === 1) ofFirst = cells.length + this.#cellsIn(parts[0]);
          lines += parts.length - 1;
          beforeLast = cells.length + 1 - this.#cellsIn(parts.at(-1)!);
        }
        if (after < text.length && text[after] !== this.#delimiter && text[after] !== '\n') {
          return { fault: AFTER_QUOTE, lines };
        }
        cells.push(value.includes('"') ? value.replaceAll('""', '"') : value);
        at = after;
      } else {
        const end = endOfCell(text, at, this.#delimiter);
        if (end === text.length && !isLast) return null;
        cells.push(text.slice(at, end));
        at = end;
      }
      if (text[at] === this.#delimiter) continue;
      const isTwoRows =
        this.#width > 1 && ofFirst === this.#width && cells.length - beforeLast === this.#width;
      return isTwoRows ? { fault: CLOSED_IN_ANOTHER, lines } : { cells, end: at, lines };
    }
  }

  #cellsIn(text: string): number {
    return text.split(this.#delimiter).length;
  }
}

function linesIn(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

function afterBlanks(text: string, start: number, delimiter: string): number {
  let at = start;
  while ((text[at] === ' ' || text[at] === '\t') && text[at] !== delimiter) at++;
  return at;
}

/** Index of the quote that closes the one at `open`, or -1. */
function closingQuote(text: string, open: number): number {
  let close = text.indexOf('"', open + 1);
  while (close !== -1 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
  return close;
}

function endOfCell(text: string, start: number, delimiter: string): number {
  let end = start;
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n') end++;
  return end;
}
