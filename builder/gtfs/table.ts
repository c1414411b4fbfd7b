import Papa, { type ParseResult } from 'papaparse';
import { messageOf } from '../../shards/error-facts.ts';
import { BuildError } from '../errors.ts';
import type { FeedSource } from './feed-source.ts';
import { FEED_LIMITS, type FeedTable } from './limits.ts';

/** A row of a table: fields by column name, trimmed. */
export class Row {
  readonly #columnAt: ReadonlyMap<string, number>;
  #fields: readonly string[] = [];
  /** Its position, counting records from 1 for the header, as spreadsheets do. */
  line = 1;

  constructor(header: readonly string[]) {
    this.#columnAt = new Map(header.map((name, i) => [name, i]));
  }

  next(fields: readonly string[]): void {
    this.#fields = fields;
    this.line++;
  }

  has(column: string): boolean {
    return this.#columnAt.has(column);
  }

  /** The field, or '' where the table has no such column or the row ends before it. */
  text(column: string): string {
    const at = this.#columnAt.get(column);
    return at === undefined ? '' : (this.#fields[at]?.trim() ?? '');
  }

  /** The field as a number; `null` if it is empty, `NaN` if it is not a number. */
  number(column: string): number | null {
    const text = this.text(column);
    return text === '' ? null : Number(text);
  }
}

const BYTE_ORDER_MARK = '\ufeff';

/**
 * Reads a table of a feed row by row. Absent and empty tables have no rows; a table that lacks a
 * required column, has an unclosed quote, or exceeds `FEED_LIMITS`, throws a `BuildError`.
 */
export async function readTable(
  source: FeedSource,
  file: FeedTable,
  required: readonly string[],
  onRow: (row: Row) => void,
): Promise<void> {
  if (!source.has(file)) return;
  let row: Row | null = null;
  for await (const fields of records(source, file)) {
    if (fields.length === 1 && fields[0].trim() === '') continue;
    if (row) {
      row.next(fields);
      onRow(row);
      continue;
    }
    row = new Row(fields.map((name) => name.trim()));
    for (const column of required) {
      if (!row.has(column)) {
        throw new BuildError(`${source.path}: ${file} has no column ${column}; is it a GTFS feed?`);
      }
    }
  }
}

/**
 * Quoted fields may contain line breaks and commas; any line ending is accepted, and short rows.
 */
async function* records(source: FeedSource, file: FeedTable): AsyncGenerator<readonly string[]> {
  const parser = new Papa.Parser({ delimiter: ',', newline: '\n', quoteChar: '"' });
  const stream = await source.stream(file);
  stream.setEncoding('utf8');
  const maxRows = FEED_LIMITS.rows[file];
  let pending = '';
  let atStart = true;
  let rows = 0;
  const counted = (records: readonly string[][]): readonly string[][] => {
    rows += records.length;
    if (rows <= maxRows) return records;
    throw new BuildError(
      `${source.path}: ${file}: has more than ${maxRows} records, more than any real feed; download it again, or split it`,
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
      if (pending.length > FEED_LIMITS.recordLength) {
        throw new BuildError(
          `${source.path}: ${file}: record ${rows + 1} is longer than ${FEED_LIMITS.recordLength} characters, or has an unclosed quote; correct it, or download the feed again`,
        );
      }
    }
    const { data, errors }: ParseResult<string[]> = parser.parse(unixLines(pending), 0, false);
    const unclosed = errors.find(({ code }) => code === 'MissingQuotes');
    if (unclosed) {
      throw new BuildError(
        `${source.path}: ${file}: record ${rows + 1 + (unclosed.row ?? 0)} has an unclosed quote; correct it, or download the feed again`,
      );
    }
    yield* counted(data);
  } catch (error) {
    if (error instanceof BuildError) throw error;
    const problem = messageOf(error);
    throw new BuildError(`${source.path}: ${file} cannot be read (${problem}); download it again`);
  }
}

function unixLines(text: string): string {
  return text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
}
