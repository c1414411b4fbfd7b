import { type Asker, FairQueue } from './fair-queue.ts';
import type { Millis } from './units.ts';

/** How long a work may wait, and the error of one that would wait longer. */
interface TurnWait {
  readonly waitMs: Millis;
  readonly refusal: () => Error;
}

/**
 * Lets so many works of all askers go on at once, and so many of each; the others wait, and enter by
 * turns of who asks. So what is held in memory at a time is bounded, and one who asks for much does
 * not keep the others out.
 */
export class Turnstile {
  readonly #inAll: number;
  readonly #ofEach: number;
  readonly #patience: TurnWait | null;
  /** Works that go on, by asker. */
  readonly #inside = new Map<Asker, number>();
  /** To let a work in; false of one that has given up. */
  readonly #line = new FairQueue<() => boolean>();
  #count = 0;
  /** Works that wait to be let in. */
  waiting = 0;

  /** Without `patience`, works wait until they are let in. */
  constructor(limits: {
    readonly inAll: number;
    readonly ofEach: number;
    readonly patience?: TurnWait;
  }) {
    this.#inAll = limits.inAll;
    this.#ofEach = limits.ofEach;
    this.#patience = limits.patience ?? null;
  }

  /** Does a work in its turn; one that waits too long for it is refused. */
  async pass<T>(asker: Asker, work: () => Promise<T>): Promise<T> {
    if (this.#hasRoom(asker)) this.#enter(asker);
    else await this.#entered(asker);
    try {
      return await work();
    } finally {
      this.#leave(asker);
    }
  }

  #entered(asker: Asker): Promise<void> {
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
      this.#line.push(asker, () => {
        if (!isWaiting) return false;
        if (late !== null) clearTimeout(late);
        end();
        this.#enter(asker);
        resolve();
        return true;
      });
    });
  }

  #hasRoom(asker: Asker): boolean {
    return this.#count < this.#inAll && (this.#inside.get(asker) ?? 0) < this.#ofEach;
  }

  #enter(asker: Asker): void {
    this.#count++;
    this.#inside.set(asker, (this.#inside.get(asker) ?? 0) + 1);
  }

  #leave(asker: Asker): void {
    this.#count--;
    const left = this.#inside.get(asker)! - 1;
    if (left === 0) this.#inside.delete(asker);
    else this.#inside.set(asker, left);
    for (;;) {
      const letIn = this.#line.shift((next) => this.#hasRoom(next));
      if (letIn === undefined || letIn()) return;
    }
  }
}
