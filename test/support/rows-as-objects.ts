import Papa from 'papaparse';

/** Beginnings of text that spreadsheets may run as a formula. */
export const FORMULA = /^[=+\-@\t\r]/;

type Row = Readonly<Record<string, unknown>>;
interface Beside {
  readonly basket?: object | null;
  readonly errors?: readonly unknown[];
  readonly truncated?: readonly unknown[];
  readonly truncated_reason?: string | null;
}

type Written = (
  rows: readonly Row[],
  columns?: readonly string[],
  beside?: Row,
  outlineOf?: (row: Row) => object,
) => string;

/**
 * Rows written by the engine's own `JSON.stringify` and by Papa: the expected bytes of each format.
 * `columns` are the columns of CSV, with a dot for nested members. `beside` has the members of a
 * batch or an area other than its rows. `outlineOf` returns the geometry of a row without a point.
 */
export const ROWS_AS_OBJECTS: Readonly<Record<'ndjson' | 'geojson' | 'csv', Written>> = {
  ndjson: (rows, _columns, beside = {}) => {
    const { errors = [], truncated = [], truncated_reason, basket } = beside as Beside;
    const lines: unknown[] = [...rows];
    if (basket) lines.push(beside);
    if (errors.length + truncated.length > 0) lines.push({ errors, truncated, truncated_reason });
    return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  },
  geojson: (rows, _columns, beside = {}, outlineOf = undefined) => {
    const features = rows.map((row) => {
      const { lon, lat, ...properties } = row;
      const geometry = outlineOf?.(row) ?? { type: 'Point', coordinates: [lon, lat] };
      return { type: 'Feature', geometry, properties };
    });
    return JSON.stringify({ type: 'FeatureCollection', ...beside, features });
  },
  csv: (rows, columns = []) => {
    const lines = rows.map((row) =>
      columns.map((column) => {
        const [name, nested] = column.split('.');
        return nested === undefined ? row[name] : (row[name] as Row)[nested];
      }),
    );
    const head = columns.map((column) => column.replace('.', '_')).join();
    const options = { newline: '\r\n', escapeFormulae: FORMULA };
    return `${head}\r\n${lines.map((line) => `${Papa.unparse([line], options)}\r\n`).join('')}`;
  },
};
