import { expect, test } from 'vitest';
import { areasOf } from './nation-inputs.ts';

test('a nation of a million blocks has an eighth of the counties of the real one, half of its blocks rural', () => {
  const areas = areasOf(1_000_000);
  const sum = (what: 'blocks' | 'counties', kind?: string) =>
    areas
      .filter((area) => (kind ?? area.kind) === area.kind)
      .reduce((all, one) => all + one[what], 0);
  expect(Math.abs(sum('blocks') - 1_000_000)).toBeLessThan(100);
  expect(Math.abs(sum('counties') - 3_143 / 8)).toBeLessThan(5);
  expect(Math.abs(sum('blocks', 'rural') - 500_000)).toBeLessThan(100);
  expect(areas.filter(({ kind }) => kind === 'metropolis').length).toBe(2);
  // Codes of a state's counties have three digits and are odd.
  expect(2 * sum('counties')).toBeLessThan(1_000);
});
