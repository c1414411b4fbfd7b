import { LRUCache } from 'lru-cache';
import type { RateState } from './metering.ts';

interface Window {
  startMs: number;
  used: number;
}

/** A count of requests in a fixed window that opens with a subject's first request. */
export class RateWindow {
  readonly limit: number;
  readonly windowSeconds: number;
  readonly #windows: LRUCache<string, Window>;

  /** At most `maxSubjects` are remembered; the longest idle is forgotten first. */
  constructor(limit: number, windowSeconds = 60, maxSubjects = 100_000) {
    this.limit = limit;
    this.windowSeconds = windowSeconds;
    this.#windows = new LRUCache({ max: maxSubjects });
  }

  /** Takes one request of the subject's window. A refused one does not count. */
  take(subject: string, nowMs: number): { allowed: boolean; rate: RateState } {
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
    return {
      allowed,
      rate: {
        limit: this.limit,
        remaining: this.limit - window.used,
        windowSeconds: this.windowSeconds,
        resetSeconds: Math.max(1, Math.ceil(this.windowSeconds - elapsed / 1000)),
      },
    };
  }
}
