import type { Waiters } from '../../shards/concurrency/fair-queue.ts';
import { runCooperatively, yieldIfOverdue } from '../../shards/concurrency/yielding.ts';
import { ParquetFile } from '../../shards/parquet/parquet-file.ts';
import {
  type ColumnType,
  type Dictionary,
  type IndexedValues,
  NULL_INDEX,
} from '../../shards/parquet/table.ts';
import { Body } from '../http/body.ts';
import type { RowMembers } from './row-format.ts';
import { columnName } from './row-table.ts';

/**
 * Rows per row group. Encoding a column of a group is one step, of about a millisecond; smaller
 * groups take more bytes.
 */
const GROUP_ROWS = 1 << 12;
/** Rows parsed between two clock checks. */
const ROWS_PER_STEP = 64;

const TEXTS =
  'geoid mode reason dest_type dest_types name address.street address.city address.state address.zip attrs.brand ' +
  'type_ids of weight list id block error.type error.detail';

/** Types of columns; columns that are not listed are `double`. */
const TYPES: Readonly<Record<string, ColumnType>> = {
  ...Object.fromEntries(TEXTS.split(' ').map((column) => [column, 'string'])),
  dest_id: 'int64',
  dest_type_id: 'int32',
  mode_id: 'int32',
  nth: 'int32',
  minutes: 'int32',
  population: 'int32',
};

/**
 * Encodes rows as a Parquet file. `lines` are the rows as `ROW_FORMATS.parquet` writes them;
 * `others` are the other members of the response, which become the key-value metadata of the file,
 * as JSON.
 */
export async function parquetOf(
  lines: Body,
  columns: readonly string[],
  others: RowMembers,
  waiters: Waiters,
): Promise<Body> {
  const pieces: Buffer[] = [];
  const types = columns.map((column) => TYPES[column] ?? 'double');
  const file = await ParquetFile.open(
    columns.map((column, c) => ({
      name: columnName(column),
      type: types[c],
      nullable: true,
      description: '',
    })),
    metadataOf(others),
    {
      append: ({ buffer, byteOffset, length }) =>
        pieces.push(Buffer.from(buffer, byteOffset, length)),
    },
  );
  const cells = types.map((type) => new ColumnCells(type));
  let rows = 0;
  const flush = async () => {
    const indexed = cells.map((column) => column.take(rows));
    await runCooperatively(waiters, file.appendSteps({ rows, indexed }));
    rows = 0;
  };
  for (const piece of lines.pieces) {
    for (const line of piece.toString().split('\n')) {
      if (line === '') continue;
      const row: readonly unknown[] = JSON.parse(line);
      for (let c = 0; c < row.length; c++) cells[c].set(rows, row[c]);
      if (++rows === GROUP_ROWS) await flush();
      const pause = rows % ROWS_PER_STEP === 0 && yieldIfOverdue(waiters);
      if (pause) await pause;
    }
  }
  await flush();
  file.finish();
  return new Body(pieces);
}

function metadataOf(others: RowMembers): Record<string, string> {
  const known = Object.entries(others).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known.map(([name, value]) => [name, JSON.stringify(value)]));
}

/**
 * The cells of a column in a row group, as indexes into its distinct values in order of first
 * occurrence.
 */
class ColumnCells {
  readonly #isText: boolean;
  readonly #indexes = new Uint32Array(GROUP_ROWS);
  readonly #indexOf = new Map<unknown, number>();

  constructor(type: ColumnType) {
    this.#isText = type === 'string';
  }

  set(row: number, cell: unknown): void {
    if (cell === null) {
      this.#indexes[row] = NULL_INDEX;
      return;
    }
    // Ids of sites are text or numbers; lists become text, as in CSV.
    const value = this.#isText ? String(cell) : cell;
    const index = this.#indexOf.get(value) ?? this.#indexOf.size;
    if (index === this.#indexOf.size) this.#indexOf.set(value, index);
    this.#indexes[row] = index;
  }

  /** Returns the values of the first `rows` rows, and clears them for the next group. */
  take(rows: number): IndexedValues {
    const dictionary = [...this.#indexOf.keys()] as unknown as Dictionary;
    this.#indexOf.clear();
    return { dictionary, indexes: this.#indexes.subarray(0, rows) };
  }
}
