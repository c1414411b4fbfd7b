import { expect, test } from 'vitest';
import { onDemand } from '../../shards/concurrency/on-demand.ts';

test('a value is made once, for all callers', async () => {
  let made = 0;
  const value = onDemand(async () => ++made);
  expect(made).toBe(0);
  expect(await Promise.all([value(), value()])).toEqual([1, 1]);
  expect(await value()).toBe(1);
});

test('a failure reaches all waiting callers, and the next call makes the value again', async () => {
  let tries = 0;
  const value = onDemand(async () => {
    if (++tries === 1) throw new Error('the file is being replaced');
    return tries;
  });
  const outcomes = await Promise.allSettled([value(), value()]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await value()).toBe(2);
});
