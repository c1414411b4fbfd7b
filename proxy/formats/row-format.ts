import Papa from 'papaparse';
import type { Degrees } from '../../shards/units.ts';
import { type ByteText, byteText } from './byte-text.ts';
import type { Format } from './negotiate.ts';
import { withoutRows } from './row-metadata.ts';

export type RowMembers = Readonly<Record<string, unknown>>;

/**
 * How a format writes rows. A row is `begin`, its members with commas between them, `end`; so a text
 * of some members can be made once and stand in many rows.
 */
export interface RowFormat {
  readonly name: Format;
  /**
   * Text before and after all rows, where nothing else is sent. `beside`: metadata of a batch
   * response; absent otherwise.
   */
  before(columns: readonly string[], beside: RowMembers | undefined): ByteText;
  after(beside: RowMembers | undefined): ByteText;
  /** The row that is last lacks the comma it ends in. */
  readonly endsInComma: boolean;
  /** Begins a row, which is a point where the format has those. */
  begin(lon: Degrees, lat: Degrees): ByteText;
  /** Members that stand next to each other: in the order of `members`, or of `columns` in CSV. */
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
  after(beside) {
    const origins = beside && withoutRows(beside);
    return origins ? byteText(`${JSON.stringify(origins)}\n`) : '';
  },
  endsInComma: false,
  end: '}\n',
};

const geojson: RowFormat = {
  ...json,
  name: 'geojson',
  // Rows come last: the undelivered share is refunded.
  before(_columns, beside) {
    const members = beside ? `${jsonMembers(beside)},` : '';
    return `{"type":"FeatureCollection",${members}"features":[`;
  },
  after: () => ']}',
  begin: (lon, lat) =>
    `{"type":"Feature","geometry":{"type":"Point","coordinates":[${lon},${lat}]},"properties":{`,
  members: ({ lon, lat, ...members }) => jsonMembers(members),
  end: '}},',
};

/**
 * Prefixes that spreadsheets take for a formula. Papa writes an apostrophe before them, in text
 * cells only.
 */
const FORMULA = /^[=+\-@\t\r]/;

const csv: RowFormat = {
  name: 'csv',
  before: (columns) => `${columns.map((column) => column.replace('.', '_')).join()}\r\n`,
  after: () => '',
  endsInComma: false,
  begin: () => '',
  members(members, columns) {
    const cells = columns.map((column) => cellAt(members, column.split('.')));
    return byteText(Papa.unparse([cells], { escapeFormulae: FORMULA }));
  },
  end: '\r\n',
};

function cellAt(members: RowMembers, [name, nested]: readonly string[]): unknown {
  const value = members[name];
  return nested === undefined ? value : (value as RowMembers | undefined)?.[nested];
}

export const ROW_FORMATS: Readonly<Record<Format, RowFormat>> = { json, ndjson, csv, geojson };

/** Computes a value once per format, on first use. */
export function perFormat<T>(make: (format: RowFormat) => T): (format: RowFormat) => T {
  const made = new Map<Format, T>();
  return (format) => {
    if (!made.has(format.name)) made.set(format.name, make(format));
    return made.get(format.name)!;
  };
}
