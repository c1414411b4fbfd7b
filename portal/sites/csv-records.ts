/** A record of CSV text: the line that it begins on, from 1, and its cells. */
export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Error for quotes that do not match, at the line that their cell begins on. */
export class MismatchedQuotes extends Error {
  override readonly name = 'MismatchedQuotes';
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/**
 * Reads the records of CSV text one by one (RFC 4180, with line ends of any kind); empty lines are
 * skipped. Throws `MismatchedQuotes`. Takes linear time, whatever the text: Papa Parse takes
 * quadratic time for quotes that do not match, reads on after them, and does not count lines.
 */
export function* csvRecords(text: string, delimiter: string): Generator<CsvRecord> {
  let line = 1;
  let record = { line, cells: [] as string[] };
  for (let at = 0; at < text.length || record.cells.length > 0; at++) {
    if (record.cells.length > 0 || !isLineEnd(text[at])) {
      const quotesEnd = text[at] === '"' ? endOfQuotes(text, at, line) : at;
      const end = endOfCell(text, quotesEnd, delimiter);
      const plain = text.slice(quotesEnd, end);
      if (quotesEnd === at) record.cells.push(plain);
      else {
        if (plain.trim() !== '') {
          throw new MismatchedQuotes(line, 'has text after a closing quote');
        }
        const quoted = text.slice(at + 1, quotesEnd - 1);
        record.cells.push(quoted.replaceAll('""', '"'));
        line += quoted.match(LINE_ENDS)?.length ?? 0;
      }
      at = end;
      if (text[at] === delimiter) continue;
      yield record;
    }
    if (text[at] === '\r' && text[at + 1] === '\n') at++;
    record = { line: ++line, cells: [] };
  }
}

const LINE_ENDS = /\r\n|\r|\n/g;

function isLineEnd(character: string): boolean {
  return character === '\n' || character === '\r';
}

/** Index after the quote that closes the one at `start`. */
function endOfQuotes(text: string, start: number, line: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
  if (end === -1) throw new MismatchedQuotes(line, 'has a quote that is not closed');
  return end + 1;
}

function endOfCell(text: string, start: number, delimiter: string): number {
  let end = start;
  while (end < text.length && text[end] !== delimiter && !isLineEnd(text[end])) end++;
  return end;
}
