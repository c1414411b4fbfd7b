import { accessColumn, accessCountsOf } from '../access/access-columns.ts';
import type { CountyManifest } from '../release/manifest.ts';
import type { Release } from '../release/release.ts';
import type { ObjectRef } from '../store/store.ts';
import { WeightTable } from '../weights/weight-table.ts';
import { type Finding, findFaults } from './finding.ts';

/**
 * Verifies that every county has all weights of the manifest, for each of its blocks, and that the
 * counts of all counties add up to the manifest's totals.
 */
export class WeightTotals {
  readonly #release: Release;
  readonly #sums: number[];
  #counties = 0;

  constructor(release: Release) {
    this.#release = release;
    this.#sums = release.manifest.weights.map(() => 0);
  }

  verify(county: CountyManifest, ref: ObjectRef): AsyncGenerator<Finding> {
    const { store, manifest } = this.#release;
    return findFaults(ref.name, async (findings) => {
      const table = await WeightTable.open(store, ref);
      const wanted = manifest.weights.map(({ weight }) => weight).join(' ');
      if (!findings.compare('columns', table.names.join(' '), wanted)) return;
      findings.compare('blocks', table.blocks, county.blocks);
      for (const position of table.names.keys()) {
        for (const count of await table.counts(position)) this.#sums[position] += count;
      }
      this.#counties++;
    });
  }

  /** Compares the sums with the manifest, unless a county's weights could not be read. */
  *findings(): Generator<Finding> {
    const { manifest, latest } = this.#release;
    if (this.#counties < Object.keys(manifest.counties).length) return;
    for (const [i, { weight, total }] of manifest.weights.entries()) {
      const sum = this.#sums[i];
      if (sum === total) continue;
      const problem = `${weight}: ${total}; the counties have ${sum}`;
      yield { object: latest.manifest, problem };
    }
  }
}

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
    if (!findings.compare('columns', table.names.join(', '), wanted)) return;
    if (!findings.compare('blocks', table.blocks, county.blocks)) return;
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
