import { ShardError, StoreError } from '../../shards/errors.ts';
import { decodeLatest, encodeLatest } from '../../shards/release/latest.ts';
import type { Latest } from '../../shards/release/manifest.ts';
import { MANIFESTS } from '../../shards/release/manifests.ts';
import type { WritableStore } from '../../shards/store/store.ts';

/** The folder with the `latest.json` that first put each manifest in force. It is only added to. */
export const PUBLICATIONS = 'published/';

/**
 * What puts a manifest in force, as it was when it was first published: `latest` if that is now,
 * which is then kept. A manifest holds no time, so that the same inputs give the same bytes; what is
 * kept here makes its time of publication the same after a rollback, and when it is built again.
 * Throws a `ShardError` for one that was damaged: building the release again forgets it.
 */
export async function firstPublication(store: WritableStore, latest: Latest): Promise<Latest> {
  const name = recordOf(latest.manifest);
  const known = await read(store, name);
  if (known !== null) return known;
  try {
    await store.putConditional(name, encodeLatest(latest), null);
    return latest;
  } catch (error) {
    // Somebody else was first.
    const theirs = await read(store, name);
    if (theirs === null) throw error;
    return theirs;
  }
}

/** Removes what is kept of a manifest if it was damaged: its next publication counts as its first. */
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

function recordOf(manifest: string): string {
  return manifest.replace(MANIFESTS, PUBLICATIONS);
}

async function read(store: WritableStore, name: string): Promise<Latest | null> {
  try {
    return decodeLatest((await store.readWhole(name)).bytes, name);
  } catch (error) {
    if (error instanceof StoreError && error.failure === 'missing') return null;
    throw error;
  }
}
