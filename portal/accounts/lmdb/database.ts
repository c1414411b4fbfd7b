import { open, type RootDatabase } from 'lmdb';
import { type ClientId, SHARED } from '../../../shards/concurrency/fair-queue.ts';
import type { Millis } from '../../../shards/units.ts';
import { LedgerUnavailable } from '../ledger.ts';
import type { LedgerBatch } from './batch.ts';
import { type Books, MAX_TABLES, openBooks } from './books.ts';
import { unavailable } from './failure.ts';
import { CommitFailed, GroupCommit } from './group-commit.ts';
import { claimLedgerFolder, PRIVATE_FILE } from './ledger-folder.ts';
import { NewestCommit } from './newest-commit.ts';
import { upgrade } from './upgrade.ts';

/** For so long after a commit has failed, and none has succeeded, the ledger is not well. */
const DISTRUST_MS: Millis = 10_000;

/**
 * The folder of a ledger, memory-mapped. Reads are function calls; writes that come before a commit
 * has begun share it, and its fsync. Every failure is a `LedgerUnavailable`, but for what a change
 * itself throws.
 */
export class LedgerDatabase {
  readonly #directory: string;
  readonly #root: RootDatabase;
  readonly #books: Books;
  readonly #commits: GroupCommit;
  #closed = false;

  /** Opens a ledger's folder, or makes one. */
  static async open(directory: string): Promise<LedgerDatabase> {
    try {
      await claimLedgerFolder(directory);
      await GroupCommit.noneUnderWay();
      return new LedgerDatabase(directory);
    } catch (error) {
      throw unavailable(directory, error);
    }
  }

  private constructor(directory: string) {
    this.#directory = directory;
    const options = {
      path: directory,
      noSubdir: false,
      maxDbs: MAX_TABLES,
      // Mode of created files; missing from the library's type declarations.
      permissionsMode: PRIVATE_FILE,
      // With overlapping syncs, a process that opens the ledger can set back a commit that another
      // has made and not yet synced: debits would be lost after they were acknowledged.
      overlappingSync: false,
      // Changes are batched in GroupCommit. lmdb's own batches carry a promise without a handler,
      // so a failing commit would end the process.
      eventTurnBatching: false,
    };
    this.#root = open(options);
    const newest = new NewestCommit(this.#root, directory);
    try {
      this.#books = newest.transactionSync(() => {
        const books = openBooks(this.#root);
        upgrade(books, { directory, nowMs: Date.now() });
        return books;
      });
    } catch (error) {
      void this.#root.close();
      throw error;
    }
    this.#commits = new GroupCommit(newest, this.#books);
  }

  /** Reads see the newest commit, including those of other processes. */
  read<T>(read: (books: Books) => T): T {
    if (this.#closed) throw this.#closedError();
    try {
      // lmdb would reuse its previous snapshot until a timer fires.
      this.#root.resetReadTxn();
      return read(this.#books);
    } catch (error) {
      throw unavailable(this.#directory, error);
    }
  }

  /**
   * Resolves once the change is on disk. `asker`: the client in whose turn the outcome is
   * delivered.
   */
  async write<T>(change: (batch: LedgerBatch) => T, clientId: ClientId = SHARED): Promise<T> {
    if (this.#closed) throw this.#closedError();
    try {
      return await this.#commits.apply(change, clientId);
    } catch (error) {
      throw error instanceof CommitFailed ? unavailable(this.#directory, error.cause) : error;
    }
  }

  /** Throws while it is not well. */
  check(): void {
    this.read((books) => books.accounts.get(''));
    // A full disk can still be read. Writes are retried by later calls after a while.
    const { lastFailure } = this.#commits;
    if (lastFailure && performance.now() - lastFailure.atMs < DISTRUST_MS) {
      throw unavailable(this.#directory, lastFailure.error.cause);
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#commits.finished();
    await this.#root.close();
  }

  #closedError(): LedgerUnavailable {
    return new LedgerUnavailable(`${this.#directory}: the ledger is closed`);
  }
}
