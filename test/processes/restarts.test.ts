import { expect, test } from 'vitest';
import { Restarts } from '../../infra/processes/serve-by-processes.ts';

test('restarts a process that dies after increasing delays, and eventually gives up', () => {
  const restarts = new Restarts(2);
  const pauses = Array.from({ length: 7 }, (_, i) => restarts.died(i * 1000));
  expect(pauses).toEqual([0, 100, 200, 400, 800, 1600, null]);
});

test('forgets deaths more than a minute ago, and never pauses for over five seconds', () => {
  const restarts = new Restarts(10);
  expect(restarts.died(0)).toBe(0);
  expect(restarts.died(60_000)).toBe(0);
  const pauses = Array.from({ length: 29 }, () => restarts.died(60_000)!);
  expect(Math.max(...pauses)).toBe(5_000);
  expect(restarts.died(60_000)).toBe(null);
});
