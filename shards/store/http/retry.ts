import { retry, TransientError } from '../../concurrency/retry.ts';
import { StoreError } from '../../errors.ts';
import type { Millis } from '../../units.ts';
import type { RetryBudget } from './retry-budget.ts';

const TRIES = 4;
const FIRST_PAUSE_MS = 50;

/**
 * Retries transient failures a few times within the budget, with exponential backoff and full
 * jitter, so that clients that failed together do not return together. No attempt starts later than
 * `withinMs` after the first. Rejects with a `StoreError` for `object`.
 */
export async function retryRequest<T>(
  object: string,
  budget: RetryBudget,
  withinMs: Millis,
  attempt: () => Promise<T>,
): Promise<T> {
  const lastMs = performance.now() + withinMs;
  budget.earn();
  return retry(attempt, (error, tries) => {
    if (!(error instanceof TransientError)) throw error;
    if (tries === TRIES || performance.now() > lastMs || !budget.spend()) {
      const times = tries === 1 ? '' : ` (${tries} attempts)`;
      const cause = { cause: error.cause ?? error };
      throw new StoreError('unavailable', object, `${error.message}${times}`, cause);
    }
    return Math.random() * FIRST_PAUSE_MS * 2 ** (tries - 1);
  });
}
