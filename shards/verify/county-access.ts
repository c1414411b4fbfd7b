import { accessColumn, accessCountsOf } from '../access/access-columns.ts';
import type { CountyManifest } from '../release/manifest.ts';
import type { Release } from '../release/release.ts';
import type { ObjectRef } from '../store/store.ts';
import { WeightTable } from '../weights/weight-table.ts';
import { type Finding, findFaults } from './finding.ts';

/**
 * Verifies that a county has all counts of the manifest for each of its blocks, and that more time
 * never reaches less.
 */
export function verifyAccess(
  { store, manifest }: Release,
  county: CountyManifest,
  ref: ObjectRef,
): AsyncGenerator<Finding> {
  return findFaults(ref.name, async (findings) => {
    const table = await WeightTable.open(store, ref);
    const counts = accessCountsOf(manifest);
    const wanted = counts.map(accessColumn).join(', ');
    if (table.names.join(', ') !== wanted) {
      findings.add('columns', () => `${table.names.join(', ')}; the manifest says ${wanted}`);
      return;
    }
    if (table.blocks !== county.blocks) {
      findings.add('blocks', () => `${table.blocks}; the manifest says ${county.blocks}`);
      return;
    }
    let before: Uint32Array | null = null;
    for (const [position, { minutes }] of counts.entries()) {
      const shorter: Uint32Array | null = minutes > counts[position - 1]?.minutes ? before : null;
      const within = await table.counts(position);
      const block = shorter?.findIndex((count, i) => count > within[i]) ?? -1;
      if (block !== -1) {
        findings.add(table.names[position], () => `block ${block} has fewer than in less time`);
      }
      before = within;
    }
  });
}
