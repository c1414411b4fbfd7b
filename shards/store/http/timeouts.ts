import type { Millis } from '../../units.ts';

/** For how long a server is waited for. */
export interface Timeouts {
  /** Until there is a connection. */
  readonly connectMs: Millis;
  /** Without a first byte, or a next one, the answer is as good as lost. */
  readonly silenceMs: Millis;
  /** All of a try: this long, and what its bytes take at the slowest rate that is put up with. */
  readonly tryMs: Millis;
  /** No further try begins later than this after the first. */
  readonly retryWithinMs: Millis;
}

/** For builds, which prefer waiting to failing. */
export const BUILDING_TIMEOUTS: Timeouts = {
  connectMs: 2_000,
  silenceMs: 3_000,
  tryMs: 5_000,
  retryWithinMs: Number.POSITIVE_INFINITY,
};

/** For services, whose clients wait meanwhile: a silent server is given up after two attempts. */
export const SERVING_TIMEOUTS: Timeouts = {
  connectMs: 1_000,
  silenceMs: 2_000,
  tryMs: 4_000,
  retryWithinMs: 3_000,
};
