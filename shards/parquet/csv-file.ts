import { csvCell, csvLine } from '../csv/csv-line.ts';
import type { Polygons } from '../geometry/geo-json.ts';
import type { ByteSink, Column, ColumnType, RowGroup, TableFile } from './table.ts';

/** Length, in characters, from which text is passed on to the sink. */
const PIECE_LENGTH = 1 << 20;

/**
 * Writes a table as CSV (`csv-line.ts`) with a header; null is an empty field, a list has spaces
 * between its values, polygons are well-known text, and boxes are left out.
 */
export class CsvFile implements TableFile {
  readonly #out: ByteSink;
  readonly #columns: readonly { readonly at: number; readonly type: ColumnType }[];

  constructor(columns: readonly Column[], out: ByteSink) {
    this.#out = out;
    this.#columns = columns
      .map(({ type }, at) => ({ at, type }))
      .filter(({ type }) => type !== 'box');
    out.append(Buffer.from(csvLine(this.#columns.map(({ at }) => columns[at].name))));
  }

  append({ rows, ...group }: RowGroup): void {
    const fields = this.#columns.map(({ at, type }) => {
      if ('values' in group) {
        const values = group.values[at];
        return (row: number) => field(values[row], type);
      }
      const { dictionary, indexes } = group.indexed[at];
      const texts = Array.from<string | number, string>(dictionary, (value) => field(value, type));
      return (row: number) => texts[indexes[row]] ?? '';
    });
    let text = '';
    for (let row = 0; row < rows; row++) {
      for (let c = 0; c < fields.length; c++) text += (c === 0 ? '' : ',') + fields[c](row);
      text += '\r\n';
      if (text.length < PIECE_LENGTH) continue;
      this.#out.append(Buffer.from(text));
      text = '';
    }
    this.#out.append(Buffer.from(text));
  }

  finish(): void {}
}

function field(value: unknown, type: ColumnType): string {
  if (value === null) return '';
  if (type === 'polygons') return csvCell(wellKnownText(value as Polygons));
  if (type === 'int32s') return (value as number[]).join(' ');
  return csvCell(value);
}

function wellKnownText(polygons: Polygons): string {
  const texts = polygons.map((rings) => {
    const closed = rings.map((ring) => `(${ring.map(([x, y]) => `${x} ${y}`).join(',')})`);
    return `(${closed.join(',')})`;
  });
  return texts.length === 1 ? `POLYGON${texts[0]}` : `MULTIPOLYGON(${texts.join(',')})`;
}
