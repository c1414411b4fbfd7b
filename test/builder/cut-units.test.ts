import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CountyEstimate, CountyEstimates } from '../../builder/plan/county-estimate.ts';
import { cutUnits } from '../../builder/plan/cut-units.ts';
import { forAll } from '../support/for-all.ts';

/** Square counties, some replaced by sea, each with the drawn number of evenly spread blocks. */
const land = fc
  .record({ columns: fc.integer({ min: 1, max: 9 }), rows: fc.integer({ min: 1, max: 7 }) })
  .chain(({ columns, rows }) =>
    fc.record({
      columns: fc.constant(columns),
      blocks: fc.array(fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 20, max: 60 })), {
        minLength: columns * rows,
        maxLength: columns * rows,
      }),
      sunk: fc.uniqueArray(fc.nat(columns * rows - 1), { maxLength: 5 }),
    }),
  );

const SIDE_DEGREES = 0.1;

function sketch({ columns, blocks, sunk }: typeof land extends fc.Arbitrary<infer T> ? T : never) {
  const sketches = new CountyEstimates();
  blocks.forEach((count, i) => {
    if (sunk.includes(i) && sunk.length < blocks.length) return;
    const side = Math.ceil(Math.sqrt(count));
    for (let n = 0; n < count; n++) {
      const [x, y] = [(n % side) / side, Math.floor(n / side) / side];
      const lon = -80 + ((i % columns) + 0.1 + 0.8 * x) * SIDE_DEGREES;
      const lat = 38 + (Math.floor(i / columns) + 0.1 + 0.8 * y) * SIDE_DEGREES;
      const county = String(99_001 + 2 * i);
      sketches.add({ geoid: i * 1000 + n, county, lon, lat, isWater: false }, true);
    }
  });
  return sketches.finish();
}

/** Whether every county of a group reaches all others through neighbours in the group. */
function isContiguous(
  group: readonly string[],
  counties: Readonly<Record<string, CountyEstimate>>,
) {
  const seen = [group[0]];
  for (let i = 0; i < seen.length; i++) {
    for (const next of counties[seen[i]].near) {
      if (group.includes(next) && !seen.includes(next)) seen.push(next);
    }
  }
  return seen.length === group.length;
}

test('units contain every county once, are contiguous, and respect the block limit', () =>
  forAll(100, land, fc.integer({ min: 1, max: 400 }), (drawn, maxBlocks) => {
    const counties = sketch(drawn);
    const units = cutUnits(counties, maxBlocks);
    expect(units.flat().sort()).toEqual(Object.keys(counties));
    for (const unit of units) {
      expect(unit).toEqual([...unit].sort());
      expect(isContiguous(unit, counties)).toBe(true);
      const blocks = unit.reduce((sum, county) => sum + counties[county].blocks, 0);
      expect(blocks <= maxBlocks || unit.length === 1).toBe(true);
    }
    expect(cutUnits(counties, maxBlocks)).toEqual(units);
  }));

test('units of a country with one dense corner balance search work, not blocks', () => {
  const columns = 12;
  const dense = (i: number) => i % columns < 3 && i < 3 * columns;
  const blocks = Array.from({ length: columns * columns }, (_, i) => (dense(i) ? 64 : 16));
  const counties = sketch({ columns, blocks, sunk: [] });
  const all = Object.values(counties).reduce((sum, { blocks: own }) => sum + own, 0);
  const units = cutUnits(counties, Math.ceil(all / 5));
  const pairsOf = (unit: readonly string[]) =>
    unit.reduce((sum, county) => sum + counties[county].pairs, 0);
  const pairs = units.map(pairsOf);
  const mean = pairs.reduce((a, b) => a + b, 0) / pairs.length;
  expect(units.length).toBeLessThanOrEqual(8);
  expect(Math.max(...pairs)).toBeLessThan(1.6 * mean);
});

test('counties are near their neighbours, and one across the sea is near the nearest county', () => {
  const counties = sketch({ columns: 6, blocks: [9, 9, 9, 9, 9, 9], sunk: [3, 4] });
  const near = Object.fromEntries(Object.entries(counties).map(([c, { near: n }]) => [c, n]));
  expect(near).toEqual({
    99001: ['99003'],
    99003: ['99001', '99005'],
    99005: ['99003', '99011'],
    99011: ['99005'],
  });
});
