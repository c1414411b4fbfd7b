import type { BlockIndex } from '../../../shards/blocks/block-index.ts';
import { type Geoid, geoidFromNumber } from '../../../shards/geoid.ts';
import { linkModeOf, type Mode } from '../../../shards/modes.ts';
import { type CountyBlock, type Degrees, MICRO, type Minutes } from '../../../shards/units.ts';
import type { NearestSite } from './nearest-site.ts';
import type { WeightedArea } from './weighted-area.ts';

export interface UncoveredBlock {
  readonly block: Geoid;
  readonly lon: Degrees;
  readonly lat: Degrees;
  readonly count: number;
}

interface Gap {
  readonly index: BlockIndex;
  readonly ordinal: CountyBlock;
  readonly count: number;
}

/** Blocks processed between two pauses, in well under a millisecond. */
const BLOCKS_PER_STEP = 512;

/**
 * Finds up to `most` blocks of an area that could be routed from and have no site within `minutes`.
 * Ordered by descending count of the first weight, then by GEOID.
 */
export function* uncoveredSteps(
  { parts, weight: { counts } }: WeightedArea,
  nearest: NearestSite,
  mode: Mode,
  minutes: Minutes,
  most: number,
): Generator<undefined, UncoveredBlock[], undefined> {
  const street = linkModeOf(mode);
  let gaps: Gap[] = [];
  /** Blocks with at most this count are preceded by `most` others. */
  let exceeded = -1;
  let position = 0;
  for (const { index, ordinals } of parts) {
    for (const ordinal of ordinals) {
      const count = counts[position];
      const isCovered = nearest.minutes[position++] <= minutes;
      if (position % BLOCKS_PER_STEP === 0) yield;
      if (isCovered || count <= exceeded) continue;
      if (index.link(ordinal, street).status !== 'linked') continue;
      gaps.push({ index, ordinal, count });
      if (gaps.length < 2 * most) continue;
      gaps = largest(gaps, most);
      exceeded = gaps[most - 1].count;
      yield;
    }
  }
  gaps = largest(gaps, most);
  yield;
  return gaps.map(({ index, ordinal, count }) => {
    const block = geoidFromNumber(index.geoids[ordinal]);
    return { block, lon: index.lon[ordinal] / MICRO, lat: index.lat[ordinal] / MICRO, count };
  });
}

/**
 * Returns the `most` gaps with the highest counts; equal ones keep their order, as sorting is
 * stable.
 */
function largest(gaps: readonly Gap[], most: number): Gap[] {
  return gaps.toSorted((a, b) => b.count - a.count).slice(0, most);
}
