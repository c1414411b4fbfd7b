import { findManifest } from '../../../builder/publish/promote-release.ts';
import type { ReleasePair } from '../../../shards/changes/compared-county.ts';
import { openNamed } from '../../../shards/release/named-releases.ts';
import { ReleaseCache } from '../../../shards/release/release-cache.ts';
import { BASE_TIMING } from '../../../shards/services.ts';
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
  const { departure = BASE_TIMING.departure, percentile = BASE_TIMING.percentile } = flags;
  const open = async (name: string) => {
    const release = await openNamed(store, await findManifest(store, name), cache);
    const timed = release.at({ departure, percentile });
    if (timed) return timed;
    const held = release.windows.map((one) => `${one.name}: ${one.percentiles.join(', ')}`);
    throw new UsageError(
      `release ${release.version} has no transit times of departure ${departure} at percentile ${percentile}; it has ${held.join('; ') || 'no transit'}`,
    );
  };
  return { before: await open(from), after: await open(to) };
}
