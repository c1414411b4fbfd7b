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
