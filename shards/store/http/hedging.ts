import { raceTimer } from '../../concurrency/race-timer.ts';

const KEPT = 256;
/** Minimum number of samples; fewer say nothing about the slowest twentieth. */
const ENOUGH = 64;
const RECOUNT_EVERY = 32;
const QUANTILE = 0.95;

export class Latencies {
  readonly #lastMs = new Float64Array(KEPT);
  #seen = 0;
  #lateMs: number | null = null;

  add(ms: number): void {
    this.#lastMs[this.#seen++ % KEPT] = ms;
    if (this.#seen < ENOUGH || this.#seen % RECOUNT_EVERY !== 0) return;
    const sorted = this.#lastMs.slice(0, Math.min(this.#seen, KEPT)).sort();
    this.#lateMs = sorted[Math.floor(sorted.length * QUANTILE)];
  }

  /** The 95th percentile; null until there are enough samples. */
  get lateMs(): number | null {
    return this.#lateMs;
  }
}

/** A read in progress that can be abandoned. */
export interface Attempt<T> {
  readonly done: Promise<T>;
  giveUp(): void;
}

/**
 * Starts a read and, if it is not done after `lateMs` and `mayHedge` allows, a second one; the
 * first to succeed counts, and the other is abandoned. ("Hedged requests": Dean and Barroso, The
 * Tail at Scale, 2013.)
 */
export async function hedged<T>(
  begin: () => Attempt<T>,
  lateMs: number,
  mayHedge: () => boolean,
): Promise<T> {
  const first = begin();
  const done = first.done.then(() => false);
  const isLate = await raceTimer(done, lateMs, () => true);
  if (!isLate || !mayHedge()) return first.done;
  const second = begin();
  try {
    return await Promise.any([first.done, second.done]);
  } catch (error) {
    throw (error as AggregateError).errors[0];
  } finally {
    first.giveUp();
    second.giveUp();
  }
}
