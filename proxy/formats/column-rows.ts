import type { Turns } from '../../shards/concurrency/turns.ts';
import { type Dictionary, type IndexedGroup, NULL_INDEX } from '../../shards/parquet/table.ts';
import { Body } from '../http/body.ts';
import {
  cellOf,
  type PartWriter,
  type RowColumn,
  type RowPart,
  requireColumns,
} from './columns.ts';
import type { RowFormat, Rows } from './rows.ts';

/**
 * Rows per row group. Encoding a column of a group is one step, of about a millisecond; smaller
 * groups take more bytes.
 */
const GROUP_ROWS = 1 << 12;

/** Takes the cells of adjacent columns; null where a row lacks one. */
const CELLS: PartWriter<readonly unknown[]> = {
  name: 'cells',
  members: (members, columns) => columns.map(({ path }) => cellOf(members, path) ?? null),
  geometry: () => [],
};

export class ColumnRows implements Rows {
  readonly format: RowFormat;
  readonly columns: readonly RowColumn[];
  readonly bytes = 0;
  readonly #cells: readonly ColumnCells[];
  readonly #groups: IndexedGroup[] = [];
  #count = 0;

  constructor(format: RowFormat, columns: readonly RowColumn[]) {
    this.format = format;
    this.columns = columns;
    this.#cells = columns.map(({ type }) => new ColumnCells(type === 'string'));
  }

  get count(): number {
    return this.#count;
  }

  of<K extends readonly unknown[]>(
    ...parts: { readonly [P in keyof K]: RowPart<K[P]> }
  ): (...keys: K) => void {
    requireColumns(this.columns, parts);
    const cellsOf = parts.map((part) => part.written(CELLS));
    return (...keys) => {
      const row = this.#count++ % GROUP_ROWS;
      let column = 0;
      for (let part = 0; part < cellsOf.length; part++) {
        for (const cell of cellsOf[part](keys[part])) this.#cells[column++].set(row, cell);
      }
      if (row === GROUP_ROWS - 1) this.#groups.push(this.#group(GROUP_ROWS));
    };
  }

  #group(rows: number): IndexedGroup {
    return { rows, indexed: this.#cells.map((column) => column.take(rows)) };
  }

  async file(metadata: Readonly<Record<string, string>>, turns: Turns): Promise<Body> {
    // Loaded on demand: most servers never need it.
    const { ParquetFile } = await import('../../shards/parquet/parquet-file.ts');
    const pieces: Buffer[] = [];
    const columns = this.columns.map(({ name, type }) => {
      return { name, type, nullable: true, description: '' };
    });
    const file = await ParquetFile.open(columns, metadata, {
      append: ({ buffer, byteOffset, length }) =>
        pieces.push(Buffer.from(buffer, byteOffset, length)),
    });
    for (const group of [...this.#groups, this.#group(this.#count % GROUP_ROWS)]) {
      await turns.run(file.appendSteps(group));
    }
    file.finish();
    return new Body(pieces);
  }
}

/**
 * The cells of a column in a row group, as indexes into its distinct values in order of first
 * occurrence.
 */
class ColumnCells {
  readonly #isText: boolean;
  readonly #indexes = new Uint32Array(GROUP_ROWS);
  readonly #indexOf = new Map<unknown, number>();

  constructor(isText: boolean) {
    this.#isText = isText;
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

  /** Takes the first `rows` cells as a group, and begins the next. */
  take(rows: number) {
    const dictionary = [...this.#indexOf.keys()] as unknown as Dictionary;
    this.#indexOf.clear();
    return { dictionary, indexes: this.#indexes.slice(0, rows) };
  }
}
