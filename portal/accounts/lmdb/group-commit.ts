import { type ClientId, FairQueue } from '../../../shards/concurrency/fair-queue.ts';
import type { Millis } from '../../../shards/units.ts';
import { LedgerBatch } from './batch.ts';
import type { Books } from './books.ts';
import type { NewestCommit } from './newest-commit.ts';

/** A transaction did not make it to the disk; `cause` is the database's own error. */
export class CommitFailed extends Error {
  override readonly name = 'CommitFailed';
}

interface Pending {
  readonly clientId: ClientId;
  /** Makes the change inside the transaction and keeps its outcome. */
  apply(batch: LedgerBatch): void;
  /** Hands the outcome to the caller, after the commit. */
  settle(): void;
  fail(error: CommitFailed): void;
}

/**
 * Outcomes are delivered in small groups, one turn of the event loop each: the first clients send
 * their next request while others are still being answered. Otherwise all would move in step and
 * the processor would idle during each commit. Delivery is round-robin by client.
 */
const HANDFUL = 8;

/**
 * Puts changes that come before a transaction has begun into that one LMDB transaction, so that
 * thousands of debits a second share a sync of the disk.
 */
export class GroupCommit {
  /** Commits of all ledgers of this process that have begun and not ended. */
  static readonly #begun = new Set<Promise<void>>();

  /**
   * Resolves when no ledger of this process commits. To open one begins a transaction that waits for
   * theirs on this thread, which theirs may need.
   */
  static async noneUnderWay(): Promise<void> {
    while (GroupCommit.#begun.size > 0) await Promise.all(GroupCommit.#begun);
  }

  readonly #newest: NewestCommit;
  readonly #books: Books;
  #queue: Pending[] = [];
  /** The commit that was begun last; those before it end before it. */
  #underWay: Promise<void> = Promise.resolve();
  /** Why the last commit failed, and when, if it did. */
  lastFailure: { readonly error: CommitFailed; readonly atMs: Millis } | null = null;

  constructor(newest: NewestCommit, books: Books) {
    this.#newest = newest;
    this.#books = books;
  }

  /**
   * Queues a change for the next transaction. Resolves with its result once on disk; rejects with
   * its error, or with `CommitFailed`. `asker`: the client in whose turn the outcome is delivered.
   */
  apply<T>(change: (batch: LedgerBatch) => T, clientId: ClientId): Promise<T> {
    return new Promise((resolve, reject) => {
      let settle = () => {};
      this.#queue.push({
        clientId,
        apply: (batch) => {
          try {
            const value = change(batch);
            settle = () => resolve(value);
          } catch (error) {
            if (isOfTheDatabase(error)) throw error;
            settle = () => reject(error);
          }
        },
        settle: () => settle(),
        fail: reject,
      });
      if (this.#queue.length > 1) return;
      const begun = this.#commit();
      this.#underWay = begun;
      GroupCommit.#begun.add(begun);
      begun.then(() => GroupCommit.#begun.delete(begun));
    });
  }

  /** Resolves when everything asked for so far has ended. */
  finished(): Promise<void> {
    return this.#underWay;
  }

  async #commit(): Promise<void> {
    // Changes queued before the transaction begins, later in this turn at the earliest, join it.
    const pending = this.#queue;
    const close = () => {
      if (this.#queue === pending) this.#queue = [];
    };
    try {
      await this.#newest.transaction(() => {
        close();
        const batch = new LedgerBatch(this.#books);
        for (const { apply } of pending) apply(batch);
        batch.store();
      });
      this.lastFailure = null;
      const outcomes = new FairQueue<Pending>();
      for (const one of pending) outcomes.push(one.clientId, one);
      for (let i = 1, one = outcomes.shift(); one; one = outcomes.shift(), i++) {
        one.settle();
        if (i % HANDFUL === 0) await new Promise(setImmediate);
      }
    } catch (error) {
      close();
      const failed = new CommitFailed('the transaction failed', { cause: await reasonOf(error) });
      this.lastFailure = { error: failed, atMs: performance.now() };
      for (const { fail } of pending) fail(failed);
    }
  }
}

/** MDB_BAD_VALSIZE: a key that is too long, of which nothing has been written. */
const BAD_VALSIZE = -30_781;

/** Whether a write failed, and the transaction with it: lmdb's own errors have a number. */
function isOfTheDatabase(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'number' && code !== BAD_VALSIZE;
}

/** lmdb says why a commit failed by a promise on its error, which rejects with the reason. */
async function reasonOf(error: unknown): Promise<unknown> {
  const { commitError } = error as { commitError?: Promise<never> };
  return commitError ? commitError.catch((reason: unknown) => reason) : error;
}
