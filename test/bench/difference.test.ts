import { expect, test } from 'vitest';
import { isAlike } from './engines/difference.ts';

test('engines are alike within a tenth or two minutes, and not where one finds no way', () => {
  const alike = (ours: number, theirs: number) => isAlike({ origin: 0, target: 0, ours, theirs });
  expect(alike(11, 10)).toBe(true);
  expect(alike(4, 2)).toBe(true);
  expect(alike(44, 50)).toBe(false);
  expect(alike(20, Infinity)).toBe(false);
  expect(alike(Infinity, 20)).toBe(false);
});
