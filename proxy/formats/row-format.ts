import { csvCell, csvLine } from '../../shards/csv/csv-line.ts';
import { isOnEarth } from '../bounds.ts';
import { ColumnRows } from './column-rows.ts';
import { cellOf, type RowMembers } from './columns.ts';
import type { Format } from './negotiate.ts';
import { lastLine } from './row-metadata.ts';
import { type RowFormat, type TextFormat, TextRows } from './rows.ts';

function jsonMembers(members: RowMembers): string {
  return JSON.stringify(members).slice(1, -1);
}

const json: TextFormat = {
  name: 'json',
  rows(columns) {
    return new TextRows(this, columns);
  },
  before: () => '',
  after: () => '',
  endsInComma: true,
  omitsAbsent: true,
  hasGeometry: false,
  begin: () => '{',
  members: jsonMembers,
  end: '},',
};

const ndjson: TextFormat = {
  ...json,
  name: 'ndjson',
  after(others) {
    const line = others && lastLine(others);
    return line ? `${JSON.stringify(line)}\n` : '';
  },
  endsInComma: false,
  end: '}\n',
};

const geojson: TextFormat = {
  ...json,
  name: 'geojson',
  // Rows come last, since the undelivered share of the body is refunded.
  before(_columns, others) {
    const members = others ? `${jsonMembers(others)},` : '';
    return `{"type":"FeatureCollection",${members}"features":[`;
  },
  after: () => ']}',
  hasGeometry: true,
  begin: (geometry) =>
    `{"type":"Feature","geometry":${JSON.stringify(geometry ?? null)},"properties":{`,
  members({ lon, lat, ...members }) {
    // Coordinates that make no geometry are members like any other.
    const isPoint = typeof lon === 'number' && typeof lat === 'number' && isOnEarth(lon, lat);
    return jsonMembers(isPoint ? members : { lon, lat, ...members });
  },
  end: '}},',
};

const csv: TextFormat = {
  ...json,
  name: 'csv',
  before: (columns) => csvLine(columns.map(({ name }) => name)),
  endsInComma: false,
  omitsAbsent: false,
  begin: () => '',
  members: (members, columns) => columns.map(({ path }) => csvCell(cellOf(members, path))).join(),
  end: '\r\n',
};

const parquet: RowFormat = {
  name: 'parquet',
  rows: (columns) => new ColumnRows(parquet, columns),
};

export const ROW_FORMATS: Readonly<Record<Format, RowFormat>> = {
  json,
  csv,
  ndjson,
  parquet,
  geojson,
};
