import type { LRUCache } from 'lru-cache';
import { lruMap } from '../../shards/lru-map.ts';
import type { RateState, WindowState } from './rate-state.ts';
import { RATE_WINDOW_SECONDS, takeFromWindow } from './rate-state.ts';

/** Whether a request is allowed, and what is left of its window. */
interface Taken {
  readonly allowed: boolean;
  readonly rate: RateState;
}

/** A fixed-window request counter; a window opens with a subject's first request. */
export class RateWindow {
  readonly limit: number;
  readonly windowSeconds: number;
  readonly #windows: LRUCache<string, WindowState>;

  /** Keeps windows for at most `maxSubjects`, evicting the one idle longest. */
  constructor(limit: number, windowSeconds = RATE_WINDOW_SECONDS, maxSubjects = 100_000) {
    this.limit = limit;
    this.windowSeconds = windowSeconds;
    this.#windows = lruMap(maxSubjects);
  }

  /** Takes one request from the subject's window. Refused requests do not count. */
  take(subject: string, nowMs: number): Taken {
    const { allowed, window, rate } = takeFromWindow(this.#windows.get(subject), this, nowMs);
    this.#windows.set(subject, window);
    return { allowed, rate };
  }
}
