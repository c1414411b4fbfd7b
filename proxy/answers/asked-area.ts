import { breathe } from '../../shards/breathe.ts';
import type { GeoidNumber } from '../../shards/geoid.ts';
import { boxAroundBoth, boxesMeet } from '../../shards/geometry/wgs84.ts';
import type { BlockIndex } from '../../shards/index/block-index.ts';
import type { Release, ReleaseCounty } from '../../shards/release.ts';
import { rankIn } from '../../shards/sorted.ts';
import { type BoundingBox, MICRO, type MicroDegrees } from '../../shards/units.ts';
import { COUNTIES_A_PAGE } from './poi-search.ts';

/** Ground that somebody asks about. */
export interface AskedArea {
  /** Together they hold it. */
  readonly boxes: readonly BoundingBox[];
  /** Whether some of it is in a box; where absent, the boxes say so. Boxes come from west to east. */
  meets?(box: BoundingBox): boolean;
  /** Whether it holds a point; fastest of points that come from west to east. */
  contains(lon: MicroDegrees, lat: MicroDegrees): boolean;
}

/** Blocks of an area. */
export interface FoundBlocks {
  /** Ascending. */
  readonly blocks: readonly GeoidNumber[];
  /** Where to look on: blocks of counties that are yet to be looked at are not below it. */
  readonly beyond: GeoidNumber | null;
}

/** A block's GEOID is its county's code and ten digits. */
const BLOCKS_A_COUNTY = 1e10;

/**
 * The blocks of a release whose centre is in an area and whose GEOID is not below `from`, of as many
 * counties as one page may look into.
 */
export async function blocksIn(
  release: Release,
  area: AskedArea,
  from: GeoidNumber,
): Promise<FoundBlocks> {
  const blocks: GeoidNumber[] = [];
  const firstCounty = Math.floor(from / BLOCKS_A_COUNTY);
  const counties = (await countiesOf(release, area)).filter(
    ({ fips }) => Number(fips) >= firstCounty,
  );
  for (const [visited, { fips, county, blockBox }] of counties.entries()) {
    if (visited === COUNTIES_A_PAGE) return { blocks, beyond: Number(fips) * BLOCKS_A_COUNTY };
    const index = await release.index(county);
    const box = area.boxes.filter((part) => boxesMeet(part, blockBox)).reduce(boxAroundBoth);
    for (const ordinal of await ordinalsIn(index, rankIn(index.geoids, from), box, area)) {
      blocks.push(index.geoids[ordinal]);
    }
  }
  return { blocks, beyond: null };
}

/** The counties that may have blocks in an area, in the order of their codes. */
async function countiesOf(release: Release, area: AskedArea): Promise<readonly ReleaseCounty[]> {
  const near = release.blockBoxes.meeting(area.boxes);
  if (!area.meets) return near;
  const met = new Set<ReleaseCounty>();
  for (const county of near.toSorted((a, b) => a.blockBox.minLon - b.blockBox.minLon)) {
    if (area.meets(county.blockBox)) met.add(county);
    const pause = breathe();
    if (pause) await pause;
  }
  return near.filter((county) => met.has(county));
}

/** Blocks put in order together: well under a millisecond's work. */
const BLOCKS_A_SORT = 1 << 13;
/** Points decided between two looks at the clock. */
const POINTS_A_STEP = 256;

/** Ordinals of the blocks from `first` on that are in an area, and in a box, ascending. */
async function ordinalsIn(
  { lon, lat, count }: BlockIndex,
  first: number,
  box: BoundingBox,
  area: AskedArea,
): Promise<number[]> {
  // A product with a million may be off by a little: the area decides.
  const [west, east] = [box.minLon * MICRO - 1, box.maxLon * MICRO + 1];
  const [south, north] = [box.minLat * MICRO - 1, box.maxLat * MICRO + 1];
  const near = new Float64Array(BLOCKS_A_SORT);
  const inside: number[] = [];
  for (let start = first; start < count; start += BLOCKS_A_SORT) {
    let found = 0;
    for (let i = start; i < Math.min(count, start + BLOCKS_A_SORT); i++) {
      if (lon[i] < west || lon[i] > east || lat[i] < south || lat[i] > north) continue;
      near[found++] = (lon[i] - WESTERNMOST) * BLOCKS_A_SORT + (i - start);
    }
    // West to east, as areas are fastest to ask.
    const eastward = near.subarray(0, found).sort();
    const firstInside = inside.length;
    for (let k = 0; k < found; k++) {
      const i = start + (eastward[k] % BLOCKS_A_SORT);
      if (area.contains(lon[i], lat[i])) inside.push(i);
      const pause = k % POINTS_A_STEP === 0 ? breathe() : undefined;
      if (pause) await pause;
    }
    const ascending = Uint32Array.from(inside.splice(firstInside)).sort();
    for (const ordinal of ascending) inside.push(ordinal);
    const pause = breathe();
    if (pause) await pause;
  }
  return inside;
}

const WESTERNMOST: MicroDegrees = -180 * MICRO;
