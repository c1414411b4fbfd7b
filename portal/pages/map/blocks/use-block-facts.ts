import { useEffect, useState } from 'preact/hooks';
import type { Client } from '../../../client/src/index.ts';
import type { MapPosition } from '../state/map-state.ts';
import type { Box } from '../tiles/vector-tiles.ts';
import { type AreaBlocks, geoidsOf } from './area-blocks.ts';
import type { BlockFacts } from './block-lists.ts';
import { boxInView, widened } from './box-in-view.ts';
import { countiesNear, countyOf, type FoundBlock, findBlock } from './coloured-blocks.ts';

/** People and centres of some blocks, as far as they are known. */
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
export function useBlockFacts(
  api: Client,
  geoids: Float64Array | null,
  position: MapPosition | null,
  bounds: readonly number[],
): LoadedFacts {
  const [known, setKnown] = useState<BlockFacts | null>(null);
  const [far, setFar] = useState<Float64Array | null>(null);
  const place = position && `${position.zoom} ${position.lat} ${position.lon}`;
  const isKnown = geoids !== null && known?.geoids === geoids;
  useEffect(() => {
    if (geoids === null || isKnown) return;
    let isGone = false;
    blockFacts(api, geoids, boxInView(position, bounds)).then(
      (facts) => {
        if (isGone) return;
        if (facts !== null) setKnown(facts);
        setFar(facts === null ? geoids : null);
      },
      // Without facts, only blocks are counted.
      () => {},
    );
    return () => {
      isGone = true;
    };
  }, [api, geoids, isKnown, place, bounds]);
  return { facts: isKnown ? known : null, isFar: geoids !== null && far === geoids };
}

/** Finds a block in block bands; null until the result is known, and without a GEOID. */
export function useFoundBlock(
  api: Client,
  geoid: string | null,
  position: MapPosition | null,
  bounds: readonly number[],
): FoundBlock | null {
  const [found, setFound] = useState<{
    readonly geoid: string;
    readonly block: FoundBlock | null;
  }>();
  useEffect(() => {
    if (geoid === null) return;
    let isGone = false;
    findBlock(api, boxInView(position, bounds), Number(geoid)).then(
      (block) => isGone || setFound({ geoid, block }),
      // The map itself reports that the API does not respond.
      () => {},
    );
    return () => {
      isGone = true;
    };
  }, [api, geoid, bounds]);
  return found !== undefined && found.geoid === geoid ? found.block : null;
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
