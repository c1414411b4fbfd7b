import { LRUCache } from 'lru-cache';
import type { RateState } from './rate-state.ts';
import { rateState } from './rate-state.ts';

/** Whether a request may pass, and what is left of its window. */
export interface Taken {
  readonly allowed: boolean;
  readonly rate: RateState;
}

/** Counts requests by whom they are of; where others count too, it takes a moment. */
export interface RateCounter {
  /** Takes one request of the subject's window. A refused one does not count. */
  take(subject: string, nowMs: number): Taken | Promise<Taken>;
}

interface Window {
  startMs: number;
  used: number;
}

/** A count of requests in a fixed window that opens with a subject's first request. */
export class RateWindow implements RateCounter {
  readonly limit: number;
  readonly windowSeconds: number;
  readonly #windows: LRUCache<string, Window>;

  /** At most `maxSubjects` are remembered; the longest idle is forgotten first. */
  constructor(limit: number, windowSeconds = 60, maxSubjects = 100_000) {
    this.limit = limit;
    this.windowSeconds = windowSeconds;
    this.#windows = new LRUCache({ max: maxSubjects });
  }

  take(subject: string, nowMs: number): Taken {
    let window = this.#windows.get(subject);
    if (!window) {
      window = { startMs: nowMs, used: 0 };
      this.#windows.set(subject, window);
    }
    let elapsed = nowMs - window.startMs;
    // Before the window began: the clock was set back, and the window would not end for as long.
    if (elapsed < 0 || elapsed >= this.windowSeconds * 1000) {
      window.startMs = nowMs;
      window.used = 0;
      elapsed = 0;
    }
    const allowed = window.used < this.limit;
    if (allowed) window.used++;
    return { allowed, rate: rateState(this, window.used, elapsed) };
  }
}
