import type { LRUCache } from 'lru-cache';
import { lruMap } from '../../shards/lru-map.ts';

/** State of a fixed window of requests, as reported by `RateLimit` and `RateLimit-Policy`. */
export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  readonly windowSeconds: number;
  readonly resetSeconds: number;
}

/** Window of the API's request rates, which are stated per minute. */
export const RATE_WINDOW_SECONDS = 60;

export interface RateLimit {
  readonly limit: number;
  readonly windowSeconds: number;
}

export function rateState(
  { limit, windowSeconds }: RateLimit,
  used: number,
  elapsedMs: number,
): RateState {
  const resetSeconds = Math.max(1, Math.ceil(windowSeconds - elapsedMs / 1000));
  // `used` may exceed the limit if the limit was lowered meanwhile.
  return { limit, remaining: Math.max(0, limit - used), windowSeconds, resetSeconds };
}

/** A fixed window of requests, which starts with the first. */
export interface WindowState {
  readonly startMs: number;
  readonly used: number;
  /** When it may be removed; stated when it is stored. */
  readonly endsAtMs?: number;
}

/** Takes one request from a window, if there is one. Refused requests do not count. */
export function takeFromWindow(
  before: WindowState | null | undefined,
  limit: RateLimit,
  nowMs: number,
): { readonly allowed: boolean; readonly window: WindowState; readonly rate: RateState } {
  const lengthMs = limit.windowSeconds * 1000;
  // A time before the start of the window means that the clock was set back; without a new window,
  // it would last that much longer.
  const isOpen = before && before.startMs <= nowMs && nowMs < before.startMs + lengthMs;
  const { startMs, used } = isOpen ? before : { startMs: nowMs, used: 0 };
  const allowed = used < limit.limit;
  const window = { startMs, used: allowed ? used + 1 : used, endsAtMs: startMs + lengthMs };
  return { allowed, window, rate: rateState(limit, window.used, nowMs - startMs) };
}

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

  take(subject: string, nowMs: number): Taken {
    const { allowed, window, rate } = takeFromWindow(this.#windows.get(subject), this, nowMs);
    this.#windows.set(subject, window);
    return { allowed, rate };
  }
}
