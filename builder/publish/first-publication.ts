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
 * Returns the `latest.json` that first made a manifest current. If none is recorded, that is
 * `latest`, which is then recorded. A manifest contains no time, so that the same inputs give the
 * same bytes; this record keeps its time of publication the same after a rollback or a rebuild.
 * Throws a `ShardError` for a damaged record, which building the release again removes.
 */
export async function firstPublication(store: WritableStore, latest: Latest): Promise<Latest> {
  const name = recordOf(latest.manifest);
  const known = await read(store, name);
  if (known !== null) return known;
  try {
    await store.putConditional(name, encodeLatest(latest), null);
    return latest;
  } catch (error) {
    // Another process may have been first.
    const theirs = await read(store, name);
    if (theirs === null) throw error;
    return theirs;
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
  const name = recordOf(manifest);
  try {
    await read(store, name);
  } catch (error) {
    if (!(error instanceof ShardError)) throw error;
    await store.remove(name);
  }
}

/** When a manifest first became current; null if it never was. */
export async function publishedAt(store: Store, manifest: string): Promise<string | null> {
  return (await read(store, recordOf(manifest)))?.published_at ?? null;
}

export function recordOf(manifest: string): string {
  return manifest.replace(MANIFESTS, PUBLICATIONS);
}

async function read(store: Store, name: string): Promise<Latest | null> {
  const record = await nullIfMissing(store.readWhole(name));
  return record && decodeLatest(record.bytes, name);
}
