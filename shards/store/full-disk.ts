import { systemCode } from '../error-facts.ts';
import { StoreError } from '../errors.ts';

/** The error for a write that failed since the disk at `where` is full; null for other failures. */
export function fullDisk(where: string, error: unknown): StoreError | null {
  const code = systemCode(error);
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return null;
  const advice = 'the disk is full: free some space and run again';
  return new StoreError('full', where, advice, { cause: error });
}
