import { setTimeout as pause } from 'node:timers/promises';
import type { WritableStore } from '../../shards/store/store.ts';
import type { Millis } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';

/** Held by who writes objects to a store, or removes them. */
export const BUILD_LOCK = '.build-lock';
/** Held by who begins a lease, and by who removes what nobody writes. */
export const SWEEP_LOCK = '.sweep-lock';
const RETENTION_LOCK = 'manifests/retention.lock';

/** Somebody else has the store, who will be done some time. */
export class StoreBusy extends BuildError {}

/** How long to wait for who has a lock; what is said once if one has to. */
export interface LockWait {
  readonly ms: Millis;
  readonly onWait: (problem: string) => void;
}

const LOOK_AGAIN_MS: Millis = 500;

/** Runs `work` while nobody else writes objects to the store; `refusal` names who does. */
export function withBuildsLocked<T>(
  store: WritableStore,
  refusal: (owner: string) => string,
  work: () => Promise<T>,
  patience?: LockWait,
): Promise<T> {
  return withLock(store, BUILD_LOCK, refusal, work, patience);
}

/**
 * Runs `work` while nobody else makes a release of before the current one, or removes releases: one
 * must not be removed between being found whole and being put in force. A build need not wait: it
 * puts in force what is new.
 */
export function withReleasesLocked<T>(store: WritableStore, work: () => Promise<T>): Promise<T> {
  const refusal = (owner: string) =>
    `${owner} is promoting or removing releases; try again when it is done`;
  return withLock(store, RETENTION_LOCK, refusal, work);
}

/**
 * Runs `work` with a lock of the store. Rejects with `StoreBusy` if another has it, at once or after
 * having waited.
 */
export async function withLock<T>(
  store: WritableStore,
  name: string,
  refusal: (owner: string) => string,
  work: () => Promise<T>,
  patience?: LockWait,
): Promise<T> {
  const lock = await lockPatiently(store, name, refusal, patience);
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
  patience?: LockWait,
): Promise<{ release(): Promise<void> }> {
  const begunMs = performance.now();
  for (let looks = 0; ; looks++) {
    const lock = await store.lock(name);
    if (lock.taken) return lock;
    const problem = `${store.location}: ${refusal(lock.owner)}`;
    const leftMs = (patience?.ms ?? 0) - (performance.now() - begunMs);
    if (leftMs <= 0) throw new StoreBusy(problem);
    if (looks === 0) patience!.onWait(problem);
    await pause(Math.min(LOOK_AGAIN_MS, leftMs));
  }
}
