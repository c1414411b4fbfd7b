import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BUCKETS, boundsOf, bucketOf } from '../../builder/access/class-bounds.ts';
import { forAll } from '../support/for-all.ts';

/** Counts of blocks, of any size, of one size, and with many equal ones. */
const counts = fc.oneof(
  fc.array(fc.integer({ min: 0, max: 2 ** 32 - 1 }), { minLength: 1, maxLength: 60 }),
  fc.array(fc.integer({ min: 40_000, max: 47_000 }), { minLength: 1, maxLength: 60 }),
  fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 60 }),
);

function boundsFor(of: readonly number[]): number[] {
  const blocks = new Uint32Array(BUCKETS);
  for (const count of of) blocks[bucketOf(count)]++;
  return boundsOf(blocks);
}

test('bounds are at most five round numbers, ascending, and leave no class empty', () =>
  forAll(500, counts, (all) => {
    const bounds = boundsFor(all);
    expect(bounds.length).toBeLessThanOrEqual(5);
    for (const bound of bounds) expect(String(bound)).toMatch(/^[1-9]\d?0*$/);
    const firstTwo = (count: number) => [String(count).length, String(count).slice(0, 2)].join();
    if (new Set(all.map(firstTwo)).size === 1) {
      // The only bound is then that of all counts.
      for (const bound of bounds) expect(Math.min(...all)).toBeGreaterThanOrEqual(bound);
      return;
    }
    const edges = [0, ...bounds, Number.POSITIVE_INFINITY];
    for (let i = 1; i < edges.length; i++) {
      expect(edges[i]).toBeGreaterThan(edges[i - 1]);
      const inClass = all.filter((count) => count >= edges[i - 1] && count < edges[i]);
      expect([edges, inClass.length > 0]).toEqual([edges, true]);
    }
  }));

test('bounds are quantiles, rounded down by less than a third', () =>
  forAll(200, fc.array(fc.integer({ min: 10, max: 10 ** 7 }), { minLength: 30 }), (all) => {
    const bounds = boundsFor(all);
    const sorted = all.toSorted((a, b) => a - b);
    const quantiles = [1, 2, 3, 4, 5].map((i) => sorted[Math.floor((sorted.length * i) / 6)]);
    for (const bound of bounds) {
      const near = quantiles.some((one) => bound <= one && bound > (one * 2) / 3);
      expect([bound, quantiles, near]).toEqual([bound, quantiles, true]);
    }
  }));

test('evenly spread counts have round bounds', () => {
  expect(boundsFor(Array.from({ length: 600 }, (_, i) => 100 * i))).toEqual([
    10_000, 20_000, 30_000, 40_000, 50_000,
  ]);
  expect(boundsFor([7, 7, 7])).toEqual([7]);
  expect(boundsFor([41_300, 41_900])).toEqual([41_000]);
  expect(boundsFor([0, 0])).toEqual([]);
  expect(boundsFor([])).toEqual([]);
});
