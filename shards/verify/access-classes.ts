import { AccessClasses } from '../access/access-classes.ts';
import { accessColumn, accessCountsOf } from '../access/access-columns.ts';
import { geoidFromNumber } from '../geoid.ts';
import { linkModeOf } from '../modes.ts';
import { CheckedPages } from '../pmtiles/checked-pages.ts';
import type { CountyManifest } from '../release/manifest.ts';
import type { ObjectRef } from '../store/store.ts';
import type { CountyFips } from '../units.ts';
import { WeightTable } from '../weights/weight-table.ts';
import { type Finding, findFaults } from './finding.ts';
import type { Verification } from './verification.ts';

/** Verifies the access classes of counties, whose bounds must be those of the first one. */
export class ClassesVerification {
  readonly #verification: Verification;
  #bounds: string | null = null;

  constructor(verification: Verification) {
    this.#verification = verification;
  }

  /**
   * Verifies that the classes of a county's blocks hold the counts in its `access` object, and that
   * they match their sidecar of checksums, if that is sound.
   */
  verify(
    fips: CountyFips,
    county: CountyManifest,
    access: ObjectRef,
    ref: ObjectRef,
    sums: ObjectRef | null,
  ): AsyncGenerator<Finding> {
    return findFaults(ref.name, async (findings) => {
      const { store, manifest } = this.#verification.release;
      const source = sums === null ? store : await CheckedPages.open(store, ref, sums);
      const classes = new AccessClasses(ref.name, await source.readRange(ref, 0, ref.bytes));
      const { head } = classes;
      const said = [head.county, head.blocks, ...head.counts.map(accessColumn)].join(', ');
      const wanted = [fips, county.blocks, ...accessCountsOf(manifest).map(accessColumn)];
      if (said !== wanted.join(', ')) {
        return findings.add('head', () => `is of ${said}, not of ${wanted.join(', ')}`);
      }
      const bounds = JSON.stringify(head.counts.map((one) => one.bounds));
      this.#bounds ??= bounds;
      if (bounds !== this.#bounds) {
        return findings.add('bounds', () => 'differ from those of another county');
      }
      const index = await this.#verification.index(county);
      if (index === null || !this.#verification.isSound(access)) return;
      const table = await WeightTable.open(store, access);
      const counts = await table.countsOf(0, head.counts.length);
      for (const [i, { bounds, mode }] of head.counts.entries()) {
        const inClasses = [0, ...bounds, Number.POSITIVE_INFINITY];
        const column = classes.column(i);
        for (const [block, count] of counts[i].entries()) {
          const [found, isLinked] = [column[block], index.isLinked(block, linkModeOf(mode))];
          const [least, end] = inClasses.slice(found - 1, found + 1);
          if (isLinked ? found > 0 && count >= least && count < end : found === 0) continue;
          findings.add('classes', () => {
            const name = `block ${geoidFromNumber(index.geoids[block])}, ${table.names[i]}`;
            return `${name}: ${found}, with ${isLinked ? count : 'no street near'}`;
          });
        }
      }
    });
  }
}
