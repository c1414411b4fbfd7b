import { describe, expect, test } from 'vitest';
import { Random } from '../../infra/demo/seeded-random.ts';
import { NearestSite } from '../../proxy/queries/sites/nearest-site.ts';
import type { SiteReach } from '../../proxy/queries/sites/site-reach.ts';
import { uncoveredSteps } from '../../proxy/queries/sites/uncovered-blocks.ts';
import { readWeight, WeightedArea } from '../../proxy/queries/sites/weighted-area.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { wideRelease } from '../support/wide-release.ts';

const SEED = 20_261_127;
const BLOCKS = 20_000;
const SITES = 20;
const [MINUTE, NEVER] = [30, Number.POSITIVE_INFINITY];
/** Maximum number of blocks that may be processed in one turn of the event loop. */
const MOST_PER_STEP = 1 << 13;

/** Runs stepwise work over all blocks to its result, and expects it to pause often enough. */
function resultOf<T>(steps: Generator<undefined, T, undefined>): T {
  let pauses = 0;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) {
      expect(pauses).toBeGreaterThanOrEqual(Math.floor(BLOCKS / MOST_PER_STEP));
      return step.value;
    }
    pauses++;
  }
}

const random = new Random(SEED);
/** Counts by block, ascending, so that each block is among the largest so far. */
const counts = Float64Array.from({ length: BLOCKS }, (_, i) => Math.floor(i / 3));
const reaches: SiteReach[] = Array.from({ length: SITES }, () => {
  const positions = Uint32Array.from({ length: BLOCKS }, (_, i) => i).filter(() =>
    random.chance(0.1),
  );
  return { positions, minutes: Uint8Array.from(positions, () => 1 + random.below(60)) };
});
/** Minutes to each site within reach, by block. */
const minutesOf = Array.from({ length: BLOCKS }, () => new Map<number, number>());
for (const [site, { positions, minutes }] of reaches.entries()) {
  positions.forEach((position, i) => {
    minutesOf[position].set(site, minutes[i]);
  });
}
const nearest = new NearestSite(BLOCKS);
for (const reach of reaches) nearest.add(reach);

const nearestOf = (block: number, isOf: (site: number) => boolean = () => true) =>
  Math.min(NEVER, ...[...minutesOf[block]].filter(([site]) => isOf(site)).map(([, at]) => at));
const sumWhere = (isMeant: (block: number) => boolean) =>
  counts.reduce((sum, count, block) => (isMeant(block) ? sum + count : sum), 0);

describe(`sums over ${BLOCKS} blocks by minutes to ${SITES} sites (seed ${SEED}) pause, and`, () => {
  test('are those of the blocks within some minutes', () => {
    const within = resultOf(nearest.withinSteps(counts));
    expect(within[MINUTE]).toBe(sumWhere((block) => nearestOf(block) <= MINUTE));
  });

  test('of each site alone are those of the blocks that no other site is near', () => {
    const alone = resultOf(nearest.aloneSteps(counts));
    for (const site of reaches.keys()) {
      const isAlone = (block: number) =>
        (minutesOf[block].get(site) ?? NEVER) <= MINUTE &&
        nearestOf(block, (other) => other !== site) > MINUTE;
      expect(alone[site][MINUTE]).toBe(sumWhere(isAlone));
    }
  });

  test('mark the blocks that are covered', () => {
    const bits = resultOf(nearest.coveredSteps(MINUTE));
    const isCovered = (block: number) => ((bits[block >>> 5] >>> (block & 31)) & 1) === 1;
    const wrong = [...counts.keys()].filter((i) => isCovered(i) !== nearestOf(i) <= MINUTE);
    expect(wrong).toEqual([]);
  });
});

test('the uncovered blocks with the highest counts are found with pauses, however counts are ordered', async () => {
  const fips = '24005';
  const centres = Array.from({ length: BLOCKS }, (_, i) => [-77 + i / 1e5, 39] as const);
  const { release } = wideRelease([{ fips, box: [-77, 38, -76, 40], centres }]);
  const [{ manifest: county }] = release.counties;
  const index = await release.index(county);
  const ordinals = Uint32Array.from(index.geoids.keys());
  const parts = [{ county, index, ordinals }];
  const reading = { release, mode: 0 };
  const area = new WeightedArea(parts, await readWeight(parts, 'people', reading));
  for (const order of ['ascending', 'descending']) {
    const own = order === 'ascending' ? counts : counts.toReversed();
    area.weight.counts.set(own);
    for (const most of [1, 7, 1000]) {
      const uncovered = resultOf(uncoveredSteps(area, nearest, 'walk', MINUTE, most));
      const expected = Array.from(own.entries())
        .filter(([block]) => nearestOf(block) > MINUTE)
        .sort(([a, more], [b, less]) => less - more || a - b)
        .slice(0, most)
        .map(([block, count]) => ({ block: geoidFromNumber(index.geoids[block]), count }));
      expect(uncovered.map(({ block, count }) => ({ block, count }))).toEqual(expected);
    }
  }
});
