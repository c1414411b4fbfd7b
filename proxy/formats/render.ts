import Papa from 'papaparse';
import { breathe } from '../../shards/breathe.ts';
import type { Format } from './negotiate.ts';
import type { RowTable } from './row-table.ts';

type JsonRow = Readonly<Record<string, unknown>>;

/** Rows written between two looks at the clock. */
const ROWS_A_STEP = 128;

/**
 * Writes an answer in a format. In others than JSON only its rows are written; what else there is
 * goes into headers.
 */
export async function render(
  format: Format,
  table: RowTable | undefined,
  body: object,
): Promise<Buffer> {
  if (format === 'json' || !table) return renderJson(body);
  const rows = (body as { results?: readonly JsonRow[] }).results ?? [body as JsonRow];
  if (format === 'csv') return renderCsv(table, rows);
  if (format === 'ndjson') {
    return inPieces(rows, (piece) => piece.map((row) => `${JSON.stringify(row)}\n`).join(''));
  }
  return inPieces(
    rows,
    (piece) => piece.map((row) => JSON.stringify(pointFeature(row))).join(),
    '{"type":"FeatureCollection","features":[',
    ',',
    ']}',
  );
}

/** Long lists are written piece by piece; all else is short. */
async function renderJson(body: object): Promise<Buffer> {
  const isLong = (value: unknown) => Array.isArray(value) && value.length > ROWS_A_STEP;
  if (!Object.values(body).some(isLong)) return Buffer.from(JSON.stringify(body));
  const parts: Buffer[] = [];
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue;
    parts.push(Buffer.from(`${parts.length === 0 ? '{' : ','}${JSON.stringify(name)}:`));
    if (!isLong(value)) parts.push(Buffer.from(JSON.stringify(value)));
    else
      await addPieces(parts, value, (piece) => JSON.stringify(piece).slice(1, -1), '[', ',', ']');
  }
  parts.push(Buffer.from('}'));
  return Buffer.concat(parts);
}

/** What spreadsheets take for a formula. Papa writes an apostrophe before it, in cells of text only. */
const FORMULA = /^[=+\-@\t\r]/;

function renderCsv({ columns }: RowTable, rows: readonly JsonRow[]): Promise<Buffer> {
  const header = `${columns.map((column) => column.replace('.', '_')).join()}\r\n`;
  const paths = columns.map((column) => column.split('.'));
  const lines = (piece: readonly JsonRow[]) =>
    Papa.unparse(
      piece.map((row) => paths.map((path) => valueAt(row, path))),
      { newline: '\r\n', escapeFormulae: FORMULA },
    );
  return inPieces(rows, (piece) => `${lines(piece)}\r\n`, header);
}

type Pieces = [
  rows: readonly JsonRow[],
  write: (piece: readonly JsonRow[]) => string,
  before?: string,
  between?: string,
  after?: string,
];

async function inPieces(...pieces: Pieces): Promise<Buffer> {
  const parts: Buffer[] = [];
  await addPieces(parts, ...pieces);
  return Buffer.concat(parts);
}

/** Writes rows some at a time, with others let in, and adds what is written to `parts`. */
async function addPieces(
  parts: Buffer[],
  ...[rows, write, before = '', between = '', after = '']: Pieces
): Promise<void> {
  parts.push(Buffer.from(before));
  for (let start = 0; start < rows.length; start += ROWS_A_STEP) {
    const text = write(rows.slice(start, start + ROWS_A_STEP));
    parts.push(Buffer.from(start > 0 ? between + text : text));
    const pause = breathe();
    if (pause) await pause;
  }
  parts.push(Buffer.from(after));
}

function valueAt(row: JsonRow, [name, nested]: readonly string[]): unknown {
  const value = row[name];
  return nested === undefined ? value : (value as JsonRow | undefined)?.[nested];
}

function pointFeature({ lon, lat, ...properties }: JsonRow) {
  return { type: 'Feature', geometry: { type: 'Point', coordinates: [lon, lat] }, properties };
}
