import { BlockBands } from '../bands/block-bands.ts';
import { BAND_ENDS, BEYOND, UNROUTED } from '../bands/time-bands.ts';
import type { BlockIndex } from '../blocks/block-index.ts';
import { geoidFromNumber } from '../geoid.ts';
import { linkModeOf } from '../modes.ts';
import { decodeNearestRow, nearestRange } from '../nearest/nearest.ts';
import { CheckedPages } from '../pmtiles/checked-pages.ts';
import type { CountyManifest } from '../release/manifest.ts';
import type { ObjectRef } from '../store/store.ts';
import type { CountyFips, MicroDegrees, Tenths } from '../units.ts';
import { type Finding, type Findings, findFaults } from './finding.ts';
import { sameIds } from './row-rules.ts';
import type { Verification } from './verification.ts';

/** Largest error of a rounded centre: half the unit that centres are rounded to. */
const ROUNDING: MicroDegrees = 5;

/**
 * Verifies that a county's block bands match the times in its `nearest` object and the links and
 * people in its index, and that they match their sidecar of checksums, if that is sound.
 */
export function verifyBlockBands(
  verification: Verification,
  fips: CountyFips,
  county: CountyManifest,
  ref: ObjectRef,
  sums: ObjectRef | null,
): AsyncGenerator<Finding> {
  return findFaults(ref.name, async (findings) => {
    const { store, manifest, taxonomy } = verification.release;
    const source = sums === null ? store : await CheckedPages.open(store, ref, sums);
    const bands = new BlockBands(ref.name, await source.readRange(ref, 0, ref.bytes));
    const said = [bands.county, bands.modes, bands.leafIds].join(' ');
    const wanted = [fips, manifest.modes, taxonomy.leafIds].join(' ');
    if (said !== wanted) return findings.add('head', () => `is of ${said}, not of ${wanted}`);
    const index = await verification.index(county);
    if (index === null) return;
    if (!sameIds(bands.geoids, index.geoids)) {
      return findings.add('blocks', () => 'are not those of the index');
    }
    compareFacts(bands, index, findings);
    await compareBands(verification, county, bands, index, findings);
  });
}

function compareFacts(bands: BlockBands, index: BlockIndex, findings: Findings): void {
  const water = new Set(bands.water);
  for (let block = 0; block < index.count; block++) {
    const said = [bands.population[block], water.has(block)].join(', ');
    const wanted = [index.population(block), index.landArea(block) === 0].join(', ');
    const apart = Math.max(
      Math.abs(bands.lon[block] - index.lon[block]),
      Math.abs(bands.lat[block] - index.lat[block]),
    );
    if (apart > ROUNDING) {
      findings.add('centres', () => `${nameOf(index, block)}: ${apart} millionths of a degree off`);
    }
    if (said === wanted) continue;
    findings.add('people and water', () => `${nameOf(index, block)}: ${said}, not ${wanted}`);
  }
}

async function compareBands(
  verification: Verification,
  { objects }: CountyManifest,
  bands: BlockBands,
  index: BlockIndex,
  findings: Findings,
): Promise<void> {
  const { release } = verification;
  const { modes } = release.manifest;
  const { leafIds } = release.taxonomy;
  const { nearest } = objects;
  if (!verification.isSound(nearest)) return;
  const rows = await release.store.readRange(nearest, 0, nearest.bytes);
  const columns = Array.from({ length: release.columns }, (_, i) => bands.column(i));
  for (let block = 0; block < index.count; block++) {
    const { offset, length } = nearestRange(block, release.columns);
    const row = rows.subarray(offset, offset + length);
    const times = decodeNearestRow(nearest.name, block, row, release.columns);
    for (const [i, column] of columns.entries()) {
      const mode = modes[Math.floor(i / leafIds.length)];
      const isLinked = index.isLinked(block, linkModeOf(mode));
      const wanted = bandHolding(times[i], isLinked);
      if (column[block] === wanted) continue;
      findings.add('bands', () => {
        const cell = `${nameOf(index, block)}, ${mode}, type ${leafIds[i % leafIds.length]}`;
        return `${cell}: ${column[block]}, not ${wanted}`;
      });
    }
  }
}

function bandHolding(time: Tenths, isLinked: boolean): number {
  if (time === 0) return isLinked ? BEYOND : UNROUTED;
  return BAND_ENDS.findIndex((end) => time <= end * 10) + 1;
}

function nameOf(index: BlockIndex, block: number): string {
  return `block ${geoidFromNumber(index.geoids[block])}`;
}
