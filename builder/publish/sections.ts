import type { WritableStore } from '../../shards/store/store.ts';
import { BuildError } from '../errors.ts';

/** Held by who writes objects to a store, or removes them. */
export const BUILD_LOCK = '.build-lock';
const RETENTION_LOCK = 'manifests/retention.lock';

/** Runs `work` while nobody else writes objects to the store; `refusal` names who does. */
export function whileNoBuildWrites<T>(
  store: WritableStore,
  refusal: (owner: string) => string,
  work: () => Promise<T>,
): Promise<T> {
  return whileLocked(store, BUILD_LOCK, refusal, work);
}

/**
 * Runs `work` while nobody else makes a release of before the current one, or removes releases: one
 * must not be removed between being found whole and being put in force. A build need not wait: it
 * puts in force what is new.
 */
export function whileReleasesStay<T>(store: WritableStore, work: () => Promise<T>): Promise<T> {
  const refusal = (owner: string) =>
    `${owner} is promoting or removing releases; try again when it is done`;
  return whileLocked(store, RETENTION_LOCK, refusal, work);
}

async function whileLocked<T>(
  store: WritableStore,
  name: string,
  refusal: (owner: string) => string,
  work: () => Promise<T>,
): Promise<T> {
  const lock = await store.lock(name);
  if (!lock.taken) throw new BuildError(`${store.location}: ${refusal(lock.owner)}`);
  try {
    return await work();
  } finally {
    await lock.release();
  }
}
