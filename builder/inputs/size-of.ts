import { stat } from 'node:fs/promises';
import type { Bytes } from '../../shards/units.ts';
import { unreadable } from './fingerprint.ts';

/** The length of an input. Throws a `BuildError` for one that is missing or unreadable. */
export async function sizeOf(file: string): Promise<Bytes> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    throw unreadable(file, error);
  }
}
