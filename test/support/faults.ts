import { ReleaseCache } from '../../shards/release-cache.ts';
import { openRelease } from '../../shards/release-source.ts';
import type { Store } from '../../shards/store/store.ts';
import { verifyRelease } from '../../shards/verify.ts';

/** What is found wrong with the release of a store, as `object: problem`. */
export async function faultsIn(store: Store): Promise<string[]> {
  const release = await openRelease(store, new ReleaseCache(1 << 28));
  const faults: string[] = [];
  for await (const { object, problem } of verifyRelease(release, () => {})) {
    faults.push(`${object}: ${problem}`);
  }
  return faults;
}
