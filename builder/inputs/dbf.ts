import { isUtf8 } from 'node:buffer';
import type { ByteReader } from './byte-reader.ts';
import { decimalOf } from './decimal.ts';
import { damaged } from './shp.ts';
import { decodePiece, decoderNamed } from './text.ts';

/** A record's fields by name: text, or a number; `null` for an empty field. */
type DbfFields = Readonly<Record<string, string | number | null>>;

const HEADER_BYTES = 32;
const FIELD_BYTES = 32;
const NAME_BYTES = 11;
const END_OF_FIELDS = 0x0d;
const END_OF_FILE = 0x1a;
const LIVE = 0x20;
const FILLING_BYTES = 1 << 16;
const NUMERIC = ['N', 'F'];
const LANGUAGE_DRIVER = 29;
const BEYOND_ASCII = /[\x80-\xff]/;

interface Column {
  readonly name: string;
  readonly isNumber: boolean;
  /** Byte offset in the record. */
  readonly start: number;
  readonly end: number;
}

/**
 * Code pages by the language driver in the header. Left out are those of DOS that Node cannot
 * decode, and Windows-1252, which is also in the headers of UTF-8.
 */
const LANGUAGE_DRIVERS: Readonly<Record<number, string>> = {
  19: '932',
  38: '866',
  77: '936',
  78: '949',
  79: '950',
  101: '866',
  120: '950',
  121: '949',
  122: '936',
  123: '932',
  124: '874',
  200: '1250',
  201: '1251',
  202: '1254',
  203: '1253',
  204: '1257',
};

/**
 * Reads the attribute table of a shapefile (dBASE III), which must have exactly the number of
 * records in its header; otherwise throws a `BuildError` that names `file` and record. Names of
 * columns are in capitals. Text is in the encoding that the `.cpg` or the header names, or else in
 * UTF-8; each text for which that is wrong is read as Windows-1252, with a call of `onGuess`.
 */
export async function* readDbf(
  file: string,
  bytes: ByteReader,
  encoding: string | null,
  onGuess: () => void,
): AsyncGenerator<DbfFields> {
  const { count, recordBytes, columns, language } = await readHeader(file, bytes);
  const decode = decoderNamed(encoding ?? LANGUAGE_DRIVERS[language] ?? 'utf-8');
  const textOf = (field: Buffer): string => {
    const text = field.toString('latin1');
    if (!BEYOND_ASCII.test(text)) return text;
    const decoded = decode?.(field) ?? null;
    if (decoded !== null) return decoded;
    if (!isUtf8(field)) onGuess();
    return decodePiece(field);
  };
  for (let number = 1; number <= count; number++) {
    const record = await bytes.take(recordBytes);
    if (record.length < recordBytes) throw damaged(file, `ends in record ${number} of ${count}`);
    if (record[0] !== LIVE) throw damaged(file, `record ${number} is deleted or invalid`);
    const fields: Record<string, string | number | null> = {};
    for (const { name, isNumber, start, end } of columns) {
      const text = textOf(record.subarray(start, end)).trim();
      fields[name] = isNumber ? numberOf(text) : text || null;
    }
    yield fields;
  }
  const [end = END_OF_FILE] = await bytes.take(1);
  if (end !== END_OF_FILE) throw damaged(file, `has data after its ${count} records`);
  // Some writers pad the rest. A stream proves intact only at its end.
  while (!(await bytes.isAtEnd())) await bytes.take(FILLING_BYTES);
}

async function readHeader(file: string, bytes: ByteReader) {
  const head = await bytes.take(HEADER_BYTES);
  if (head.length < HEADER_BYTES) throw damaged(file, 'does not start with a dBASE header');
  const count = head.readUInt32LE(4);
  const columnBytes = head.readUInt16LE(8) - HEADER_BYTES;
  const recordBytes = head.readUInt16LE(10);
  const table = columnBytes > 0 ? await bytes.take(columnBytes) : head.subarray(0, 0);
  if (columnBytes <= 0 || table.length < columnBytes) throw damaged(file, 'ends in its header');
  const columns: Column[] = [];
  // The first byte of a record marks it as deleted.
  let start = 1;
  let at = 0;
  for (; at + FIELD_BYTES < table.length && table[at] !== END_OF_FIELDS; at += FIELD_BYTES) {
    const [written] = table.toString('latin1', at, at + NAME_BYTES).split('\0');
    const name = written.trim().toUpperCase();
    const end = start + table[at + 16];
    const isNumber = NUMERIC.includes(String.fromCharCode(table[at + 11]));
    // The first of several columns of one name counts, as in the tables of a feed.
    if (!columns.some((one) => one.name === name)) columns.push({ name, isNumber, start, end });
    start = end;
  }
  if (table[at] !== END_OF_FIELDS || start !== recordBytes) {
    throw damaged(file, `has ${columns.length} columns of ${start} bytes for ${recordBytes}`);
  }
  return { count, recordBytes, columns, language: head[LANGUAGE_DRIVER] };
}

function numberOf(text: string): number | null {
  const value = decimalOf(text);
  return Number.isNaN(value) ? null : value;
}
