import type { Release } from '../../shards/release/release.ts';
import { ReleaseCache } from '../../shards/release/release-cache.ts';
import { openRelease } from '../../shards/release/release-source.ts';
import type { Store } from '../../shards/store/store.ts';

/** The current release of a store, with a cache for everything that tests read of it. */
export function releaseIn(store: Store): Promise<Release> {
  return openRelease(store, new ReleaseCache(2 ** 30));
}
