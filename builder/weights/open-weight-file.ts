import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { requireKind, sniffKind } from '../inputs/file-kind.ts';
import { unreadable } from '../inputs/fingerprint.ts';
import { ZipInput } from '../inputs/zip.ts';
import { readCountTable, readPopulationTable } from './count-table.ts';
import { openPl94171, openPl94171Population } from './pl94171.ts';
import type { WeightFile } from './weight-file.ts';

/**
 * Opens a file of counts, whose kind is recognized by its contents: the zip archive of a state's PL
 * 94-171 redistricting data; or CSV, possibly gzipped or the only one in an archive, with the
 * workplace or residence area characteristics of LODES, or a user's own table.
 */
export function openWeightFile(path: string): Promise<WeightFile> {
  return openAs(path, openPl94171, readCountTable);
}

/** Opens a file of the people of blocks, of the same kinds. */
export function openPopulationFile(path: string): Promise<WeightFile> {
  return openAs(path, openPl94171Population, readPopulationTable);
}

async function openAs(
  path: string,
  ofPl94171: (zip: ZipInput) => WeightFile,
  ofTable: (path: string, text: Readable) => Promise<WeightFile>,
): Promise<WeightFile> {
  await requireKind(path, 'zip', 'gzip');
  const kind = await sniffKind(path);
  if (kind !== 'zip') {
    const bytes = await opened(path);
    return ofTable(path, kind === 'gzip' ? unzipped(bytes) : bytes);
  }
  const zip = await ZipInput.open(path, ['.pl', ...TABLES]);
  const tables = TABLES.flatMap((ending) => zip.endingWith(ending));
  if (tables.length !== 1 || zip.endingWith('.pl').length > 0) return ofPl94171(zip);
  const bytes = zip.stream(tables[0]).once('close', () => zip.close());
  return ofTable(path, tables[0].toLowerCase().endsWith('.gz') ? unzipped(bytes) : bytes);
}

/** Endings of the names of tables in archives. */
const TABLES = ['.csv', '.csv.gz'];

async function opened(file: string): Promise<Readable> {
  const bytes = createReadStream(file);
  await new Promise<void>((resolve, reject) => {
    bytes.once('open', () => resolve());
    bytes.once('error', (error) => reject(unreadable(file, error)));
  });
  return bytes;
}

function unzipped(bytes: Readable): Readable {
  // Errors of either stream end the other, whose reader reports them.
  return pipeline(bytes, createGunzip(), () => {});
}
