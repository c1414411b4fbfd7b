import type { Client } from '../../../client/src/index.ts';
import { keylessClient } from '../../api/clients.ts';
import type { Box } from '../tiles/vector-tiles.ts';
import { type AreaBlocks, geoidsOf } from './area-blocks.ts';
import type { BlockFacts } from './block-lists.ts';
import { countiesNear, countyOf, type FoundBlock, findBlock } from './coloured-blocks.ts';
import { useNearby, widened } from './near-map.ts';

interface LoadedFacts {
  /** Null while the facts are being loaded, and if they cannot be. */
  readonly facts: BlockFacts | null;
  /** Whether a county of the blocks is too far from the map to be found. */
  readonly isFar: boolean;
}

/**
 * Loads people and centres of blocks from the heads of block bands, which are free and read once
 * per county.
 */
export function useBlockFacts(geoids: Float64Array | null): LoadedFacts {
  const found = useNearby(geoids, (wanted, view) => blockFacts(keylessClient, wanted, view));
  return { facts: found.value, isFar: found.state === 'far' };
}

/** Finds a block in block bands; null until the result is known, and without a GEOID. */
export function useFoundBlock(geoid: string | null): FoundBlock | null {
  return useNearby(geoid, (wanted, view) => findBlock(keylessClient, view, Number(wanted))).value;
}

/** The population of each block; 0 if unknown, and outside the area if there is one. */
export function peopleOf(
  { population, geoids }: BlockFacts,
  area: AreaBlocks | null = null,
): Float64Array {
  const inside = area && geoidsOf(area);
  return Float64Array.from(population, (people, i) =>
    inside === null || inside.has(geoids[i]) ? (people ?? 0) : 0,
  );
}

/**
 * Reads the facts of the blocks `geoids`, sorted ascending, near a box; null if one of their
 * counties is not found.
 */
async function blockFacts(
  api: Client,
  geoids: Float64Array,
  view: Box,
): Promise<BlockFacts | null> {
  const fips = new Set(Array.from(geoids, countyOf));
  const counties = await countiesNear(api, widened(view), fips);
  if (counties === null) return null;
  const population = new Array<number | null>(geoids.length).fill(null);
  const [lon, lat] = [0, 0].map(() => new Float64Array(geoids.length));
  // Counties and their blocks are sorted ascending, so one pass finds all.
  let at = 0;
  for (const county of counties) {
    for (const [i, geoid] of county.geoids.entries()) {
      while (geoids[at] < geoid) at++;
      if (geoid !== geoids[at]) continue;
      population[at] = county.population[i];
      lon[at] = county.lon[i];
      lat[at] = county.lat[i];
      at++;
    }
  }
  return { geoids, population, lon, lat };
}
