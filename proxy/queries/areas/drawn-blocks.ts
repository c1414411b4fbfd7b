import { rankIn } from '../../../shards/arrays/sorted.ts';
import type { BlockIndex } from '../../../shards/blocks/block-index.ts';
import { BLOCKS_PER_COUNTY, type GeoidNumber } from '../../../shards/geoid.ts';
import { boxAroundBoth, boxesMeet } from '../../../shards/geometry/wgs84.ts';
import type { CountyManifest } from '../../../shards/release/manifest.ts';
import type { Release, ReleaseCounty } from '../../../shards/release/release.ts';
import {
  type BoundingBox,
  type CountyBlock,
  MICRO,
  type MicroDegrees,
} from '../../../shards/units.ts';
import { Problem } from '../../http/problem.ts';
import { areExchanged, EXCHANGED } from '../exchanged-coordinates.ts';
import { COUNTIES_PER_PAGE } from '../rows/pagination.ts';
import type { SearchedArea } from '../searched-area.ts';

export interface CountyBlocks {
  readonly county: CountyManifest;
  readonly index: BlockIndex;
  /** Ascending. */
  readonly ordinals: Uint32Array;
}

/** Blocks found, in GEOID order. */
export interface FoundBlocks {
  /** Blocks county by county; each county is searched on demand. */
  readonly counties: AsyncIterable<CountyBlocks>;
  /** GEOID to continue from: a lower bound of blocks of counties not yet searched; null if none. */
  readonly beyond: GeoidNumber | null;
}

/**
 * Finds the blocks of a release whose centre is in an area and whose GEOID is at least `from`, in
 * as many counties as one page may search.
 */
export async function blocksIn(
  release: Release,
  area: SearchedArea,
  from: GeoidNumber,
): Promise<FoundBlocks> {
  const firstCounty = Math.floor(from / BLOCKS_PER_COUNTY);
  const counties = (await countiesOf(release, area)).filter(
    ({ fips }) => Number(fips) >= firstCounty,
  );
  const next = counties.at(COUNTIES_PER_PAGE);
  return {
    counties: eachIn(release, counties.slice(0, COUNTIES_PER_PAGE), area, from),
    beyond: next ? Number(next.fips) * BLOCKS_PER_COUNTY : null,
  };
}

export async function* allBlocksIn(
  release: Release,
  area: SearchedArea,
): AsyncGenerator<CountyBlocks> {
  yield* eachIn(release, await countiesOf(release, area), area, 0);
}

async function* eachIn(
  release: Release,
  counties: readonly ReleaseCounty[],
  area: SearchedArea,
  from: GeoidNumber,
): AsyncGenerator<CountyBlocks> {
  for (const { manifest, blockBox } of counties) {
    const index = await release.index(manifest);
    const box = area.boxes.filter((part) => boxesMeet(part, blockBox)).reduce(boxAroundBoth);
    const ordinals = await ordinalsIn(release, index, rankIn(index.geoids, from), box, area);
    yield { county: manifest, index, ordinals };
  }
}

/**
 * Returns the counties that may have blocks in an area, ordered by code. Throws `invalid-geometry`
 * if there are none, but there would be some with longitude and latitude exchanged.
 */
async function countiesOf(release: Release, area: SearchedArea): Promise<readonly ReleaseCounty[]> {
  const near = release.blockBoxes.meeting(area.boxes);
  if (near.length === 0 && areExchanged(release, area.boxes)) {
    throw new Problem('invalid-geometry', `the area ${EXCHANGED}`);
  }
  if (!area.meets) return near;
  const met = new Set<ReleaseCounty>();
  for (const county of near.toSorted((a, b) => a.blockBox.minLon - b.blockBox.minLon)) {
    if (area.meets(county.blockBox)) met.add(county);
    await release.turns.yieldIfOverdue();
  }
  return near.filter((county) => met.has(county));
}

/** Blocks sorted together, which takes well under a millisecond. */
const BLOCKS_PER_SORT = 1 << 13;
/** Points tested between two clock checks. */
const POINTS_PER_STEP = 256;

/** Returns the ordinals of blocks, from `first` on, in an area and in a box; sorted ascending. */
async function ordinalsIn(
  { turns }: Release,
  { lon, lat, count }: BlockIndex,
  first: number,
  box: BoundingBox,
  area: SearchedArea,
): Promise<Uint32Array> {
  // The multiplication by a million may be slightly off: the area decides exactly.
  const [west, east] = [box.minLon * MICRO - 1, box.maxLon * MICRO + 1];
  const [south, north] = [box.minLat * MICRO - 1, box.maxLat * MICRO + 1];
  const near = new Float64Array(BLOCKS_PER_SORT);
  const inside: CountyBlock[] = [];
  for (let start = first; start < count; start += BLOCKS_PER_SORT) {
    let found = 0;
    for (let i = start; i < Math.min(count, start + BLOCKS_PER_SORT); i++) {
      if (lon[i] < west || lon[i] > east || lat[i] < south || lat[i] > north) continue;
      near[found++] = (lon[i] - WESTERNMOST) * BLOCKS_PER_SORT + (i - start);
    }
    // West to east, the fastest order for area tests.
    const eastward = near.subarray(0, found).sort();
    const firstInside = inside.length;
    for (let k = 0; k < found; k++) {
      const i = start + (eastward[k] % BLOCKS_PER_SORT);
      if (area.contains?.(lon[i], lat[i]) !== false) inside.push(i);
      if ((k + 1) % POINTS_PER_STEP === 0) await turns.yieldIfOverdue();
    }
    const ascending = Uint32Array.from(inside.splice(firstInside)).sort();
    for (const ordinal of ascending) inside.push(ordinal);
    await turns.yieldIfOverdue();
  }
  return Uint32Array.from(inside);
}

const WESTERNMOST: MicroDegrees = -180 * MICRO;
