import { requireKind, sniffKind } from '../inputs/file-kind.ts';
import { readCountTable } from './count-table.ts';
import { openPl94171 } from './pl94171.ts';
import type { WeightFile } from './weight-file.ts';

/**
 * Opens a file of counts, whose kind is recognized by its contents: the zip archive of a state's PL
 * 94-171 redistricting data; or CSV, possibly gzipped, with the workplace or residence area
 * characteristics of LODES, or a user's own table.
 */
export async function openWeightFile(path: string): Promise<WeightFile> {
  await requireKind(path, 'zip', 'gzip');
  return (await sniffKind(path)) === 'zip' ? openPl94171(path) : readCountTable(path);
}
