import { raceTimer } from '../../shards/concurrency/race-timer.ts';

/**
 * Resolves with a promise's value, and rejects if a timer started now fires first. Both are on one
 * event loop: if it is starved of the processor, both are late, in order.
 */
export function settledWithin<T>(ms: number, promise: Promise<T>): Promise<T> {
  return raceTimer(promise, ms, () => {
    throw new Error(`took longer than ${ms} ms`);
  });
}
