import { setTimeout as pause } from 'node:timers/promises';
import type { WritableStore } from '../../shards/store/store.ts';
import type { Millis } from '../../shards/units.ts';
import { StoreBusy } from '../errors.ts';

/** Held while writing objects to a store, or removing them. */
export const BUILD_LOCK = '.build-lock';
const RETENTION_LOCK = 'manifests/retention.lock';

/** How long to wait for a lock. `onWait` is called at most once, after half a second or more. */
interface LockWait {
  readonly ms: Millis;
  readonly onWait: (problem: string) => void;
}

/** For a lock that another process holds for a moment, such as to learn that it may not write. */
const BRIEFLY: LockWait = { ms: 2_000, onWait: () => {} };
/** Pauses between looks at a lock, which double from the first to the longest. */
const FIRST_PAUSE_MS: Millis = 25;
const LONGEST_PAUSE_MS: Millis = 500;
const NOTED_AFTER_MS: Millis = 500;

/**
 * Runs `work` while no other process writes objects to the store. `refusal` returns the error
 * message that names the owner of the lock.
 */
export function withBuildsLocked<T>(
  store: WritableStore,
  refusal: (owner: string) => string,
  work: () => Promise<T>,
  patience?: LockWait,
): Promise<T> {
  return withLock(store, BUILD_LOCK, refusal, work, patience);
}

/**
 * Runs `work` while no other process makes an earlier release current, or removes releases: a
 * release must not be removed between its check and its promotion. Builds need not wait, since they
 * promote only new releases.
 */
export function withReleasesLocked<T>(store: WritableStore, work: () => Promise<T>): Promise<T> {
  const refusal = (owner: string) =>
    `${owner} is promoting or removing releases; try again when it is done`;
  return withLock(store, RETENTION_LOCK, refusal, work);
}

/**
 * Runs `work` with a lock of the store. Rejects with `StoreBusy` if another process holds it for
 * longer than `patience` allows, by default two seconds.
 */
export async function withLock<T>(
  store: WritableStore,
  name: string,
  refusal: (owner: string) => string,
  work: () => Promise<T>,
  patience?: LockWait,
): Promise<T> {
  const lock = await lockPatiently(store, name, refusal, patience ?? BRIEFLY);
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

async function lockPatiently(
  store: WritableStore,
  name: string,
  refusal: (owner: string) => string,
  { ms, onWait }: LockWait,
): Promise<{ release(): Promise<void> }> {
  const begunMs = performance.now();
  let hasNoted = false;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const lock = await store.lock(name);
    if (lock.taken) return lock;
    const problem = `${store.location}: ${refusal(lock.owner)}`;
    const waitedMs = performance.now() - begunMs;
    const leftMs = ms - waitedMs;
    if (leftMs <= 0) throw new StoreBusy(problem);
    if (!hasNoted && waitedMs >= NOTED_AFTER_MS) {
      onWait(problem);
      hasNoted = true;
    }
    await pause(Math.min(pauseMs, leftMs));
  }
}
