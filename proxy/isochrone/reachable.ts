import {
  BLOCKS_A_COUNTY,
  countyOf,
  type GeoidNumber,
  geoidFromNumber,
} from '../../shards/geoid.ts';
import type { Direction } from '../../shards/manifest.ts';
import type { Matrix } from '../../shards/matrix/matrix.ts';
import type { Mode } from '../../shards/modes.ts';
import type { Minutes } from '../../shards/units.ts';
import type { LocatedBlock } from '../answers/located-block.ts';
import { REASONS, unroutedReason } from '../answers/unrouted.ts';
import { Problem } from '../http/problem.ts';

/** The blocks within reach of a block, or from which it is within reach, and how long that takes. */
export interface Reachable {
  readonly matrix: Matrix;
  /** Ordinals in the matrix's targets, ascending. */
  readonly targets: Uint32Array;
  readonly minutes: Uint16Array;
}

/** Reads what a block reaches by a mode. At most one range read once the county's head is kept. */
export async function reachable(
  { release, county, ordinal }: LocatedBlock,
  mode: Mode,
  direction: Direction,
): Promise<Reachable> {
  const matrix = await release.reach(county, direction);
  const rows = await matrix.row(ordinal);
  const { targets, times } = rows[release.manifest.modes.indexOf(mode)];
  return { matrix, targets, minutes: times };
}

/** A block, if a mode could be routed from it; else `no-isochrone-data`. */
export function routable(block: LocatedBlock, mode: Mode): LocatedBlock {
  const { index, ordinal, geoid } = block;
  const reason = unroutedReason(index, ordinal, mode);
  if (reason === null) return block;
  throw new Problem(
    'no-isochrone-data',
    `block ${geoid} is not in reach of ${mode}: ${REASONS[reason]}`,
    { geoid, reason },
  );
}

/** How many of the blocks are within so many minutes. */
export function countWithin({ minutes }: Reachable, limit: Minutes): number {
  let count = 0;
  for (let i = 0; i < minutes.length; i++) if (minutes[i] <= limit) count++;
  return count;
}

/** A block within reach; `contour` is the smallest that holds it, where contours were asked for. */
export interface ReachedBlock {
  readonly geoid: string;
  readonly travel_min: Minutes;
  readonly contour?: Minutes;
}

/** The blocks within so many minutes, by GEOID. `contours`: ascending, the last of them `limit`. */
export function blocksWithin(
  { matrix, targets, minutes }: Reachable,
  limit: Minutes,
  contours: readonly Minutes[] | null,
): ReachedBlock[] {
  const blocks: ReachedBlock[] = [];
  for (let i = 0; i < targets.length; i++) {
    if (minutes[i] > limit) continue;
    const travel_min = minutes[i];
    const contour = contours?.find((level) => travel_min <= level);
    const geoid = geoidFromNumber(matrix.targets[targets[i]]);
    blocks.push(contour === undefined ? { geoid, travel_min } : { geoid, travel_min, contour });
  }
  return blocks;
}

/** Where the blocks of each county begin and end in a matrix's targets. */
export function countyRanges(
  targets: Float64Array,
): { fips: string; first: number; end: number }[] {
  const ranges: { fips: string; first: number; end: number }[] = [];
  for (let first = 0; first < targets.length; ) {
    const fips = countyOf(geoidFromNumber(targets[first] as GeoidNumber));
    const beyond = (Number(fips) + 1) * BLOCKS_A_COUNTY;
    let [low, high] = [first, targets.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (targets[middle] < beyond) low = middle + 1;
      else high = middle;
    }
    ranges.push({ fips, first, end: low });
    first = low;
  }
  return ranges;
}
