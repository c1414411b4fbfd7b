import type { Readable } from 'node:stream';
import Papa, { type ParseResult } from 'papaparse';
import { messageOf } from '../../shards/error-facts.ts';
import { BuildError } from '../errors.ts';

/** Limits that no real table exceeds. */
export interface CsvLimits {
  /** Maximum number of records, including the header and empty lines. */
  readonly rows: number;
  /** Maximum characters of a record; a longer one has an unclosed quote. */
  readonly recordLength: number;
}

const BYTE_ORDER_MARK = '\ufeff';

/**
 * Reads the records of a CSV stream in UTF-8. Quoted fields may contain line breaks and commas; any
 * line ending and short rows are accepted. Throws a `BuildError` that names the table if it is
 * unreadable, has an unclosed quote, or exceeds the limits.
 */
export async function* csvRecords(
  stream: Readable,
  table: string,
  limits: CsvLimits,
): AsyncGenerator<readonly string[]> {
  const parser = new Papa.Parser({ delimiter: ',', newline: '\n', quoteChar: '"' });
  stream.setEncoding('utf8');
  let pending = '';
  let atStart = true;
  let rows = 0;
  const counted = (records: readonly string[][]): readonly string[][] => {
    rows += records.length;
    if (rows <= limits.rows) return records;
    throw new BuildError(
      `${table}: has more than ${limits.rows} records, more than any real one; download it again, or split it`,
    );
  };
  try {
    for await (const chunk of stream) {
      pending += chunk;
      if (atStart && pending.startsWith(BYTE_ORDER_MARK)) pending = pending.slice(1);
      atStart = false;
      // A carriage return at the very end may be the first half of a line ending.
      const carried = pending.endsWith('\r') ? '\r' : '';
      const text = unixLines(pending.slice(0, pending.length - carried.length));
      const { data, meta }: ParseResult<string[]> = parser.parse(text, 0, true);
      yield* counted(data);
      pending = text.slice(meta.cursor) + carried;
      if (pending.length > limits.recordLength) {
        throw new BuildError(
          `${table}: record ${rows + 1} is longer than ${limits.recordLength} characters, or has an unclosed quote; correct it, or download it again`,
        );
      }
    }
    const { data, errors }: ParseResult<string[]> = parser.parse(unixLines(pending), 0, false);
    const unclosed = errors.find(({ code }) => code === 'MissingQuotes');
    if (unclosed) {
      throw new BuildError(
        `${table}: record ${rows + 1 + (unclosed.row ?? 0)} has an unclosed quote; correct it, or download it again`,
      );
    }
    yield* counted(data);
  } catch (error) {
    if (error instanceof BuildError) throw error;
    throw new BuildError(`${table} cannot be read (${messageOf(error)}); download it again`);
  }
}

function unixLines(text: string): string {
  return text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
}
