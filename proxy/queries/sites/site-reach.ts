import type { ModeRow } from '../../../shards/matrix/row-codec.ts';
import type { Direction } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { Minutes } from '../../../shards/units.ts';
import type { CoverBits } from './greedy-cover.ts';
import type { LocatedSite } from './locate-sites.ts';
import { cumulative, minuteSums } from './minute-sums.ts';
import type { WeightedArea } from './weighted-area.ts';

/** Blocks of an area within reach of a site: positions in the area, and minutes. */
export interface SiteReach {
  readonly positions: Uint32Array;
  readonly minutes: Uint8Array;
}

/** Sites whose rows are read concurrently. */
const WIDTH = 16;

/** Reads, in order, the blocks of an area that each site reaches, or that reach it. */
export async function* reachesOf(
  release: Release,
  sites: readonly LocatedSite[],
  area: WeightedArea,
  direction: Direction,
): AsyncGenerator<SiteReach> {
  for (let first = 0; first < sites.length; first += WIDTH) {
    const rows = await Promise.all(
      sites.slice(first, first + WIDTH).map(async ({ block: { county, ordinal } }) => {
        const matrix = await release.reach(county, direction);
        return { matrix, row: await matrix.encodedRow(ordinal) };
      }),
    );
    for (const { matrix, row } of rows) {
      yield reachIn(row.mode(area.mode), area.positionsIn(matrix));
      const pause = release.turns.yieldIfOverdue();
      if (pause) await pause;
    }
  }
}

function reachIn({ targets, times }: ModeRow, positionOf: Int32Array): SiteReach {
  const positions = new Uint32Array(targets.length);
  const minutes = new Uint8Array(targets.length);
  let count = 0;
  for (let i = 0; i < targets.length; i++) {
    const position = positionOf[targets[i]];
    if (position === -1) continue;
    positions[count] = position;
    minutes[count++] = times[i];
  }
  return { positions: positions.subarray(0, count), minutes: minutes.subarray(0, count) };
}

/** Returns the cumulative counts within reach of a single site, by minutes. */
export function withinOf({ positions, minutes }: SiteReach, counts: Float64Array): Float64Array {
  const sums = minuteSums();
  for (let i = 0; i < positions.length; i++) sums[minutes[i]] += counts[positions[i]];
  return cumulative(sums);
}

/** Returns the blocks of an area within `most` minutes of a site. */
export function coverOf(
  { positions, minutes }: SiteReach,
  blocks: number,
  most: Minutes,
): CoverBits {
  const bits = new Uint32Array(Math.ceil(blocks / 32));
  for (let i = 0; i < positions.length; i++) {
    if (minutes[i] <= most) bits[positions[i] >>> 5] |= 1 << (positions[i] & 31);
  }
  return bits;
}
