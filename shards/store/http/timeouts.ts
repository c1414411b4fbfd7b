import type { Millis } from '../../units.ts';

export interface Timeouts {
  readonly connectMs: Millis;
  /**
   * Limit on waiting for the first byte or the next one, after which the response is considered
   * lost.
   */
  readonly silenceMs: Millis;
  /** Limit on a whole attempt: this, plus the transfer time at the slowest accepted rate. */
  readonly tryMs: Millis;
  /** No attempt starts later than this after the first. */
  readonly retryWithinMs: Millis;
}

/** Timeouts for builds, which prefer waiting to failing. */
export const BUILDING_TIMEOUTS: Timeouts = {
  connectMs: 2_000,
  silenceMs: 3_000,
  tryMs: 5_000,
  retryWithinMs: Number.POSITIVE_INFINITY,
};

/**
 * Timeouts for services, whose clients are waiting: two attempts without a response are the last.
 */
export const SERVING_TIMEOUTS: Timeouts = {
  connectMs: 1_000,
  silenceMs: 2_000,
  tryMs: 4_000,
  retryWithinMs: 3_000,
};
