import type { TimerOptions } from 'node:timers';
import { setTimeout as pause } from 'node:timers/promises';
import type { Millis } from '../units.ts';

/** A failure that the next try may not meet. */
export class TransientError extends Error {
  override readonly name = 'Passing';
  /** How long a server has asked to wait; null when it has not. */
  readonly waitMs: Millis | null;

  constructor(message: string, options: ErrorOptions & { readonly waitMs?: Millis | null } = {}) {
    super(message, options);
    this.waitMs = options.waitMs ?? null;
  }
}

/**
 * Tries until it succeeds. `pauseAfter` says of each failure how long to pause before the next try,
 * or throws what there is to say if there is to be none; `tries` are those that were made. `options`
 * are those of the pauses: a signal that ends them, and rejects; whether they keep the process alive.
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
