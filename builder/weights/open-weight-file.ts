import { requireKind, sniffKind } from '../inputs/file-kind.ts';
import { readCountTable } from './count-table.ts';
import { openPl94171 } from './pl94171.ts';
import type { WeightFile } from './weight-file.ts';

/**
 * Opens a file of counts, by its contents: the zip archive of a state's PL 94-171 redistricting
 * data, or CSV, also gzipped: LODES workplace or residence area characteristics, or a table of
 * one's own.
 */
export async function openWeightFile(path: string): Promise<WeightFile> {
  await requireKind(path, 'zip', 'gzip');
  return (await sniffKind(path)) === 'zip' ? openPl94171(path) : readCountTable(path);
}
