import path from 'node:path';
import { takeLock } from '../../shards/store/lock-file.ts';
import type { Store } from '../../shards/store/store.ts';
import { BuildError } from '../errors.ts';

/** A name that a store's listing leaves out. */
const LOCK = 'manifests/retention.lock';

/**
 * Runs `work` while nobody else makes a release of before the current one, or removes releases: one
 * must not be removed between being found whole and being put in force. A build need not wait: it
 * puts in force what is new.
 */
export async function whileReleasesStay<T>(store: Store, work: () => Promise<T>): Promise<T> {
  const lock = await takeLock(path.join(store.location, LOCK));
  if (!lock.taken) {
    throw new BuildError(
      `${store.location}: process ${lock.owner} is promoting or removing releases; try again when it is done`,
    );
  }
  try {
    return await work();
  } finally {
    await lock.release();
  }
}
