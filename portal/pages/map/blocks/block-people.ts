import { useEffect, useState } from 'preact/hooks';
import type { Client } from '../../../client/src/index.ts';
import type { MapPosition } from '../state/map-state.ts';
import { type Box, countiesNear } from './coloured-blocks.ts';
import { boxInView } from './use-blocks-in-view.ts';

/** Width of the surroundings of a map in which the counties of a reach are found, degrees. */
const AROUND_DEGREES = 1;
/** A GEOID begins with its county's code. */
const BLOCKS_PER_COUNTY = 1e10;

/**
 * People of blocks, by the heads of block bands: free, and read once a county. Null while they are
 * loaded, and where a county is too far from the map to be found.
 */
export function useBlockPeople(
  api: Client,
  geoids: Float64Array | null,
  position: MapPosition | null,
  bounds: readonly number[],
): Float64Array | null {
  const [known, setKnown] = useState<{
    readonly geoids: Float64Array;
    readonly people: Float64Array;
  } | null>(null);
  const place = position && `${position.zoom} ${position.lat} ${position.lon}`;
  const isKnown = geoids !== null && known?.geoids === geoids;
  useEffect(() => {
    if (geoids === null || isKnown) return;
    let isGone = false;
    blockPeople(api, geoids, boxInView(position, bounds)).then(
      (people) => isGone || (people && setKnown({ geoids, people })),
      // Blocks are counted without them.
      () => {},
    );
    return () => {
      isGone = true;
    };
  }, [api, geoids, isKnown, place, bounds]);
  return isKnown ? known.people : null;
}

/** People of the blocks `geoids`, ascending, near a box; null if a county of them is not found. */
async function blockPeople(
  api: Client,
  geoids: Float64Array,
  [west, south, east, north]: Box,
): Promise<Float64Array | null> {
  const fips = new Set(Array.from(geoids, (geoid) => Math.floor(geoid / BLOCKS_PER_COUNTY)));
  const around: Box = [
    west - AROUND_DEGREES,
    south - AROUND_DEGREES,
    east + AROUND_DEGREES,
    north + AROUND_DEGREES,
  ];
  const counties = await countiesNear(api, around, fips);
  if (counties === null) return null;
  const people = new Float64Array(geoids.length);
  // Counties and their blocks ascend, so one pass finds all.
  let at = 0;
  for (const { geoids: blocks, population } of counties) {
    for (let i = 0; i < blocks.length; i++) {
      while (geoids[at] < blocks[i]) at++;
      if (blocks[i] === geoids[at]) people[at++] = population[i] ?? 0;
    }
  }
  return people;
}
