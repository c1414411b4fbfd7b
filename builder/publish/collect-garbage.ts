import { readLatest } from '../../shards/release/latest.ts';
import { MANIFESTS } from '../../shards/release/manifests.ts';
import { servedExportsName } from '../../shards/release/served-exports.ts';
import type { Store, StoredObject, WritableStore } from '../../shards/store/store.ts';
import { BuildError } from '../errors.ts';
import { objectRefsIn } from '../receipts/receipts.ts';
import { findGarbage, type Garbage } from './garbage.ts';
import { withBuildsLocked, withReleasesLocked } from './locks.ts';
import { STORE_FOLDERS } from './output.ts';

interface CollectOptions {
  /** Number of releases to keep in addition to the current one, the newest first. */
  readonly keep: number;
  /** Age, in hours, below which objects are kept. */
  readonly graceHours: number;
  /** Whether to only report what would be removed. */
  readonly dryRun: boolean;
}

const MS_PER_HOUR = 3_600_000;

/**
 * Removes everything from a store that no kept release needs, and returns what was removed. Refuses
 * while a build writes to the store. If interrupted, it leaves a store whose manifests have all
 * their objects.
 */
export async function collectGarbage(
  store: WritableStore,
  { keep, graceHours, dryRun }: CollectOptions,
  now: Date,
): Promise<Garbage> {
  // Read before any lock is acquired, so that nothing is written to a folder that is not a store.
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
  return withBuildsLocked(store, refusal, () => withReleasesLocked(store, collect));
}

/** Everything in a store except `latest.json`. */
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
 * Returns the names of the objects that a receipt names, or that a manifest and the list of its
 * release's exports name. Accepts any format version, since this program must not remove parts of a
 * release that an older one published.
 */
async function namesIn(store: Store, name: string): Promise<string[]> {
  const names = await namesWithin(store, name);
  if (!name.startsWith(MANIFESTS)) return names;
  const list = servedExportsName(name);
  if ((await store.stat(list)) === null) return names;
  return [...names, list, ...(await namesWithin(store, list))];
}

async function namesWithin(store: Store, name: string): Promise<string[]> {
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
