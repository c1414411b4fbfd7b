import type { Millis } from '../units.ts';
import { type ClientId, FairQueue } from './fair-queue.ts';

/** How long a task may wait, and the error for one that would wait longer. */
interface TurnWait {
  readonly waitMs: Millis;
  readonly refusal: () => Error;
}

/**
 * Caps concurrency globally and per client; excess work queues and is admitted round-robin by
 * client. This bounds memory, and a heavy client does not starve the others.
 */
export class FairSemaphore {
  readonly #inAll: number;
  readonly #ofEach: number;
  readonly #patience: TurnWait | null;
  /** Running tasks per client. */
  readonly #inside = new Map<ClientId, number>();
  /** Callbacks that admit a task; false if it has given up waiting. */
  readonly #line = new FairQueue<() => boolean>();
  #count = 0;
  /** Number of tasks waiting for admission. */
  waiting = 0;

  /** Without `patience`, tasks wait indefinitely. */
  constructor(limits: {
    readonly inAll: number;
    readonly ofEach: number;
    readonly patience?: TurnWait;
  }) {
    this.#inAll = limits.inAll;
    this.#ofEach = limits.ofEach;
    this.#patience = limits.patience ?? null;
  }

  /** Runs a task in its turn; rejects if it would wait too long. */
  async run<T>(clientId: ClientId, work: () => Promise<T>): Promise<T> {
    if (this.#hasRoom(clientId)) this.#enter(clientId);
    else await this.#entered(clientId);
    try {
      return await work();
    } finally {
      this.#leave(clientId);
    }
  }

  #entered(clientId: ClientId): Promise<void> {
    this.waiting++;
    return new Promise((resolve, reject) => {
      let isWaiting = true;
      const end = () => {
        isWaiting = false;
        this.waiting--;
      };
      const patience = this.#patience;
      const late =
        patience &&
        setTimeout(() => {
          end();
          reject(patience.refusal());
        }, patience.waitMs);
      this.#line.push(clientId, () => {
        if (!isWaiting) return false;
        if (late !== null) clearTimeout(late);
        end();
        this.#enter(clientId);
        resolve();
        return true;
      });
    });
  }

  #hasRoom(clientId: ClientId): boolean {
    return this.#count < this.#inAll && (this.#inside.get(clientId) ?? 0) < this.#ofEach;
  }

  #enter(clientId: ClientId): void {
    this.#count++;
    this.#inside.set(clientId, (this.#inside.get(clientId) ?? 0) + 1);
  }

  #leave(clientId: ClientId): void {
    this.#count--;
    const left = this.#inside.get(clientId)! - 1;
    if (left === 0) this.#inside.delete(clientId);
    else this.#inside.set(clientId, left);
    for (;;) {
      const letIn = this.#line.shift((next) => this.#hasRoom(next));
      if (letIn === undefined || letIn()) return;
    }
  }
}
