import { countyOfBlock, type GeoidNumber, geoidFromNumber } from '../geoid.ts';
import { boundsOf } from '../geometry/bounds.ts';
import type { Rings } from '../geometry/rings.ts';
import { PlaceTable } from '../places/place-table.ts';
import type { StateManifest } from '../release/manifest.ts';
import { type BoundingBox, toMicro } from '../units.ts';
import { type Finding, findFaults } from './finding.ts';
import { verifyFeatures } from './layer.ts';
import { outOfOrder } from './row-rules.ts';
import type { Verification } from './verification.ts';

/**
 * Verifies the census places of a state: their number matches the manifest, their blocks are in the
 * release and add up to their population, and all are on the map.
 */
export async function* verifyState(
  verification: Verification,
  state: string,
  manifest: StateManifest,
): AsyncGenerator<Finding> {
  const { store } = verification.release;
  const { places: ref, 'place-map': mapRef } = manifest.objects;
  let listed: number[] | null = null;
  yield* findFaults(ref.name, async (findings) => {
    const table = await PlaceTable.open(store, ref);
    const { places } = table;
    findings.compare('places', places.length, manifest.places);
    listed = places.map(({ geoid }) => Number(geoid));
    const at = outOfOrder(listed);
    if (at !== -1) findings.add('out of order', () => `place ${places[at].geoid}`);
    for (const [ordinal, { geoid, population, box }] of places.entries()) {
      if (!geoid.startsWith(state)) findings.add('of another state', () => `place ${geoid}`);
      const blocks = Float64Array.from(await table.blocks(ordinal));
      if (outOfOrder(blocks) !== -1) findings.add('blocks out of order', () => `place ${geoid}`);
      await verification.checkBlocks(blocks, findings);
      if (!fills(await table.outline(ordinal), box)) {
        findings.add('outline', () => `place ${geoid}: does not fill its box`);
      }
      const people = await populationOf(verification, blocks);
      if (people !== null && people !== population) {
        findings.add('population', () => `place ${geoid}: ${population}, its blocks ${people}`);
      }
    }
  });
  yield* verifyFeatures(verification, mapRef, 'geoid', listed, ref);
}

function fills({ x, y }: Rings, { minLon, minLat, maxLon, maxLat }: BoundingBox): boolean {
  return [minLon, minLat, maxLon, maxLat].map(toMicro).join() === boundsOf(x, y).join();
}

/** Total population of some blocks; null if any cannot be looked up. */
async function populationOf(
  verification: Verification,
  blocks: Iterable<GeoidNumber>,
): Promise<number | null> {
  let people = 0;
  for (const block of blocks) {
    const county = verification.release.county(countyOfBlock(block));
    const index = county ? await verification.index(county) : null;
    const ordinal = index?.ordinalOf(geoidFromNumber(block)) ?? -1;
    if (!index || ordinal === -1) return null;
    people += index.population(ordinal) ?? 0;
  }
  return people;
}
