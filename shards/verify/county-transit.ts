import { Matrix } from '../matrix/matrix.ts';
import type { CountyManifest } from '../release/manifest.ts';
import type { Release } from '../release/release.ts';
import type { ObjectRef } from '../store/store.ts';
import { TransitTable } from '../transit/transit-table.ts';
import { type Finding, findFaults } from './finding.ts';

/**
 * Verifies that a county's `transit` object has rows for the county's blocks and for all targets of
 * its `reach-from` and `pois` objects, and that every row can be read.
 */
export function verifyTransit(
  { store }: Release,
  { blocks, objects }: CountyManifest,
  ref: ObjectRef,
): AsyncGenerator<Finding> {
  return findFaults(ref.name, async (findings) => {
    const table = await TransitTable.open(store, ref);
    const [reach, pois] = await Promise.all(
      [objects['reach-from'], objects.pois].map((matrix) => Matrix.open(store, matrix)),
    );
    const wanted = { origins: blocks, blocks: reach.targets.length, pois: pois.targets.length };
    for (const kind of ['origins', 'blocks', 'pois'] as const) {
      if (table.counts[kind] === wanted[kind]) continue;
      findings.add('rows', () => `${table.counts[kind]} of ${wanted[kind]} ${kind}`);
    }
    await table.checkRows();
  });
}
