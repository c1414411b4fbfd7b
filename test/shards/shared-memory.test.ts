import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CacheBudget, CostAwareCache } from '../../shards/concurrency/cost-aware-cache.ts';
import { forAll } from '../support/for-all.ts';

const bytesOf = (bytes: number) => bytes;

test('caches never exceed their shared memory, nor one of them its own bound', async () => {
  const change = fc.record({
    isFirst: fc.boolean(),
    key: fc.nat(30),
    bytes: fc.integer({ min: 1, max: 120 }),
    costMs: fc.double({ min: 0, max: 5, noNaN: true }),
    isRead: fc.boolean(),
  });
  await forAll(100, fc.array(change, { maxLength: 200 }), (changes) => {
    const memory = new CacheBudget(300);
    const caches = [
      new CostAwareCache<number, number>(memory, bytesOf),
      new CostAwareCache<number, number>(memory, bytesOf, 100),
    ];
    for (const { isFirst, key, bytes, costMs, isRead } of changes) {
      const cache = caches[isFirst ? 0 : 1];
      if (isRead) cache.get(key);
      else cache.set(key, bytes, costMs);
      const held = caches.map((one) => {
        return Array.from({ length: 31 }, (_, k) => one.get(k) ?? 0).reduce((a, b) => a + b);
      });
      expect(held).toEqual(caches.map((one) => one.bytes));
      expect(memory.bytes).toBeLessThanOrEqual(300);
      expect(caches[1].bytes).toBeLessThanOrEqual(100);
    }
  });
});

test('the least valuable entry of all caches is evicted, as in a reference model', async () => {
  const change = fc.record({
    cache: fc.nat(1),
    key: fc.nat(9),
    bytes: fc.integer({ min: 1, max: 90 }),
    isRead: fc.boolean(),
  });
  await forAll(100, fc.array(change, { maxLength: 150 }), (changes) => {
    const memory = new CacheBudget(300);
    const caches = [0, 1].map(() => new CostAwareCache<number, number>(memory, bytesOf));
    let paper: { at: string; bytes: number; costMs: number; uses: number; priority: number }[] = [];
    let age = 0;
    for (const [i, { cache, key, bytes, isRead }] of changes.entries()) {
      const at = `${cache} ${key}`;
      const known = paper.find((one) => one.at === at);
      const weigh = (one: (typeof paper)[number]) => {
        one.priority = age + (one.uses * one.costMs) / one.bytes;
      };
      if (isRead) {
        expect(caches[cache].get(key)).toBe(known?.bytes);
        if (known) known.uses++;
        if (known) weigh(known);
        continue;
      }
      // No two entries have the same value.
      const costMs = 1 + ((i * 7919) % 1009) / 100 + i * 1e-7;
      caches[cache].set(key, bytes, costMs);
      const added = { at, bytes, costMs, uses: 1, priority: 0 };
      weigh(added);
      paper = [...paper.filter((one) => one !== known), added];
      while (paper.reduce((sum, one) => sum + one.bytes, 0) > 300) {
        const least = paper.reduce((a, b) => (a.priority <= b.priority ? a : b));
        age = least.priority;
        paper = paper.filter((one) => one !== least);
      }
    }
    expect(memory.bytes).toBe(paper.reduce((sum, one) => sum + one.bytes, 0));
  });
});

test('an entry expensive for its size outlives a cheap one, whichever cache it is in', () => {
  const memory = new CacheBudget(100);
  const heads = new CostAwareCache<string, number>(memory, bytesOf);
  const responses = new CostAwareCache<string, number>(memory, bytesOf);
  heads.set('dear', 40, 80);
  heads.set('cheap', 40, 1);
  responses.set('middling', 20, 10);
  responses.set('new', 40, 20);
  expect([heads.get('dear'), heads.get('cheap')]).toEqual([40, undefined]);
  expect([responses.get('middling'), responses.get('new')]).toEqual([20, 40]);
});

test('a frequently used entry outlives a rarely used one, and goes when no longer used', () => {
  const memory = new CacheBudget(100);
  const cache = new CostAwareCache<string, number>(memory, bytesOf);
  cache.set('often', 50, 1);
  for (let i = 0; i < 20; i++) cache.get('often');
  const isKept = (passing: number) => {
    for (let i = 0; i < passing; i++) cache.set(`passing ${i}`, 25, 1);
    return cache.get('often') !== undefined;
  };
  expect(isKept(15)).toBe(true);
  expect(isKept(200)).toBe(false);
});

test('each hit saves the time that its entry took to make', () => {
  const cache = new CostAwareCache<string, number>(new CacheBudget(100), bytesOf);
  cache.set('a', 10, 3);
  cache.set('b', 10, 5);
  for (const key of ['a', 'b', 'a', 'c']) cache.get(key);
  expect(cache.savedMs).toBe(11);
});

test('an entry larger than the memory is not kept, and nothing is evicted for it', () => {
  const cache = new CostAwareCache<string, number>(new CacheBudget(100), bytesOf);
  cache.set('a', 60, 1);
  cache.set('b', 101, 1000);
  expect([cache.get('a'), cache.get('b')]).toEqual([60, undefined]);
});
