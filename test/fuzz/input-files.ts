import { crc32, deflateRawSync } from 'node:zlib';

/** A field as its file has it: text; in GeoJSON, any JSON value. */
export type Cell = unknown;

/** A field as text. */
export function textOf(value: Cell): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** A table of an input. */
export interface Table {
  /** Name of the file within an archive, or the name of the input itself. */
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** The bytes of a file in an archive. */
export interface Entry {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Changes below the tables: of their text, of the entries of the archive, of the file. */
export interface Alterations {
  readonly text?: (text: string, table: string) => string;
  readonly bytes?: (bytes: Buffer, table: string) => Buffer;
  readonly entries?: (entries: readonly Entry[]) => Entry[];
  readonly file?: (bytes: Buffer) => Buffer;
}

export type InputKind = 'gtfs' | 'blocks' | 'places' | 'pois' | 'weights';

/** An input of a build, as tables. */
export interface InputFile extends Alterations {
  readonly kind: InputKind;
  readonly name: string;
  readonly tables: readonly Table[];
  /** Files of the archive that are no tables. */
  readonly companions: readonly Entry[];
}

/** The bytes of an input. */
export function encodeInput(input: InputFile): Buffer {
  const { kind, tables, companions, entries = (all) => [...all], file = (whole) => whole } = input;
  const encoded = tables.map((table) => ({ name: table.name, bytes: encodeTable(input, table) }));
  if (kind === 'pois' || kind === 'weights') return file(encoded[0]?.bytes ?? Buffer.alloc(0));
  return file(zipOf(entries([...encoded, ...companions])));
}

function encodeTable(input: InputFile, table: Table): Buffer {
  const { text = (all: string) => all, bytes = (all: Buffer) => all } = input;
  if (table.name.endsWith('.dbf')) return bytes(dbfOf(table), table.name);
  const plain = input.kind === 'pois' ? geoJsonOf(table) : csvOf(table);
  return bytes(Buffer.from(text(plain, table.name)), table.name);
}

/** Formats a table as in RFC 4180. */
function csvOf({ columns, rows }: Table): string {
  return [columns, ...rows].map((row) => `${row.map(csvField).join(',')}\n`).join('');
}

export function csvField(value: Cell): string {
  const field = textOf(value);
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

/** Columns `lon` and `lat` are the geometry; the others are properties. */
function geoJsonOf({ columns, rows }: Table): string {
  const features = rows.map((row) => {
    const members = Object.fromEntries(columns.map((name, i) => [name, row[i]]));
    const { lon, lat, ...properties } = members;
    const coordinates = [lon, lat];
    return JSON.stringify({
      type: 'Feature',
      geometry: { type: 'Point', coordinates },
      properties,
    });
  });
  return `{"type":"FeatureCollection","features":[\n${features.join(',\n')}\n]}\n`;
}

const DBF_WIDTH = 24;
const NUMERIC = /^(ALAND|AWATER|POP)/;

/** Formats a table as dBASE III, each field 24 bytes wide; what is longer is cut. */
function dbfOf({ columns, rows }: Table): Buffer {
  const head = Buffer.alloc(32 + 32 * columns.length + 1);
  const recordBytes = 1 + DBF_WIDTH * columns.length;
  head.set([3, 126, 1, 1]);
  head.writeUInt32LE(rows.length, 4);
  head.writeUInt16LE(head.length, 8);
  head.writeUInt16LE(recordBytes, 10);
  columns.forEach((name, i) => {
    head.write(name, 32 + 32 * i, 10, 'utf8');
    head.write(NUMERIC.test(name) ? 'N' : 'C', 32 + 32 * i + 11);
    head[32 + 32 * i + 16] = DBF_WIDTH;
  });
  head[head.length - 1] = 0x0d;
  const records = rows.map((row) => {
    const record = Buffer.alloc(recordBytes, ' ');
    row.slice(0, columns.length).forEach((cell, i) => {
      record.write(textOf(cell), 1 + DBF_WIDTH * i, DBF_WIDTH, 'utf8');
    });
    return record;
  });
  return Buffer.concat([head, ...records, Buffer.of(0x1a)]);
}

/** Zips entries, whatever their names; also two of one name. */
export function zipOf(entries: readonly Entry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes } of entries) {
    const path = Buffer.from(name);
    const packed = deflateRawSync(bytes);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(1 << 11, 2);
    facts.writeUInt16LE(8, 4);
    facts.writeUInt16LE((46 << 9) | (1 << 5) | 1, 8);
    facts.writeUInt32LE(crc32(bytes), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(bytes.length, 18);
    facts.writeUInt16LE(path.length, 22);
    const central = Buffer.alloc(14);
    central.writeUInt32LE(offset, 10);
    parts.push(Buffer.from('PK\x03\x04'), facts, path, packed);
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), facts, central, path);
    offset += 4 + facts.length + path.length + packed.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, list, end]);
}
