import type { Store } from '../../shards/store/store.ts';
import { recountAccess } from '../../shards/verify/access-recount.ts';
import { verifyRelease } from '../../shards/verify/verify-release.ts';
import { releaseIn } from './release-in.ts';

/** Errors found in the release of a store, as `object: problem`. */
export async function faultsIn(store: Store): Promise<string[]> {
  const release = await releaseIn(store);
  const faults: string[] = [];
  const faulty = new Set<string>();
  for await (const { object, problem } of verifyRelease(release, () => {})) {
    faults.push(`${object}: ${problem}`);
    faulty.add(object);
  }
  for await (const { object, problem } of recountAccess(release, faulty, () => {})) {
    faults.push(`${object}: ${problem}`);
  }
  return faults;
}
