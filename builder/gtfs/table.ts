import { BuildError } from '../errors.ts';
import { csvRecords } from '../inputs/csv.ts';
import type { FeedReport } from './feed-report.ts';
import type { FeedSource } from './feed-source.ts';
import { FEED_LIMITS, type FeedTable } from './limits.ts';

/** A row of a table: fields by column name, trimmed. */
export class Row {
  readonly #columnAt: ReadonlyMap<string, number>;
  #fields: readonly string[] = [];
  /**
   * The number of the record, from 1 for the header. A record of several lines counts once, as in
   * spreadsheets; empty lines do not count.
   */
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

  /**
   * Returns the field of a column, or '' if the table has no such column or the row ends before it.
   */
  text(column: string): string {
    const at = this.#columnAt.get(column);
    return at === undefined ? '' : (this.#fields[at]?.trim() ?? '');
  }

  /**
   * Returns the field of a column as a number; `null` if it is empty, `NaN` if it is not a number.
   */
  number(column: string): number | null {
    const text = this.text(column);
    return text === '' ? null : Number(text);
  }
}

/**
 * Reads a table of a feed row by row. Absent and empty tables have no rows. Records that cannot be
 * read for certain are left out and counted in `report`. A table that lacks a required column, has
 * an unclosed quote, or exceeds `FEED_LIMITS`, throws a `BuildError`.
 */
export async function readTable(
  source: FeedSource,
  report: FeedReport,
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

async function* records(source: FeedSource, file: FeedTable): AsyncGenerator<readonly string[]> {
  const limits = { rows: FEED_LIMITS.rows[file], recordLength: FEED_LIMITS.recordLength };
  yield* csvRecords(await source.stream(file), `${source.path}: ${file}`, limits);
}
