import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RateWindow, rateState } from '../../proxy/ledger/rate-window.ts';
import { forAll } from '../support/for-all.ts';

test('exactly the limit is allowed in each window that a first request opens', async () => {
  const steps = fc.array(fc.nat(30_000), { maxLength: 100 });
  await forAll(100, fc.integer({ min: 1, max: 10 }), steps, (limit, waits) => {
    const window = new RateWindow(limit, 60);
    let now = 1_000_000;
    let opened = Number.NEGATIVE_INFINITY;
    let used = 0;
    for (const wait of waits) {
      now += wait;
      if (now - opened >= 60_000) [opened, used] = [now, 0];
      const { allowed, rate } = window.take('a', now);
      expect(allowed).toBe(used < limit);
      if (allowed) used++;
      expect(rate.remaining).toBe(limit - used);
      expect(rate.resetSeconds).toBe(Math.max(1, Math.ceil((opened + 60_000 - now) / 1000)));
    }
  });
});

test('a window ends after exactly its length, or when the clock is set back before its start', () => {
  const window = new RateWindow(1, 60);
  window.take('a', 100_000);
  expect(window.take('a', 159_999).allowed).toBe(false);
  expect(window.take('a', 160_000).allowed).toBe(true);
  expect(window.take('a', 160_000).allowed).toBe(false);
  expect(window.take('a', 159_999)).toMatchObject({ allowed: true, rate: { resetSeconds: 60 } });
});

test('subjects do not share a window', () => {
  const window = new RateWindow(1);
  expect(window.take('a', 0).allowed).toBe(true);
  expect(window.take('b', 0).allowed).toBe(true);
  expect(window.take('a', 1).allowed).toBe(false);
});

test('no more subjects are kept than configured', () => {
  const window = new RateWindow(1, 60, 10);
  for (let i = 0; i < 100; i++) window.take(`subject ${i}`, 0);
  expect(window.take('subject 99', 1).allowed).toBe(false);
  expect(window.take('subject 0', 1).allowed).toBe(true);
});

test('a limit that was lowered below what was taken has nothing left', () => {
  const lowered = rateState({ limit: 1, windowSeconds: 60 }, 2, 0);
  expect(lowered).toEqual({ limit: 1, remaining: 0, windowSeconds: 60, resetSeconds: 60 });
});
