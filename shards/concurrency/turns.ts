import type { Millis } from '../units.ts';
import { type ClientId, FairQueue, SHARED } from './fair-queue.ts';

/** Longest slice of work in one turn of the event loop. */
const SLICE_MS: Millis = 4;

/** A slice of each turn of the event loop, which begins with the first work of the turn. */
export class Slice {
  readonly #onEnd: () => void;
  /** End of the current turn's slice; 0 before any work has begun in it. */
  #endsMs: Millis = 0;

  /** `onEnd` is called in the next turn after one with work. */
  constructor(onEnd: () => void = () => {}) {
    this.#onEnd = onEnd;
  }

  /** Whether work may begin or continue in this turn. */
  hasTime(): boolean {
    const nowMs = performance.now();
    if (this.#endsMs === 0) {
      this.#endsMs = nowMs + SLICE_MS;
      setImmediate(this.#end);
    }
    return nowMs < this.#endsMs;
  }

  readonly #end = (): void => {
    this.#endsMs = 0;
    this.#onEnd();
  };
}

/** Tasks that have used up their slice. */
const waiting = new FairQueue<() => void>();
const slice = new Slice(() => {
  const next = waiting.shift();
  if (next && slice.hasTime()) next();
});

/**
 * The turns in which some work proceeds: those of one client, or of all clients that wait for the
 * same result. All work shares one slice per turn of the event loop, and overdue work resumes one
 * task per turn, so that many concurrent requests hold the loop no longer than one. Tasks resume
 * round-robin by client.
 */
export class Turns implements Iterable<ClientId> {
  /** Those of work that is done for all clients. */
  static readonly SHARED = new Turns(SHARED);
  readonly #members = new Set<ClientId | Turns>();

  constructor(first: ClientId | Turns) {
    this.#members.add(first);
  }

  /** Lets the work proceed in the turns of others, too. */
  join(others: Turns): void {
    this.#members.add(others);
  }

  *[Symbol.iterator](): Generator<ClientId> {
    for (const member of this.#members) {
      if (typeof member === 'string') yield member;
      else yield* member;
    }
  }

  /**
   * Yields to the event loop when the slice is used up. Long work awaits it between short steps;
   * between steps of less than a microsecond it awaits a promise only, since an `await` costs a
   * tenth of that:
   *
   *     const pause = turns.yieldIfOverdue(); if (pause) await pause;
   */
  yieldIfOverdue(): Promise<void> | undefined {
    if (slice.hasTime()) return undefined;
    return new Promise((resolve) => waiting.push(this, resolve));
  }

  async run<T>(steps: Generator<undefined, T, undefined>): Promise<T> {
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      const pause = this.yieldIfOverdue();
      if (pause) await pause;
    }
  }
}
