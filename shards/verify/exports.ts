import type { Release } from '../release/release.ts';
import {
  readServedExports,
  type ServedExport,
  servedExportsName,
} from '../release/served-exports.ts';
import { checkRecordedHash } from '../store/recorded-hash.ts';
import { type Finding, findFaults } from './finding.ts';

/**
 * Rereads the exports of a release in its store: their list, and the length and hash of each file
 * and of its page checksums; superseded exports are not read. `onObject` is called before an object
 * is read.
 */
export async function* verifyExports(
  { store, latest }: Release,
  onObject: (object: string) => void,
): AsyncGenerator<Finding> {
  const list = servedExportsName(latest.manifest);
  let exports: readonly ServedExport[] = [];
  yield* findFaults(list, async () => {
    ({ exports } = await readServedExports(store, latest.manifest));
  });
  for (const ref of exports.flatMap(({ object, sums }) => [object, sums])) {
    onObject(ref.name);
    yield* findFaults(ref.name, () => checkRecordedHash(store, ref));
  }
}
