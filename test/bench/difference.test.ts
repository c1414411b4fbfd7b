import { expect, test } from 'vitest';
import { byRiding, isAlike, pairsOf } from './engines/difference.ts';

test('engines agree within a tenth or two minutes, and not where one finds no route', () => {
  const alike = (ours: number, theirs: number) => isAlike({ origin: 0, target: 0, ours, theirs });
  expect(alike(11, 10)).toBe(true);
  expect(alike(4, 2)).toBe(true);
  expect(alike(44, 50)).toBe(false);
  expect(alike(20, Infinity)).toBe(false);
  expect(alike(Infinity, 20)).toBe(false);
});

test('trips are rides where either engine gains a minute over its own walk, otherwise walks', () => {
  const walks = { ours: [[20, 20, 20, Infinity]], theirs: [[20, 20, 20, 30]] };
  const trips = pairsOf([[19.5, 19, 20, 40]], [[20, 20, 18, 30]], 55);
  const split = byRiding(trips, walks.ours, walks.theirs);
  const targets = (pairs: typeof trips) => pairs.map(({ target }) => target);
  expect([targets(split.rides), targets(split.walks)]).toEqual([[1, 2, 3], [0]]);
});
