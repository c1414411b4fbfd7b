import { expect, test } from 'vitest';
import { inOrder, thisThread } from '../../builder/threads/pool.ts';

test('timers run while one thread does piece after piece', async () => {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  const pool = thisThread((piece: number) => {
    for (const end = performance.now() + 5; performance.now() < end; );
    return piece;
  });
  const pieces = Array.from({ length: 20 }, (_, i) => i);
  const results: number[] = [];
  await inOrder(pool, pieces, (result) => void results.push(result));
  clearInterval(timer);
  expect(results).toEqual(pieces);
  // Three pieces may be done before a result of them is awaited.
  expect(ticks).toBeGreaterThanOrEqual(5);
});
