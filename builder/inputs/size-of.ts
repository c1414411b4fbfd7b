import { stat } from 'node:fs/promises';
import type { Bytes } from '../../shards/units.ts';
import { unreadable } from './fingerprint.ts';

/** Returns the size of an input file. Throws a `BuildError` if it is missing or unreadable. */
export async function sizeOf(file: string): Promise<Bytes> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    throw unreadable(file, error);
  }
}
