import type { LRUCache } from 'lru-cache';
import { lruMap } from '../../shards/lru-map.ts';
import type { RateState } from './rate-state.ts';
import { RATE_WINDOW_SECONDS, rateState } from './rate-state.ts';

/** Whether a request is allowed, and what is left of its window. */
interface Taken {
  readonly allowed: boolean;
  readonly rate: RateState;
}

interface Window {
  startMs: number;
  used: number;
}

/** A fixed-window request counter; a window opens with a subject's first request. */
export class RateWindow {
  readonly limit: number;
  readonly windowSeconds: number;
  readonly #windows: LRUCache<string, Window>;

  /** Keeps windows for at most `maxSubjects`, evicting the one idle longest. */
  constructor(limit: number, windowSeconds = RATE_WINDOW_SECONDS, maxSubjects = 100_000) {
    this.limit = limit;
    this.windowSeconds = windowSeconds;
    this.#windows = lruMap(maxSubjects);
  }

  /** Takes one request from the subject's window. Refused requests do not count. */
  take(subject: string, nowMs: number): Taken {
    let window = this.#windows.get(subject);
    if (!window) {
      window = { startMs: nowMs, used: 0 };
      this.#windows.set(subject, window);
    }
    let elapsed = nowMs - window.startMs;
    // A time before the start of the window means that the clock was set back; without a reset, the
    // window would last that much longer.
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
