import { findManifest } from '../../../builder/publish/promote-release.ts';
import type { ReleasePair } from '../../../shards/changes/compared-county.ts';
import { openNamed } from '../../../shards/release/named-releases.ts';
import { ReleaseCache } from '../../../shards/release/release-cache.ts';
import type { WritableStore } from '../../../shards/store/store.ts';

const CACHE_BYTES = 1 << 30;

/** Opens two releases of a store by name. */
export async function openPair(
  store: WritableStore,
  [from, to]: readonly [string, string],
): Promise<ReleasePair> {
  const cache = new ReleaseCache(CACHE_BYTES);
  const open = async (name: string) => openNamed(store, await findManifest(store, name), cache);
  return { before: await open(from), after: await open(to) };
}
