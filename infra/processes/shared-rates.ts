import { LedgerUnavailable } from '../../portal/accounts/ledger.ts';
import type { RateCounter, Taken } from '../../portal/accounts/rate-window.ts';

interface Asked {
  resolve(taken: Taken): void;
  reject(error: Error): void;
}

/**
 * Rates that the parent counts for all its processes. What is asked in a turn of the event loop goes
 * in one message, and answers come in the order of questions.
 */
export class SharedRates implements RateCounter {
  readonly #send: (subjects: readonly string[]) => void;
  readonly #asked: Asked[] = [];
  #unsent: string[] = [];
  #isCut = false;

  constructor(send: (subjects: readonly string[]) => void) {
    this.#send = send;
  }

  take(subject: string): Promise<Taken> {
    if (this.#isCut) return Promise.reject(noParent());
    return new Promise((resolve, reject) => {
      this.#asked.push({ resolve, reject });
      if (this.#unsent.push(subject) === 1) setImmediate(() => this.#flush());
    });
  }

  /** The parent's answer to the subjects that were sent first. */
  answered(taken: readonly Taken[]): void {
    const asked = this.#asked.splice(0, taken.length);
    for (const [i, { resolve }] of asked.entries()) resolve(taken[i]);
  }

  /** There is no parent any more: nobody counts. */
  cut(): void {
    this.#isCut = true;
    for (const { reject } of this.#asked.splice(0)) reject(noParent());
  }

  #flush(): void {
    const subjects = this.#unsent;
    this.#unsent = [];
    if (!this.#isCut) this.#send(subjects);
  }
}

function noParent(): LedgerUnavailable {
  return new LedgerUnavailable('the process that counts rates has ended');
}
