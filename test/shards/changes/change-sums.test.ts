import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Measure, stepsOf, UNKNOWN } from '../../../shards/changes/block-change.ts';
import { ChangeTotals } from '../../../shards/changes/change-sums.ts';
import { forAll } from '../../support/for-all.ts';

const WALK: Measure = { kind: 'minutes', type: 101, mode: 'walk' };
const JOBS: Measure = { kind: 'count', of: 'jobs', minutes: 45, mode: 'transit' };

test('a time changes by whole steps of 1, 2, 5 and 10 minutes, as a tenth less does not', () => {
  const steps = [9, 10, 19, 20, 49, 50, 99, 100].map((tenths) =>
    stepsOf('minutes', 200, 200 - tenths),
  );
  expect(steps).toEqual([0, 1, 1, 2, 2, 3, 3, 4]);
  expect(stepsOf('minutes', 100, 200)).toBe(-4);
  expect(stepsOf('minutes', 123, 123)).toBe(0);
});

test('a time beyond 30 minutes counts as 30, so that no gain or loss is overstated', () => {
  expect(stepsOf('minutes', 0, 250)).toBe(3);
  expect(stepsOf('minutes', 250, 0)).toBe(-3);
  expect(stepsOf('minutes', 0, 295)).toBe(0);
  expect(stepsOf('minutes', 0, 0)).toBe(0);
});

test('a count changes by percent of what it was; a rise from nothing reaches all steps', () => {
  const steps = [1_009, 1_010, 1_020, 1_050, 1_100].map((after) => stepsOf('count', 1_000, after));
  expect(steps).toEqual([0, 1, 2, 3, 4]);
  expect(stepsOf('count', 1_000, 950)).toBe(-3);
  expect(stepsOf('count', 0, 1)).toBe(4);
  expect(stepsOf('count', 5, 0)).toBe(-4);
});

const value = (most: number) =>
  fc.oneof({ weight: 1, arbitrary: fc.constant(UNKNOWN) }, { weight: 5, arbitrary: fc.nat(most) });
const time = value(300).map((tenths) => (tenths > 0 && tenths < 10 ? 0 : tenths));
const blockOf = (values: fc.Arbitrary<number>) =>
  fc.record({ was: values, is: values, area: fc.integer({ min: -1, max: 1 }), count: fc.nat(500) });

test.each([
  { measure: WALK, values: time },
  { measure: JOBS, values: value(2_000) },
])('sums of $measure.kind are those of plain lists, and add up', async ({ measure, values }) => {
  await forAll(300, fc.array(blockOf(values), { maxLength: 40 }), (blocks) => {
    const column = (of: (block: (typeof blocks)[number]) => number) =>
      Float64Array.from(blocks, of);
    const totals = new ChangeTotals(2, [WALK, measure], 2);
    const compared = {
      measure: 1,
      before: column(({ was }) => was),
      after: column(({ is }) => is),
    };
    const areas = Int32Array.from(blocks, ({ area }) => area);
    totals.add(
      compared,
      1,
      column(({ count }) => count),
      areas,
    );
    for (const area of [0, 1]) {
      const own = blocks.filter((block) => block.area === area);
      const isTime = measure.kind === 'minutes';
      /** The gain of each block, in minutes or percent. */
      const known = own
        .filter(({ was, is }) => was !== UNKNOWN && is !== UNKNOWN)
        .map(({ was, is, count }) => {
          const [a, b] = isTime ? [was || 300, is || 300] : [was, is];
          const gain = isTime ? (a - b) / 10 : a === 0 ? (b > 0 ? 1e9 : 0) : (100 * (b - a)) / a;
          return { a, b, gain, count };
        });
      const sum = (rows: readonly { count: number }[]) =>
        rows.reduce((all, { count }) => all + count, 0);
      const found = totals.of(area, 1, 1);
      for (const step of [1, 2, 5, 10]) {
        expect(found.gained[step]).toBe(sum(known.filter(({ gain }) => gain >= step)));
        expect(found.lost[step]).toBe(sum(known.filter(({ gain }) => -gain >= step)));
      }
      expect(found.unchanged).toBe(sum(known.filter(({ gain }) => Math.abs(gain) < 1)));
      expect(found.total).toBe(sum(own));
      expect(found.no_data).toBe(sum(own) - sum(known));
      const entered = own.filter(({ was, is }) => isTime && was === 0 && is > 0);
      const left = own.filter(({ was, is }) => isTime && was > 0 && is === 0);
      expect(found.newly_within).toBe(sum(entered));
      expect(found.no_longer_within).toBe(sum(left));
      const means = [found.mean_before, found.mean_after];
      if (sum(known) === 0) expect(means).toEqual([null, null]);
      for (const [i, side] of (['a', 'b'] as const).entries()) {
        if (sum(known) === 0) break;
        const all = known.reduce((total, row) => total + row[side] * row.count, 0) / sum(known);
        expect(Math.abs(means[i]! - all / (isTime ? 10 : 1))).toBeLessThan(0.0051);
      }
    }
    expect(totals.of(0, 0, 1).total).toBe(0);
  });
});
