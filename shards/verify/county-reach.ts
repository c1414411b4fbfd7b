import { countyOfBlock, geoidFromNumber } from '../geoid.ts';
import { Matrix } from '../matrix/matrix.ts';
import { MINUTES } from '../matrix/row-codec.ts';
import { linkModeOf } from '../modes.ts';
import type { CountyManifest } from '../release/manifest.ts';
import type { ObjectRef } from '../store/store.ts';
import type { CountyFips } from '../units.ts';
import { type Finding, type Findings, findFaults } from './finding.ts';
import { originRowCheck, timeTo } from './row-rules.ts';
import type { Verification } from './verification.ts';

const SELF_MINUTES = 1;

/**
 * Verifies the rows from a county's blocks to blocks, which may be outside the counties of the
 * release: transit is no slower than walking, a block without a street has no rows, and any other
 * block is one minute from itself.
 */
export function verifyReachFrom(
  verification: Verification,
  fips: CountyFips,
  county: CountyManifest,
): AsyncGenerator<Finding> {
  const { store, manifest } = verification.release;
  const ref = county.objects['reach-from'];
  return findFaults(ref.name, async (findings) => {
    const index = await verification.index(county);
    const matrix = await Matrix.open(store, ref);
    verification.checkShape(matrix, MINUTES, index?.geoids ?? null, findings);
    await verification.checkBlocks(matrix.targets, findings, { pastRelease: true });
    checkReach(matrix.targets, county.reach.from, findings);
    const { modes } = manifest;
    const named = (block: number) => `block ${geoidFromNumber(block)}`;
    const check = originRowCheck(matrix, modes, index, findings, named);
    const counties = verification.countiesOfBlocks(matrix.targets);
    const scan = verification.reach.matrix(verification.countyNumber(fips), matrix, counties);
    for await (const { ordinal, modes: rows } of matrix.rows()) {
      const origin = matrix.origins[ordinal];
      scan.row(ordinal, rows);
      check(ordinal, rows);
      if (!index) continue;
      const self = matrix.targetOrdinal(origin);
      modes.forEach((mode, m) => {
        const { status } = index.link(ordinal, linkModeOf(mode));
        const time = timeTo(rows[m], self);
        if (status !== 'linked' || time === SELF_MINUTES) return;
        findings.add('time to itself', () => `${named(origin)}, ${mode}: ${time ?? 'none'}`);
      });
    }
    scan.finish();
  });
}

/** Verifies the rows to a county's blocks; their times are compared with `reach-from` later. */
export function verifyReachTo(
  verification: Verification,
  fips: CountyFips,
  county: CountyManifest,
  ref: ObjectRef,
): AsyncGenerator<Finding> {
  const { store } = verification.release;
  return findFaults(ref.name, async (findings) => {
    const index = await verification.index(county);
    const matrix = await Matrix.open(store, ref);
    verification.checkShape(matrix, MINUTES, index?.geoids ?? null, findings);
    await verification.checkBlocks(matrix.targets, findings);
    checkReach(matrix.targets, county.reach.to, findings);
    const counties = verification.countiesOfBlocks(matrix.targets);
    const scan = verification.reach.transpose(verification.countyNumber(fips), matrix, counties);
    for await (const { ordinal, modes } of matrix.rows()) scan.row(ordinal, modes);
    scan.finish();
  });
}

/** Checks that the counties of some blocks are those that the manifest lists as within reach. */
function checkReach(geoids: Float64Array, said: readonly CountyFips[], findings: Findings): void {
  const counties = new Set<CountyFips>();
  for (const geoid of geoids) counties.add(countyOfBlock(geoid));
  findings.compare('reach', [...counties].sort().join(' '), [...said].sort().join(' '));
}
