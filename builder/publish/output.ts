import {
  COUNTY_OBJECT_KINDS,
  RELEASE_OBJECT_KINDS,
  STATE_OBJECT_KINDS,
} from '../../shards/release/manifest.ts';
import { LATEST, type WritableStore } from '../../shards/store/store.ts';
import { BuildError } from '../errors.ts';
import { BUILD_LOCK, withBuildsLocked } from './locks.ts';
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
];

/**
 * Throws a `BuildError` if the store's folder contains anything that is not part of a store, or one
 * of the `inputs`, which are files on this machine.
 */
async function requireStore(store: WritableStore, inputs: readonly string[]): Promise<void> {
  const within = inputs.find((input) => store.holdsFile(input));
  if (within !== undefined) {
    throw new BuildError(
      `${store.location}: contains the input ${within}; use a separate folder for --out`,
    );
  }
  const strangers = (await store.topNames()).filter(
    (entry) =>
      !STORE_FOLDERS.includes(entry) &&
      ![LATEST, STORE_ID, BUILD_LOCK].some((name) => entry.startsWith(name)),
  );
  if (strangers.length > 0) {
    throw new BuildError(
      `${store.location}: is not a store: it contains ${strangers.slice(0, 3).join(', ')}; use an empty folder or a store for --out`,
    );
  }
}

/**
 * Runs a build on a store while no other build writes to it, and first removes what a killed build
 * left behind, unless `byWorkers`: what those of a killed command still write cannot be
 * distinguished from that. Throws a `BuildError` if it is not a store (`requireStore`), or another
 * build writes to it.
 */
export async function whileBuilding<T>(
  store: WritableStore,
  inputs: readonly string[],
  build: () => Promise<T>,
  byWorkers = false,
): Promise<T> {
  await requireStore(store, inputs);
  const refusal = (owner: string) =>
    `another build (${owner}) is writing to it; wait for it, or use another --out`;
  return withBuildsLocked(store, refusal, async () => {
    if (!byWorkers)
      await clearLeftovers(store, ['', ...STORE_FOLDERS.map((folder) => `${folder}/`)]);
    return build();
  });
}

export async function clearLeftovers(
  store: WritableStore,
  prefixes: readonly string[],
): Promise<void> {
  for (const prefix of prefixes) {
    for (const { name } of await store.leftovers(prefix)) await store.remove(name);
  }
}
