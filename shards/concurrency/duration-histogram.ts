import type { Millis } from '../units.ts';

/** Upper bounds of the buckets: from a memory read to the longest tolerable wait. */
export const DURATION_BUCKETS_MS: readonly Millis[] = [
  0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000,
];

/** A histogram of durations. Recording one takes a few nanoseconds and no memory. */
export class DurationHistogram {
  /** Count per bucket; the last is for durations above all bounds. */
  readonly counts = new Float64Array(DURATION_BUCKETS_MS.length + 1);
  sumMs: Millis = 0;

  add(ms: Millis): void {
    let bucket = 0;
    while (bucket < DURATION_BUCKETS_MS.length && ms > DURATION_BUCKETS_MS[bucket]) bucket++;
    this.counts[bucket]++;
    this.sumMs += ms;
  }
}
