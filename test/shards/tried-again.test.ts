import { expect, test } from 'vitest';
import { retry } from '../../shards/concurrency/retry.ts';

test('cancelling ends the pause before the next try', async () => {
  const ending = new AbortController();
  let tries = 0;
  const attempt = () => {
    if (++tries === 3) setImmediate(() => ending.abort());
    return Promise.reject(new Error('away'));
  };
  const pauseMs = () => (tries < 3 ? 1 : 60_000);
  await expect(retry(attempt, pauseMs, { signal: ending.signal })).rejects.toThrow('aborted');
  expect(tries).toBe(3);
});
