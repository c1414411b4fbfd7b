import { StoreBusy } from '../../builder/errors.ts';
import { StoreError } from '../../shards/errors.ts';

/**
 * Attempts for a job that fails for a transient reason, such as a store or disk error. The pauses
 * between attempts grow to minutes, so that a build of hours survives an hour without its store.
 */
export const ATTEMPTS = 20;

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 5 * 60_000;

/** Pause before the next attempt after this many failures, 1 or more. */
export function pauseAfterMs(failures: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
}

/**
 * Whether a retry may help: true for errors of a store, a disk or the system. Bad input stays bad,
 * a bug fails again, and an object that is gone does not come back.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof StoreError) return error.failure !== 'missing';
  return error instanceof StoreBusy || typeof (error as NodeJS.ErrnoException)?.errno === 'number';
}
