import { open } from 'node:fs/promises';
import { BuildError } from '../errors.ts';

/** Kinds of input files, as named in messages. */
const KINDS = {
  pbf: 'an OSM PBF file',
  zip: 'a zip archive',
  gzip: 'a gzip file',
  bzip2: 'a bzip2 file',
  parquet: 'a Parquet file',
  tiff: 'a TIFF',
  flatgeobuf: 'a FlatGeobuf file',
  sqlite: 'a GeoPackage or another SQLite file',
  html: 'a web page',
  xml: 'an XML file',
  json: 'a JSON file',
} as const;
type FileKind = keyof typeof KINDS;

const HEAD_BYTES = 64;

/**
 * Throws a `BuildError` if the first bytes of a file show another kind than expected. A file that
 * cannot be read or is of an unknown kind passes, since its reader has the better message.
 */
export async function requireKind(path: string, ...expected: readonly FileKind[]): Promise<void> {
  const kind = await sniffKind(path);
  if (kind === null || expected.includes(kind)) return;
  const wanted = expected.map((one) => KINDS[one]).join(' or ');
  const hint = kind === 'html' ? '; the download may have failed: try again' : '';
  throw new BuildError(`${path}: is ${KINDS[kind]}, not ${wanted}${hint}`);
}

/** The kind of a file by its first bytes; null if it is unknown or cannot be read. */
export async function sniffKind(path: string): Promise<FileKind | null> {
  return kindOf(await headOf(path));
}

async function headOf(path: string): Promise<Buffer> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return Buffer.alloc(0);
  }
}

function kindOf(head: Buffer): FileKind | null {
  const text = head.toString('latin1');
  // A PBF begins with the length of a blob header, whose first field is the blob's type.
  if (text.slice(4, 16).includes('OSMHeader')) return 'pbf';
  if (text.startsWith('PK\x03\x04') || text.startsWith('PK\x05\x06')) return 'zip';
  if (text.startsWith('\x1f\x8b')) return 'gzip';
  if (text.startsWith('BZh')) return 'bzip2';
  if (text.startsWith('PAR1')) return 'parquet';
  if (/^(?:II[*+]\0|MM\0[*+])/.test(text)) return 'tiff';
  if (text.startsWith('fgb')) return 'flatgeobuf';
  if (text.startsWith('SQLite format 3\0')) return 'sqlite';
  if (/^\s*<(?:!doctype html|html)/i.test(text)) return 'html';
  if (/^(?:\xef\xbb\xbf)?\s*<\?xml|^\s*<osm/.test(text)) return 'xml';
  if (/^(?:\xef\xbb\xbf)?\s*[{[]\s*["{[]/.test(text)) return 'json';
  return null;
}
