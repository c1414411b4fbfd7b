import { type ClientId, FairQueue } from '../../../shards/concurrency/fair-queue.ts';
import type { Millis } from '../../../shards/units.ts';
import { mergeDebits } from './merged-debits.ts';
import type { Outcome, Write } from './operations.ts';
import type { Writer } from './writer.ts';

/** Error for a transaction that failed to reach the disk; `cause` is the database's own error. */
export class CommitFailed extends Error {
  override readonly name = 'CommitFailed';
}

interface Pending extends Write {
  readonly clientId: ClientId;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * Collects the changes that arrive while a transaction is in progress, and commits them together in
 * the next, so that thousands of debits per second share one disk sync.
 */
export class GroupCommit {
  readonly #writer: Writer;
  #queue: Pending[] = [];
  #isRunning = false;
  #onIdle: (() => void)[] = [];
  readonly #delivery = new OutcomeDelivery();
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
    while (this.#queue.length > 0) {
      await this.#moreComing();
      const group = this.#queue.splice(0);
      try {
        const { writes, outcomesOf } = mergeDebits(group);
        const outcomes = outcomesOf(await this.#writer.commit(writes));
        this.lastFailure = null;
        void this.#delivery.deliver(group, outcomes);
      } catch (cause) {
        const error = new CommitFailed('the transaction failed', { cause });
        this.lastFailure = { error, atMs: performance.now() };
        for (const { reject } of group) reject(error);
      }
    }
    this.#isRunning = false;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  /**
   * Resolves at the end of this turn of the event loop, whose changes share a transaction; while
   * outcomes are being delivered, a little later: most clients send their next request at once,
   * and a transaction takes as much processor time as several responses.
   */
  async #moreComing(): Promise<void> {
    const endMs = performance.now() + MAX_WAIT_MS;
    do await new Promise(setImmediate);
    while (this.#delivery.isRunning && performance.now() < endMs);
  }
}

/**
 * Time for which the next transaction waits while outcomes are delivered: that of some forty short
 * responses. A client whose change has just missed a transaction waits no longer, however large the
 * responses to others are.
 */
const MAX_WAIT_MS: Millis = 2;
/** Maximum number of outcomes delivered per turn of the event loop. */
const MAX_PER_TURN = 8;
/** Target duration of a turn; after a longer one, the next delivers fewer outcomes. */
const TURN_MS: Millis = 4;

/**
 * Delivers outcomes a few per turn of the event loop: the first clients send their next request
 * while others are still being answered, and no turn lasts as long as all their responses take.
 * Delivery is round-robin by client.
 */
class OutcomeDelivery {
  #waiting = new FairQueue<() => void>();
  isRunning = false;

  async deliver(group: readonly Pending[], outcomes: readonly Outcome[]): Promise<void> {
    group.forEach((to, i) => {
      this.#waiting.push(to.clientId, () => settle(to, outcomes[i]));
    });
    if (this.isRunning) return;
    this.isRunning = true;
    let perTurn = MAX_PER_TURN;
    for (let next = this.#waiting.shift(); next; ) {
      const beganMs = performance.now();
      for (let n = 0; next && n < perTurn; n++) {
        next();
        next = this.#waiting.shift();
      }
      if (!next) break;
      await new Promise(setImmediate);
      const isLong = performance.now() - beganMs > TURN_MS;
      perTurn = isLong ? Math.max(1, perTurn >> 1) : Math.min(MAX_PER_TURN, perTurn + 1);
    }
    // Drops the record of which clients have had a turn.
    this.#waiting = new FairQueue();
    this.isRunning = false;
  }
}

function settle(to: Pending, outcome: Outcome): void {
  if ('value' in outcome) to.resolve(outcome.value);
  else to.reject(outcome.error);
}
