import { AddressTable } from '../addresses/address-table.ts';
import { geoidFromNumber } from '../geoid.ts';
import type { CountyManifest } from '../release/manifest.ts';
import type { ObjectRef } from '../store/store.ts';
import { type Finding, findFaults } from './finding.ts';
import type { Verification } from './verification.ts';

/** Verifies that every address of a county can be read and is in one of its blocks. */
export function verifyAddresses(
  verification: Verification,
  county: CountyManifest,
  ref: ObjectRef,
): AsyncGenerator<Finding> {
  return findFaults(ref.name, async (findings) => {
    const index = await verification.index(county);
    const table = await AddressTable.open(verification.release.store, ref);
    for (const [row, { lowest, highest }] of table.streets.entries()) {
      const [ranges] = await table.ranges(row, row + 1);
      for (const { geoid, from, to } of ranges) {
        const block = geoidFromNumber(geoid);
        if (index?.ordinalOf(block) === -1) findings.add('blocks', () => `${block} of no block`);
        if (Math.min(from, to) < lowest || Math.max(from, to) > highest) {
          findings.add('numbers', () => `${from} to ${to}, not ${lowest} to ${highest}`);
        }
      }
    }
  });
}
