import { expect, test } from 'vitest';
import { marginOf } from '../../shards/weights/margin.ts';
import { PEOPLE, WEIGHT_SOURCES, type Weight } from '../../shards/weights/weight.ts';
import { seeded } from '../search/random-streets.ts';

const people: Weight = { ...PEOPLE, total: 0 };
const group: Weight = { ...people, weight: 'hispanic', source: WEIGHT_SOURCES.redistricting };

test('the margin of a block is 1.645 times the published noise of six counts, of a group two', () => {
  // Global scale 339/542; blocks have 165/4,099 of it, counts of everything 3,945/4,097 of that.
  const ofCount = 339 / 542 / Math.sqrt((165 / 4099) * (3945 / 4097));
  expect(ofCount).toBeCloseTo(3.177, 3);
  const alone = { blocks: 1, ofBlockGroups: Number.POSITIVE_INFINITY, blockGroups: 0 };
  expect(marginOf(people, alone)).toBe(Math.ceil(1.645 * Math.sqrt(6) * ofCount));
  expect(marginOf(group, alone)).toBe(Math.ceil(1.645 * Math.sqrt(2) * ofCount));
});

test('margins grow as the root of the number of blocks, and in whole block groups come from half of them', () => {
  const within = (blocks: number, ofBlockGroups: number, blockGroups: number) =>
    marginOf(people, { blocks, ofBlockGroups, blockGroups })!;
  const scattered = (blocks: number) => within(blocks, Number.POSITIVE_INFINITY, 0);
  expect(scattered(400) / scattered(100)).toBeCloseTo(2, 1);
  // Twelve of 24 blocks: 12 × (1 − 12/24) = 6 independent ones, and half of 1.75² of the total.
  expect(within(24, 24, 1)).toBe(Math.ceil(1.645 * Math.sqrt(60.56 * 6 + 1.752 ** 2 / 2)));
  expect(within(12, 24, 1)).toBe(within(24, 24, 1));
  expect(within(0, 0, 0)).toBe(0);
});

test('a place of 2,500 people may be off by more than the six that the census found in its total', () => {
  expect(marginOf(people, { blocks: 43, ofBlockGroups: 43, blockGroups: 2 })).toBeGreaterThan(6);
});

test('nothing is published on sums of jobs, housing units or counts of one’s own', () => {
  const summed = { blocks: 10, ofBlockGroups: 24, blockGroups: 1 };
  for (const weight of [
    { ...people, weight: 'jobs', unit: 'jobs', source: WEIGHT_SOURCES.workplaces },
    { ...people, weight: 'workers', unit: 'workers', source: WEIGHT_SOURCES.residences },
    { ...group, weight: 'households', unit: 'households' },
    { ...group, weight: 'housing_units', unit: 'housing units' },
    { ...people, weight: 'clinics', source: 'clinics.csv' },
  ]) {
    expect(marginOf(weight, summed)).toBeNull();
  }
});

/**
 * A simulation of the last step of the census's algorithm: counts by group of the blocks of a block
 * group get normal noise, and become the nearest counts that are not negative and add up to those
 * of the block group.
 */
test('nine of ten sums of simulated blocks are within the margin, which is not far too wide', () => {
  const random = seeded(48);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const races = [0.58, 0.12, 0.06, 0.06, 0.06, 0.06, 0.03, 0.01, 0.01, 0.01];
  const shares = races.flatMap((share) => [0.78 * share, 0.22 * share]);
  const blockGroup = () => {
    const sizes = Array.from({ length: 24 }, () => -60 * Math.log(1 - random()));
    return shares.map((share) => {
      // Most groups live in some block groups, and hardly in others.
      const mixed = share < 0.4 ? share * 6 * random() ** 5 : share;
      const counted = sizes.map((size) => Math.round(size * mixed * 2 * random()));
      const noisy = counted.map((count) => count + 3.177 * normal());
      const total = counted.reduce((sum, count) => sum + count, 0);
      return nearestCounts(noisy, total).map((count, i) => count - counted[i]);
    });
  };
  for (const [groups, blocks] of [
    [1, 1],
    [1, 12],
    [8, 6],
  ]) {
    const summed = { blocks: groups * blocks, ofBlockGroups: groups * 24, blockGroups: groups };
    const margin = marginOf(people, summed)!;
    const draws = 400;
    let [within, within2] = [0, 0];
    for (let draw = 0; draw < draws; draw++) {
      let error = 0;
      for (let i = 0; i < groups; i++) {
        for (const errors of blockGroup()) {
          for (let block = 0; block < blocks; block++) error += errors[block];
        }
      }
      if (Math.abs(error) <= margin) within++;
      if (Math.abs(error) <= margin / 2) within2++;
    }
    // A share of 400 draws has a standard deviation of 1.5 %.
    expect([groups, blocks, within / draws > 0.87]).toEqual([groups, blocks, true]);
    expect([groups, blocks, within2 / draws < 0.8]).toEqual([groups, blocks, true]);
  }
});

/** The nearest point to `noisy` whose values are not negative and add up to a total. */
function nearestCounts(noisy: readonly number[], total: number): number[] {
  const sorted = [...noisy].sort((a, b) => b - a);
  let [sum, cut] = [0, sorted[0]];
  for (const [i, value] of sorted.entries()) {
    sum += value;
    const next = (sum - total) / (i + 1);
    if (value > next) cut = next;
  }
  return noisy.map((value) => Math.max(0, value - cut));
}
