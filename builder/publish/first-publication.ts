import { nullIfMissing, ShardError } from '../../shards/errors.ts';
import { decodeLatest, encodeLatest } from '../../shards/release/latest.ts';
import type { Latest } from '../../shards/release/manifest.ts';
import { MANIFESTS } from '../../shards/release/manifests.ts';
import type { Store, WritableStore } from '../../shards/store/store.ts';

/**
 * The folder with the `latest.json` that first made each manifest current. Entries are only added.
 */
export const PUBLICATIONS = 'published/';

/**
 * Records the `latest.json` by which a manifest became current, unless one is recorded. A manifest
 * contains no time, so that the same inputs give the same bytes; this record keeps its time of
 * publication the same after a rollback or a rebuild.
 */
export async function recordPublication(store: WritableStore, latest: Latest): Promise<void> {
  const name = recordOf(latest.manifest);
  if ((await store.stat(name)) !== null) return;
  try {
    await store.putConditional(name, encodeLatest(latest), null);
  } catch (error) {
    // Another process may have been first.
    if ((await store.stat(name)) === null) throw error;
  }
}

/**
 * Removes the record of a manifest's first publication if it is damaged, so that its next
 * publication counts as its first.
 */
export async function forgetDamagedPublication(
  store: WritableStore,
  manifest: string,
): Promise<void> {
  try {
    await firstPublication(store, manifest);
  } catch (error) {
    if (!(error instanceof ShardError)) throw error;
    await store.remove(recordOf(manifest));
  }
}

export function recordOf(manifest: string): string {
  return manifest.replace(MANIFESTS, PUBLICATIONS);
}

/**
 * Returns the `latest.json` that first made a manifest current; null if none is recorded. Throws a
 * `ShardError` for a damaged record, which building the release again removes.
 */
export async function firstPublication(store: Store, manifest: string): Promise<Latest | null> {
  const name = recordOf(manifest);
  const record = await nullIfMissing(store.readWhole(name));
  return record && decodeLatest(record.bytes, name);
}
