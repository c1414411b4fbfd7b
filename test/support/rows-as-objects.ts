import Papa from 'papaparse';

type Row = Readonly<Record<string, unknown>>;

/**
 * Rows that are objects, written by the engine's own `JSON.stringify` and by Papa: what the rows of
 * answers are to be, byte for byte. `columns`: of CSV, those of nested objects with a dot.
 */
export const ROWS_AS_OBJECTS = {
  ndjson: (rows: readonly Row[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
  geojson: (rows: readonly Row[]) => {
    const features = rows.map(({ lon, lat, ...properties }) => {
      const geometry = { type: 'Point', coordinates: [lon, lat] };
      return { type: 'Feature', geometry, properties };
    });
    return JSON.stringify({ type: 'FeatureCollection', features });
  },
  csv: (rows: readonly Row[], columns: readonly string[]) => {
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
