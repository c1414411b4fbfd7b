import type { Waiters } from '../../../shards/concurrency/fair-queue.ts';
import { yieldIfOverdue } from '../../../shards/concurrency/yielding.ts';
import { type Geoid, geoidFromNumber } from '../../../shards/geoid.ts';
import type { StreetMode } from '../../../shards/modes.ts';
import { type Degrees, MICRO, type Minutes } from '../../../shards/units.ts';
import type { CountyBlocks } from '../areas/drawn-blocks.ts';
import type { NearestSite, WeightedArea } from './site-coverage.ts';

/** A block that no site covers, and its count of a weight. */
export interface UncoveredBlock {
  readonly block: Geoid;
  readonly lon: Degrees;
  readonly lat: Degrees;
  readonly count: number;
}

/** Blocks looked at between two clock checks. */
const BLOCKS_PER_STEP = 4_096;

/**
 * Up to `most` blocks of an area that could be routed from and have no site within some minutes,
 * those with the most of the first weight first, then by GEOID.
 *
 * `parts`: the blocks of the area, as it was made from.
 */
export async function uncoveredBlocks(
  parts: readonly CountyBlocks[],
  { weights: [weight] }: WeightedArea,
  nearest: NearestSite,
  street: StreetMode,
  minutes: Minutes,
  most: number,
  waiters: Waiters,
): Promise<UncoveredBlock[]> {
  const found: UncoveredBlock[] = [];
  let position = 0;
  for (const { index, ordinals } of parts) {
    for (const ordinal of ordinals) {
      const count = weight[position];
      const isCovered = nearest.minutes[position++] <= minutes;
      const pause = position % BLOCKS_PER_STEP === 0 ? yieldIfOverdue(waiters) : undefined;
      if (pause) await pause;
      if (isCovered || (found.length === most && count <= found[most - 1].count)) continue;
      if (index.link(ordinal, street).status !== 'linked') continue;
      let at = found.length;
      while (at > 0 && found[at - 1].count < count) at--;
      const block = geoidFromNumber(index.geoids[ordinal]);
      const [lon, lat] = [index.lon[ordinal] / MICRO, index.lat[ordinal] / MICRO];
      found.splice(at, 0, { block, lon, lat, count });
      if (found.length > most) found.pop();
    }
  }
  return found;
}
