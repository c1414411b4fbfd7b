import { AddressDirectory } from '../addresses/address-directory.ts';
import { AddressTable } from '../addresses/address-table.ts';
import { type GeoidNumber, geoidFromNumber } from '../geoid.ts';
import type { CountyManifest } from '../release/manifest.ts';
import type { ObjectRef } from '../store/store.ts';
import type { CountyFips } from '../units.ts';
import { type Finding, findFaults } from './finding.ts';
import type { Verification } from './verification.ts';

/** Verifies that the directory of addresses lists the counties of the release that have some. */
export function verifyAddressDirectory(
  verification: Verification,
  ref: ObjectRef,
): AsyncGenerator<Finding> {
  return findFaults(ref.name, async (findings) => {
    const { store, manifest } = verification.release;
    const directory = new AddressDirectory(ref.name, await store.readRange(ref, 0, ref.bytes));
    verification.addresses = directory;
    const listed = [...directory.headBytes.keys()].sort().join(' ');
    const wanted = Object.keys(manifest.counties)
      .filter((fips) => manifest.counties[fips].objects.addresses !== undefined)
      .sort()
      .join(' ');
    findings.compare('counties', listed, wanted);
  });
}

/**
 * Verifies that every address and neighbourhood of a county can be read and is in one of its
 * blocks, and that the directory has its ZIP codes and the length of its head.
 */
export function verifyAddresses(
  verification: Verification,
  fips: CountyFips,
  county: CountyManifest,
  ref: ObjectRef,
): AsyncGenerator<Finding> {
  return findFaults(ref.name, async (findings) => {
    const index = await verification.index(county);
    const table = await AddressTable.open(verification.release.store, ref);
    const { addresses: directory } = verification;
    const headBytes = directory?.headBytes.get(fips);
    if (headBytes !== undefined && headBytes !== table.headBytes) {
      findings.add('head', () => `${table.headBytes} bytes; the directory says ${headBytes}`);
    }
    const zips = new Set(table.streets.flatMap((street) => street.zips));
    const isListed = (zip: string) => zip === '' || directory!.countiesOf(zip).includes(fips);
    const missing = headBytes === undefined ? [] : [...zips].filter((zip) => !isListed(zip));
    for (const zip of missing) findings.add('ZIP codes', () => `${zip}, not in the directory`);
    const requireBlock = (geoid: GeoidNumber) => {
      const block = geoidFromNumber(geoid);
      if (index?.ordinalOf(block) === -1) findings.add('blocks', () => `${block} of no block`);
    };
    for (const { geoid } of table.neighbourhoods) requireBlock(geoid);
    for (const [row, { lowest, highest }] of table.streets.entries()) {
      const [ranges] = await table.ranges(row, row + 1);
      for (const { geoid, from, to } of ranges) {
        requireBlock(geoid);
        if (Math.min(from, to) < lowest || Math.max(from, to) > highest) {
          findings.add('numbers', () => `${from} to ${to}, not ${lowest} to ${highest}`);
        }
      }
    }
  });
}
