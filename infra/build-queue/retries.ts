import { StoreBusy } from '../../builder/publish/locks.ts';
import { StoreError } from '../../shards/errors.ts';

/**
 * How often a job is tried that fails in passing, of a store or a disk. The pauses between grow to
 * minutes: a build of hours outlasts an hour without its store.
 */
export const ATTEMPTS = 20;

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 5 * 60_000;

/** How long a job waits that has failed so many times, 1 or more. */
export function pauseAfterMs(failures: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
}

/**
 * Whether to try again may help: of what a store, a disk or a system refuses. Bad input stays bad, and
 * a fault of this program is one the next time too.
 */
export function mayPass(error: unknown): boolean {
  if (error instanceof StoreError || error instanceof StoreBusy) return true;
  const { errno, code } = (error ?? {}) as NodeJS.ErrnoException;
  // Another worker may have more memory.
  return typeof errno === 'number' || code === 'ERR_WORKER_OUT_OF_MEMORY';
}
