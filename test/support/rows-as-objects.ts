import Papa from 'papaparse';

type Row = Readonly<Record<string, unknown>>;
interface Beside {
  readonly basket?: object | null;
  readonly errors?: readonly unknown[];
  readonly truncated?: readonly unknown[];
  readonly truncated_reason?: string | null;
}

/**
 * Rows written by the engine's own `JSON.stringify` and by Papa: the expected bytes of each format.
 * `columns`: those of CSV, nested members with a dot. `beside`: the members of a batch or
 * an area other than its rows.
 */
export const ROWS_AS_OBJECTS = {
  ndjson: (rows: readonly Row[], _columns: readonly string[] = [], beside: Row = {}) => {
    const { errors = [], truncated = [], truncated_reason, basket } = beside as Beside;
    const lines: unknown[] = [...rows];
    if (basket) lines.push(beside);
    if (errors.length + truncated.length > 0) lines.push({ errors, truncated, truncated_reason });
    return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  },
  geojson: (rows: readonly Row[], _columns: readonly string[] = [], beside: Row = {}) => {
    const features = rows.map(({ lon, lat, ...properties }) => {
      const geometry = { type: 'Point', coordinates: [lon, lat] };
      return { type: 'Feature', geometry, properties };
    });
    return JSON.stringify({ type: 'FeatureCollection', ...beside, features });
  },
  csv: (rows: readonly Row[], columns: readonly string[], _beside: Row = {}) => {
    const lines = rows.map((row) =>
      columns.map((column) => {
        const [name, nested] = column.split('.');
        return nested === undefined ? row[name] : (row[name] as Row)[nested];
      }),
    );
    const head = columns.map((column) => column.replace('.', '_')).join();
    const options = { newline: '\r\n', escapeFormulae: /^[=+\-@\t\r]/ };
    return `${head}\r\n${lines.map((line) => `${Papa.unparse([line], options)}\r\n`).join('')}`;
  },
};
