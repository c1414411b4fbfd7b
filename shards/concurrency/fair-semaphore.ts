import type { Millis } from '../units.ts';
import { type ClientId, FairQueue } from './fair-queue.ts';

/** How long a task may queue, and the error that rejects one that would queue longer. */
interface QueueTimeout {
  readonly ms: Millis;
  readonly error: () => Error;
}

/**
 * Caps concurrency globally and per client; excess work queues and is admitted round-robin by
 * client. This bounds memory, and a heavy client does not starve the others.
 */
export class FairSemaphore {
  readonly #maxConcurrent: number;
  readonly #maxPerClient: number;
  readonly #timeout: QueueTimeout | null;
  readonly #running = new Map<ClientId, number>();
  /** Callbacks that each admit a task, or return false if the task has given up waiting. */
  readonly #queue = new FairQueue<() => boolean>();
  #count = 0;
  waiting = 0;

  /** Without `timeout`, tasks wait indefinitely. */
  constructor(limits: {
    readonly maxConcurrent: number;
    /** By default, a client may have all. */
    readonly maxPerClient?: number;
    readonly timeout?: QueueTimeout;
  }) {
    this.#maxConcurrent = limits.maxConcurrent;
    this.#maxPerClient = limits.maxPerClient ?? limits.maxConcurrent;
    this.#timeout = limits.timeout ?? null;
  }

  /** Runs a task in its turn; rejects if it would wait too long. */
  async run<T>(clientId: ClientId, work: () => Promise<T>): Promise<T> {
    if (this.#hasRoom(clientId)) this.#enter(clientId);
    else await this.#queued(clientId);
    try {
      return await work();
    } finally {
      this.#leave(clientId);
    }
  }

  #queued(clientId: ClientId): Promise<void> {
    this.waiting++;
    return new Promise((resolve, reject) => {
      let isWaiting = true;
      const end = () => {
        isWaiting = false;
        this.waiting--;
      };
      const timeout = this.#timeout;
      const timer =
        timeout &&
        setTimeout(() => {
          end();
          reject(timeout.error());
        }, timeout.ms);
      this.#queue.push(clientId, () => {
        if (!isWaiting) return false;
        if (timer !== null) clearTimeout(timer);
        end();
        this.#enter(clientId);
        resolve();
        return true;
      });
    });
  }

  #hasRoom(clientId: ClientId): boolean {
    return (
      this.#count < this.#maxConcurrent && (this.#running.get(clientId) ?? 0) < this.#maxPerClient
    );
  }

  #enter(clientId: ClientId): void {
    this.#count++;
    this.#running.set(clientId, (this.#running.get(clientId) ?? 0) + 1);
  }

  #leave(clientId: ClientId): void {
    this.#count--;
    const left = this.#running.get(clientId)! - 1;
    if (left === 0) this.#running.delete(clientId);
    else this.#running.set(clientId, left);
    for (;;) {
      const admit = this.#queue.shift((next) => this.#hasRoom(next));
      if (admit === undefined || admit()) return;
    }
  }
}
