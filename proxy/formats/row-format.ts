import { csvCell, csvLine } from '../../shards/csv/csv-line.ts';
import type { PointGeometry, PolygonGeometry } from '../../shards/geometry/geo-json.ts';
import { isOnEarth } from '../bounds.ts';
import { type ByteText, byteText } from './byte-text.ts';
import type { Format } from './negotiate.ts';
import { lastLine } from './row-metadata.ts';
import { columnName } from './row-table.ts';

export type RowMembers = Readonly<Record<string, unknown>>;

/**
 * How a format writes rows. A row is `begin`, then its members separated by commas, then `end`, so
 * the text of some members can be rendered once and used in many rows.
 */
export interface RowFormat {
  readonly name: Format;
  /**
   * Text before all rows, unless they are a member of a JSON body; `after` is the text after all
   * rows. `others` are the other members of a batch or an area; undefined for other responses.
   */
  before(columns: readonly string[], others: RowMembers | undefined): ByteText;
  after(others: RowMembers | undefined): ByteText;
  /** Whether rows end in a comma, which is removed from the last row. */
  readonly endsInComma: boolean;
  /** Starts a row, with its geometry in formats that have geometries. */
  begin(geometry?: PointGeometry | PolygonGeometry): ByteText;
  /** Renders adjacent members in the order of `members`, or of `columns` in CSV and Parquet. */
  members(members: RowMembers, columns: readonly string[]): ByteText;
  readonly end: ByteText;
}

function jsonMembers(members: RowMembers): ByteText {
  return byteText(JSON.stringify(members).slice(1, -1));
}

const json: RowFormat = {
  name: 'json',
  before: () => '',
  after: () => '',
  endsInComma: true,
  begin: () => '{',
  members: jsonMembers,
  end: '},',
};

const ndjson: RowFormat = {
  ...json,
  name: 'ndjson',
  after(others) {
    const line = others && lastLine(others);
    return line ? byteText(`${JSON.stringify(line)}\n`) : '';
  },
  endsInComma: false,
  end: '}\n',
};

const geojson: RowFormat = {
  ...json,
  name: 'geojson',
  // Rows come last, since the undelivered share of the body is refunded.
  before(_columns, others) {
    const members = others ? `${jsonMembers(others)},` : '';
    return `{"type":"FeatureCollection",${members}"features":[`;
  },
  after: () => ']}',
  begin: (geometry) =>
    `{"type":"Feature","geometry":${JSON.stringify(geometry ?? null)},"properties":{`,
  members({ lon, lat, ...members }) {
    // Coordinates that make no geometry are members like any other.
    const isPoint = typeof lon === 'number' && typeof lat === 'number' && isOnEarth(lon, lat);
    return jsonMembers(isPoint ? members : { lon, lat, ...members });
  },
  end: '}},',
};

const csv: RowFormat = {
  name: 'csv',
  before: (columns) => csvLine(columns.map(columnName)),
  after: () => '',
  endsInComma: false,
  begin: () => '',
  members(members, columns) {
    return byteText(columns.map((column) => csvCell(cellAt(members, column.split('.')))).join());
  },
  end: '\r\n',
};

/** Rows to be encoded as Parquet (`parquet-rows.ts`): one line per row, with its cells as JSON. */
const parquet: RowFormat = {
  name: 'parquet',
  before: () => '',
  after: () => '',
  endsInComma: false,
  begin: () => '[',
  members(members, columns) {
    const cells = columns.map((column) => cellAt(members, column.split('.')) ?? null);
    return byteText(JSON.stringify(cells).slice(1, -1));
  },
  end: ']\n',
};

function cellAt(members: RowMembers, [name, nested]: readonly string[]): unknown {
  const value = members[name];
  return nested === undefined ? value : (value as RowMembers | undefined)?.[nested];
}

export const ROW_FORMATS: Readonly<Record<Format, RowFormat>> = {
  json,
  csv,
  ndjson,
  parquet,
  geojson,
};

/** Computes a value once per format, on first use. */
export function perFormat<T>(make: (format: RowFormat) => T): (format: RowFormat) => T {
  const made = new Map<Format, T>();
  return (format) => {
    if (!made.has(format.name)) made.set(format.name, make(format));
    return made.get(format.name)!;
  };
}
