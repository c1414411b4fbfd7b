import { expect, test } from 'vitest';
import { cutUnits } from '../../builder/plan/cut-units.ts';
import { Dice } from '../transit/dice.ts';
import { NATION } from './national-estimate.ts';
import { simulatedNation } from './national-schedule.ts';
import { schedule } from './schedule.ts';

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

test('a build takes the sum of its work with one worker, its longest jobs with many, and is bounded in between', () => {
  const dice = new Dice(11);
  const some = (most: number) =>
    Array.from({ length: 1 + dice.below(most) }, () => dice.below(500));
  for (let round = 0; round < 100; round++) {
    const [first, second, units, last] = [some(40), some(40), some(60), some(30)];
    const preparation = [first, second];
    const before = dice.below(50);
    const work = { before, preparation, units, join: [last] };
    const alone = schedule(work, 1, 1);
    const all = before + sum(first) + sum(second) + sum(units) + sum(last);
    expect([alone.elapsed, alone.paid]).toEqual([all, all]);
    const longest = Math.max(...first) + Math.max(...second);
    const longestUnit = Math.max(...units);
    const atOnce = schedule(work, units.length + last.length, first.length + second.length);
    expect(atOnce.elapsed).toBe(before + longest + longestUnit + Math.max(...last));
    expect(alone.criticalPath).toBe(atOnce.elapsed);
    for (const workers of [2, 3, 7, 30]) {
      // Graham's bound, of 1966, holds for any order.
      const searched =
        schedule({ ...work, join: [] }, workers, 1).elapsed - (all - sum(units) - sum(last));
      expect(searched).toBeGreaterThanOrEqual(Math.max(longestUnit, sum(units) / workers));
      expect(searched).toBeLessThanOrEqual(sum(units) / workers + longestUnit);
      const jobs = sum(first) + sum(second);
      const prepared = schedule(work, 1, workers).elapsed - (all - jobs);
      expect(prepared).toBeGreaterThanOrEqual(Math.max(longest, jobs / workers));
      expect(prepared).toBeLessThanOrEqual(jobs / workers + longest);
    }
  }
});

test('workers without a job are paid until all are done', () => {
  const work = { before: 3, preparation: [[1, 1], [1]], units: [10, 4], join: [[1]] };
  expect(schedule(work, 3, 2)).toEqual({ elapsed: 16, criticalPath: 16, paid: 42 });
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
