import type { TimerOptions } from 'node:timers';
import { setTimeout as pause } from 'node:timers/promises';
import type { Millis } from '../units.ts';

/** A failure that a retry may avoid. */
export class TransientError extends Error {
  override readonly name = 'TransientError';
  /** Wait that the server requested; null if it requested none. */
  readonly waitMs: Millis | null;

  constructor(message: string, options: ErrorOptions & { readonly waitMs?: Millis | null } = {}) {
    super(message, options);
    this.waitMs = options.waitMs ?? null;
  }
}

/**
 * Retries until success. `pauseAfter` returns the pause before the next attempt, or throws the
 * final error if there is to be none; `tries` counts the attempts made so far. `options` configure
 * the pauses: an abort signal, on which the call rejects, and whether timers keep the process
 * alive.
 */
export async function retry<T>(
  attempt: () => Promise<T>,
  pauseAfter: (error: unknown, tries: number) => Millis,
  options?: TimerOptions,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      await pause(pauseAfter(error, tries), undefined, options);
    }
  }
}

/**
 * A retry budget: retries are a fixed share of first attempts, so that a server in trouble is not
 * buried under retries.
 */
export class RetryBudget {
  readonly #share: number;
  readonly #most: number;
  #left: number;
  spent = 0;

  /**
   * `share`: retries earned per ordinary read; `most`: limit on saved retries; `left`: the initial
   * number.
   */
  constructor(share: number, most: number, left: number) {
    this.#share = share;
    this.#most = most;
    this.#left = left;
  }

  earn(): void {
    this.#left = Math.min(this.#most, this.#left + this.#share);
  }

  spend(): boolean {
    if (this.#left < 1) return false;
    this.#left--;
    this.spent++;
    return true;
  }
}
