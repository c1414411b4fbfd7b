import { readLatest } from '../../shards/release/latest.ts';
import type { Store, StoredObject, WritableStore } from '../../shards/store/store.ts';
import { BuildError } from '../errors.ts';
import { objectRefsIn } from '../receipts/receipts.ts';
import { findGarbage, type Garbage } from './garbage.ts';
import { withWritesExcluded } from './leases.ts';
import { withBuildsLocked, withReleasesLocked } from './locks.ts';
import { STORE_FOLDERS } from './output.ts';

export interface CollectOptions {
  /** Releases to keep beside the one in force, the newest. */
  readonly keep: number;
  /** What is younger stays. */
  readonly graceHours: number;
  /** Only say what would go. */
  readonly dryRun: boolean;
}

const MS_PER_HOUR = 3_600_000;

/**
 * Removes from a store what no kept release needs, and returns what that was. Refuses while a build
 * writes to the store, here or by workers. Broken off, it leaves a store whose manifests have all
 * their objects.
 */
export async function collectGarbage(
  store: WritableStore,
  { keep, graceHours, dryRun }: CollectOptions,
  now: Date,
): Promise<Garbage> {
  // Before anything is locked: in a folder that is no store nothing is written.
  await readLatest(store);
  const refusal = (owner: string) => `a build (${owner}) is writing to it; wait until it is done`;
  const collect = async () => {
    const { manifest: current } = await readLatest(store);
    const retention = { current, keep, youngerThanMs: now.getTime() - graceHours * MS_PER_HOUR };
    const garbage = await findGarbage(await contentsOf(store), retention, ({ name }) =>
      namesIn(store, name),
    );
    if (!garbage.kept.some(({ name }) => name === current)) {
      throw new BuildError(
        `${store.location}: the current manifest, ${current}, is missing; promote another release first`,
      );
    }
    if (!dryRun) for (const { name } of garbage.remove) await store.remove(name);
    return garbage;
  };
  return withBuildsLocked(store, refusal, () =>
    withReleasesLocked(store, () => withWritesExcluded(store, collect)),
  );
}

/** All of a store but `latest.json`. */
async function contentsOf(store: WritableStore) {
  const objects: StoredObject[] = [];
  const leftovers = await store.leftovers('');
  for (const folder of STORE_FOLDERS) {
    objects.push(...(await store.list(`${folder}/`)));
    leftovers.push(...(await store.leftovers(`${folder}/`)));
  }
  return { objects, leftovers };
}

/**
 * The objects that a manifest or a receipt names. Whatever its format version: what an older program
 * published is not to be taken apart by this one.
 */
async function namesIn(store: Store, name: string): Promise<string[]> {
  const { bytes } = await store.readWhole(name);
  try {
    const content: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return [...objectRefsIn(content)].map((ref) => ref.name);
  } catch {
    throw new BuildError(
      `${store.location}/${name}: is not JSON, so the objects it needs are unknown; remove it and run again`,
    );
  }
}
