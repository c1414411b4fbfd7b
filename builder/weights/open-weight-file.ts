import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { requireKind, sniffKind } from '../inputs/file-kind.ts';
import { unreadable } from '../inputs/fingerprint.ts';
import { ZipInput } from '../inputs/zip.ts';
import { readCountTable } from './count-table.ts';
import { openPl94171 } from './pl94171.ts';
import type { WantedCounts, WeightFile } from './weight-file.ts';

/**
 * Opens a file of counts, whose kind is recognized by its contents: the zip archive of a state's PL
 * 94-171 redistricting data; or CSV, possibly gzipped or the only one in an archive, with the
 * workplace or residence area characteristics of LODES, or a user's own table.
 */
export async function openWeightFile(path: string, wanted: WantedCounts): Promise<WeightFile> {
  await requireKind(path, 'zip', 'gzip');
  const kind = await sniffKind(path);
  if (kind !== 'zip') {
    const bytes = await opened(path);
    return readCountTable(path, kind === 'gzip' ? unzipped(bytes) : bytes, wanted);
  }
  const zip = await ZipInput.open(path, ['.pl', ...TABLES]);
  const tables = TABLES.flatMap((ending) => zip.endingWith(ending));
  if (tables.length !== 1 || zip.endingWith('.pl').length > 0) {
    return openPl94171(zip, wanted);
  }
  const bytes = zip.stream(tables[0]).once('close', () => zip.close());
  const isZippedTwice = tables[0].toLowerCase().endsWith('.gz');
  return readCountTable(path, isZippedTwice ? unzipped(bytes) : bytes, wanted);
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
