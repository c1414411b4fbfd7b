import { BuildError, quoted } from '../errors.ts';
import { csvRecords, type TextChange } from '../inputs/csv.ts';
import { decimalOf } from '../inputs/decimal.ts';
import type { FeedReport } from './feed-report.ts';
import type { FeedSource } from './feed-source.ts';
import { FEED_LIMITS, type FeedTable } from './limits.ts';

/** A row of a table: fields by column name, whatever its case, trimmed. */
export class Row {
  readonly #columnAt: ReadonlyMap<string, number>;
  #fields: readonly string[] = [];
  /** The line of the file that the row begins on, from 1 for the header. */
  line = 1;

  constructor(columnAt: ReadonlyMap<string, number>) {
    this.#columnAt = columnAt;
  }

  next(line: number, fields: readonly string[]): void {
    this.#fields = fields;
    this.line = line;
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
    return text === '' ? null : decimalOf(text);
  }
}

/**
 * Reads a table of a feed row by row. Absent and empty tables have no rows. Records that cannot be
 * read for certain are left out and counted in `report`. A table that lacks a required column, has
 * a header that cannot be read, or exceeds `FEED_LIMITS`, throws a `BuildError`.
 */
export async function readTable(
  source: FeedSource,
  report: FeedReport,
  file: FeedTable,
  required: readonly string[],
  onRow: (row: Row) => void,
): Promise<void> {
  if (!source.has(file)) return;
  const limits = { lines: FEED_LIMITS.rows[file], recordLength: FEED_LIMITS.recordLength };
  const onChange = (line: number, change: TextChange) => report.add(file, line, change);
  const table = `${source.path}: ${file}`;
  let row: Row | null = null;
  for await (const records of csvRecords(await source.stream(file), table, limits, onChange)) {
    for (const record of records) {
      if ('fault' in record) {
        const handled = record.cells ? 'read between its commas' : 'left out';
        report.add(file, record.line, `${record.fault}; ${handled}`);
      }
      if (record.cells === null) continue;
      if (row) {
        row.next(record.line, record.cells);
        onRow(row);
      } else {
        row = new Row(columnsOf(record.cells, (problem) => report.add(file, record.line, problem)));
        const missing = required.find((column) => !row!.has(column));
        if (missing !== undefined) {
          throw new BuildError(`${table} ${lackOf(missing, record.cells)}`);
        }
      }
    }
  }
}

const OTHER_SEPARATORS = [
  [';', '";"'],
  ['\t', 'tabs'],
  ['|', '"|"'],
] as const;

/** Says that a header lacks a column, and why if its first line shows that it is not a header. */
function lackOf(column: string, cells: readonly string[]): string {
  const line = cells.join(',');
  for (const [separator, name] of OTHER_SEPARATORS) {
    const words = line.split(separator).map((word) => word.replaceAll('"', '').trim());
    if (words.some((word) => word.toLowerCase() === column)) {
      return `has no column ${column}: its cells are separated by ${name}; save it with commas`;
    }
  }
  const lack = `has no column ${column}; is it a GTFS feed?`;
  const isOne = cells.filter((cell) => cell.trim() !== '').length === 1;
  if (isOne) return `${lack} Its first line has one column, ${quoted(line)}`;
  return line.startsWith('#') ? `${lack} Its first line is a comment, ${quoted(line)}` : lack;
}

/** The index of each column of a header, by its name in lower case. */
export function columnsOf(
  cells: readonly string[],
  onProblem: (problem: string) => void,
): Map<string, number> {
  const columnAt = new Map<string, number>();
  for (const [at, cell] of cells.entries()) {
    const name = cell.trim().toLowerCase();
    if (name !== '' && columnAt.has(name)) {
      onProblem(`column ${name} a second time; the first is used`);
    } else columnAt.set(name, at);
  }
  return columnAt;
}
