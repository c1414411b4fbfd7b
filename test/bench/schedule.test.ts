import { expect, test } from 'vitest';
import { cutUnits } from '../../builder/plan/cut-units.ts';
import { Dice } from '../transit/dice.ts';
import { NATION, simulatedNation } from './national-schedule.ts';
import { schedule } from './schedule.ts';

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

test('a build takes one worker the sum of its work, many workers its longest unit, and others no more than the bound', () => {
  const dice = new Dice(11);
  for (let round = 0; round < 100; round++) {
    const units = Array.from({ length: 1 + dice.below(60) }, () => 1 + dice.below(500));
    const [before, after] = [dice.below(50), dice.below(300)];
    const work = { before, units, after };
    const alone = schedule(work, 1);
    expect([alone.elapsed, alone.paid]).toEqual([before + sum(units) + after, alone.elapsed]);
    const longest = Math.max(...units);
    expect(schedule(work, units.length).elapsed).toBe(before + longest + after);
    expect(alone.criticalPath).toBe(before + longest + after);
    for (const workers of [2, 3, 7, 30]) {
      const { elapsed } = schedule(work, workers);
      const least = Math.max(longest, sum(units) / workers);
      expect(elapsed - before - after).toBeGreaterThanOrEqual(least);
      // Graham's bound, of 1966: holds for any order.
      expect(elapsed - before - after).toBeLessThanOrEqual(sum(units) / workers + longest);
    }
  }
});

test('workers without a unit are paid until the others are done', () => {
  expect(schedule({ before: 5, units: [10, 4], after: 1 }, 3)).toEqual({
    elapsed: 16,
    criticalPath: 16,
    paid: 36,
  });
});

test('the simulated nation has the real number of counties and blocks, and is cut into units', () => {
  const counties = simulatedNation(1);
  const blocks = Object.values(counties).map((county) => county.blocks);
  expect([blocks.length, sum(blocks)]).toEqual([NATION.counties, NATION.blocks]);
  expect(Math.min(...blocks)).toBeGreaterThan(0);
  const units = cutUnits(counties, 100_000);
  expect(units.flat().sort()).toEqual(Object.keys(counties).sort());
  const sizes = units.map((unit) => sum(unit.map((county) => counties[county].blocks)));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(100_000);
  expect(simulatedNation(1)).toEqual(counties);
});
