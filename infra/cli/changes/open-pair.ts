import { findManifest } from '../../../builder/publish/promote-release.ts';
import type { ReleasePair } from '../../../shards/changes/compared-county.ts';
import { openNamed } from '../../../shards/release/named-releases.ts';
import { ReleaseCache } from '../../../shards/release/release-cache.ts';
import { timingOf } from '../../../shards/services.ts';
import type { WritableStore } from '../../../shards/store/store.ts';
import { UsageError } from '../../errors.ts';
import type { CompareFlags } from './compare-releases.ts';

const CACHE_BYTES = 1 << 30;

/**
 * Opens two releases of a store by name, as read for a window of departures and a percentile.
 * Throws a `UsageError` if one has no such times.
 */
export async function openPair(
  store: WritableStore,
  [from, to]: readonly [string, string],
  flags: Pick<CompareFlags, 'departure' | 'percentile'>,
): Promise<ReleasePair> {
  const cache = new ReleaseCache(CACHE_BYTES);
  const timing = timingOf(flags);
  const open = async (name: string) => {
    const release = await openNamed(store, await findManifest(store, name), cache);
    const timed = release.at(timing);
    if (timed) return timed;
    throw new UsageError(`release ${release.version} ${release.timingFault(timing)}`);
  };
  return { before: await open(from), after: await open(to) };
}
