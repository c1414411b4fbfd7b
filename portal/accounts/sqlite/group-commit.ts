import { type ClientId, FairQueue } from '../../../shards/concurrency/fair-queue.ts';
import type { Millis } from '../../../shards/units.ts';
import type { Outcome, Write } from './operations.ts';
import type { Writer } from './writer.ts';

/** A transaction failed to reach the disk; `cause` is the database's own error. */
export class CommitFailed extends Error {
  override readonly name = 'CommitFailed';
}

interface Pending extends Write {
  readonly clientId: ClientId;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * Outcomes are delivered in small groups, one turn of the event loop each: the first clients send
 * their next request while others are still being answered. Otherwise, all would move in lockstep
 * and the CPU would idle during each commit. Delivery is round-robin by client.
 */
const HANDFUL = 8;

/**
 * Collects the changes that arrive while a transaction is in progress, and commits them together in
 * the next, so that thousands of debits per second share one disk sync.
 */
export class GroupCommit {
  readonly #writer: Writer;
  #queue: Pending[] = [];
  #isRunning = false;
  #onIdle: (() => void)[] = [];
  /** Error and time of the last commit, if it failed. */
  lastFailure: { readonly error: CommitFailed; readonly atMs: Millis } | null = null;

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  /**
   * Queues a change for the next transaction. Resolves with its result once on disk; rejects with
   * its error, or with `CommitFailed`. `clientId`: the client in whose turn the outcome is
   * delivered.
   */
  apply(write: Write, clientId: ClientId): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ name: write.name, args: write.args, clientId, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  /** Resolves when every change queued so far is settled. */
  idle(): Promise<void> {
    if (!this.#isRunning) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // Changes of the same turn of the event loop share the first transaction.
    await new Promise(setImmediate);
    while (this.#queue.length > 0) {
      const group = this.#queue.splice(0);
      try {
        const outcomes = await this.#writer.commit(group.map(({ name, args }) => ({ name, args })));
        this.lastFailure = null;
        // The next transaction starts meanwhile.
        void deliver(group, outcomes);
      } catch (cause) {
        const error = new CommitFailed('the transaction failed', { cause });
        this.lastFailure = { error, atMs: performance.now() };
        for (const { reject } of group) reject(error);
      }
    }
    this.#isRunning = false;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }
}

async function deliver(group: readonly Pending[], outcomes: readonly Outcome[]): Promise<void> {
  const queue = new FairQueue<{ readonly to: Pending; readonly outcome: Outcome }>();
  group.forEach((to, i) => {
    queue.push(to.clientId, { to, outcome: outcomes[i] });
  });
  for (let i = 1, next = queue.shift(); next; next = queue.shift(), i++) {
    const { to, outcome } = next;
    if ('value' in outcome) to.resolve(outcome.value);
    else to.reject(outcome.error);
    if (i % HANDFUL === 0) await new Promise(setImmediate);
  }
}
