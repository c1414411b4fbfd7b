import { expect, test } from 'vitest';
import { Restarts } from '../../infra/processes/serve-by-processes.ts';

test('a process that keeps dying is restarted after increasing delays, and finally given up', () => {
  const restarts = new Restarts(2);
  const pauses = Array.from({ length: 7 }, (_, i) => restarts.died(i * 1000));
  expect(pauses).toEqual([0, 100, 200, 400, 800, 1600, null]);
});

test('processes that die before they serve are given up, however long each start takes', () => {
  const restarts = new Restarts(1);
  const died = (minute: number) => restarts.died(minute * 60_000, { hasServed: false });
  expect([0, 1, 2, 3].map(died)).toEqual([0, 100, 200, null]);
});

test('deaths of a minute ago or earlier do not count, and no pause is longer than five seconds', () => {
  const restarts = new Restarts(10);
  expect(restarts.died(0)).toBe(0);
  expect(restarts.died(60_000)).toBe(0);
  const pauses = Array.from({ length: 29 }, () => restarts.died(60_000)!);
  expect(Math.max(...pauses)).toBe(5_000);
  expect(restarts.died(60_000)).toBe(null);
});
