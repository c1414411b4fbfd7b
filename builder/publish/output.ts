import {
  COUNTY_OBJECT_KINDS,
  RELEASE_OBJECT_KINDS,
  STATE_OBJECT_KINDS,
} from '../../shards/release/manifest.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import { LATEST } from '../../shards/store/store.ts';
import { BuildError, StoreBusy } from '../errors.ts';
import { withWritesExcluded } from './leases.ts';
import { BUILD_LOCK, type LockWait, SWEEP_LOCK, withBuildsLocked } from './locks.ts';
import { STORE_ID } from './store-id.ts';

export const STORE_FOLDERS: readonly string[] = [
  ...COUNTY_OBJECT_KINDS,
  ...STATE_OBJECT_KINDS,
  ...RELEASE_OBJECT_KINDS,
  'tiles',
  'exports',
  'manifests',
  'published',
  'notes',
  'inputs',
  'plans',
  'prepared',
  'receipts',
  'regions',
  'leases',
];

/**
 * Throws a `BuildError` if the store's folder contains anything that is not part of a store, or one
 * of the `inputs`, which are files on this machine.
 */
export async function requireStore(store: WritableStore, inputs: readonly string[]): Promise<void> {
  const within = inputs.find((input) => store.holdsFile(input));
  if (within !== undefined) {
    throw new BuildError(
      `${store.location}: contains the input ${within}; use a separate folder for --out`,
    );
  }
  const strangers = (await store.topNames()).filter(
    (entry) =>
      !STORE_FOLDERS.includes(entry) &&
      ![LATEST, STORE_ID, BUILD_LOCK, SWEEP_LOCK].some((name) => entry.startsWith(name)),
  );
  if (strangers.length > 0) {
    throw new BuildError(
      `${store.location}: is not a store: it contains ${strangers.slice(0, 3).join(', ')}; use an empty folder or a store for --out`,
    );
  }
}

/**
 * Runs a build on a store while no other build writes to it, and first removes what a killed build
 * left behind. Throws a `BuildError` if it is not a store (`requireStore`), or another build writes
 * to it for longer than `patience` allows.
 */
export async function whileBuilding<T>(
  store: WritableStore,
  inputs: readonly string[],
  build: () => Promise<T>,
  patience?: LockWait,
): Promise<T> {
  await requireStore(store, inputs);
  const refusal = (owner: string) =>
    `another build (${owner}) is writing to it; wait for it, or use another --out`;
  const clearAndBuild = async () => {
    await clearLeftovers(store);
    return build();
  };
  return withBuildsLocked(store, refusal, clearAndBuild, patience);
}

/**
 * Removes what killed writers left behind. Does nothing while workers write, since their files
 * cannot be distinguished from leftovers.
 */
async function clearLeftovers(store: WritableStore): Promise<void> {
  const clear = async () => {
    for (const prefix of ['', ...STORE_FOLDERS.map((folder) => `${folder}/`)]) {
      for (const { name } of await store.leftovers(prefix)) await store.remove(name);
    }
  };
  await withWritesExcluded(store, clear).catch((error) => {
    if (!(error instanceof StoreBusy)) throw error;
  });
}
