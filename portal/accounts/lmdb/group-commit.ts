import type { RootDatabase } from 'lmdb';
import { LedgerBatch } from './batch.ts';
import type { Books } from './books.ts';

/** A transaction did not make it to the disk; `cause` is the database's own error. */
export class CommitFailed extends Error {
  override readonly name = 'CommitFailed';
}

interface Pending {
  /** Makes the change inside the transaction and keeps its outcome. */
  apply(batch: LedgerBatch): void;
  /** Hands the outcome to the caller, after the commit. */
  settle(): void;
  fail(error: CommitFailed): void;
}

/**
 * Outcomes are handed out in handfuls, a turn of the event loop each: those who asked first are back
 * with their next request while others are still being answered. Else all would move in step, and
 * the processor would idle through each commit.
 */
const HANDFUL = 8;

/**
 * Puts changes that come in the same turn of the event loop into one LMDB transaction, so that
 * thousands of debits a second share a sync of the disk.
 */
export class GroupCommit {
  readonly #root: RootDatabase;
  readonly #books: Books;
  #queue: Pending[] = [];
  /** The commit that was begun last; those before it end before it. */
  #underWay: Promise<void> = Promise.resolve();

  constructor(root: RootDatabase, books: Books) {
    this.#root = root;
    this.#books = books;
  }

  /**
   * Makes a change in the next transaction. Resolves with what it returned once that is on the
   * disk; rejects with what it threw, or with `CommitFailed`.
   */
  apply<T>(change: (batch: LedgerBatch) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      let settle = () => {};
      this.#queue.push({
        apply: (batch) => {
          try {
            const value = change(batch);
            settle = () => resolve(value);
          } catch (error) {
            settle = () => reject(error);
          }
        },
        settle: () => settle(),
        fail: reject,
      });
      if (this.#queue.length === 1) this.#underWay = this.#commit();
    });
  }

  /** Resolves when everything asked for so far has ended. */
  finished(): Promise<void> {
    return this.#underWay;
  }

  async #commit(): Promise<void> {
    // All requests that this turn of the event loop brings join.
    await new Promise(setImmediate);
    const pending = this.#queue;
    this.#queue = [];
    try {
      // Resolves when it is on the disk: the database is opened without overlapping syncs.
      // Undone as a whole if it throws, as only a child transaction is.
      await this.#root.childTransaction(() => {
        const batch = new LedgerBatch(this.#books);
        for (const { apply } of pending) apply(batch);
        batch.store();
      });
      for (let i = 0; i < pending.length; i++) {
        if (i > 0 && i % HANDFUL === 0) await new Promise(setImmediate);
        pending[i].settle();
      }
    } catch (error) {
      const failure = new CommitFailed('the transaction failed', { cause: await reasonOf(error) });
      for (const { fail } of pending) fail(failure);
    }
  }
}

/** lmdb says why a commit failed by a promise on its error, which rejects with the reason. */
async function reasonOf(error: unknown): Promise<unknown> {
  const { commitError } = error as { commitError?: Promise<never> };
  return commitError ? commitError.catch((reason: unknown) => reason) : error;
}
