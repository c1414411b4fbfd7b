import { statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { type ClientId, SHARED } from '../../../shards/concurrency/fair-queue.ts';
import type { Millis } from '../../../shards/units.ts';
import { type LedgerFullness, LedgerUnavailable } from '../ledger.ts';
import { checkAfterCrash } from './backup.ts';
import { unavailable } from './failure.ts';
import { CommitFailed, GroupCommit } from './group-commit.ts';
import { claimLedgerFolder, DATABASE_FILE } from './ledger-folder.ts';
import type { ArgsOf, Writes } from './operations.ts';
import { SqlConnection } from './sql-connection.ts';
import { openWriter, type Writer } from './writer.ts';

/** The ledger counts as unhealthy for this long after a failed commit, unless one succeeds. */
const DISTRUST_MS: Millis = 10_000;

/**
 * The database of a ledger's folder: reads are function calls on a connection of this thread;
 * changes are committed in groups by a writer. Every failure is a `LedgerUnavailable`,
 * except what an operation itself throws.
 */
export class LedgerDatabase {
  readonly #directory: string;
  readonly #db: SqlConnection;
  readonly #writer: Writer;
  readonly #commits: GroupCommit;
  #isClosed = false;

  /** Opens a ledger's folder, creating it if needed. */
  static async open(directory: string): Promise<LedgerDatabase> {
    try {
      await claimLedgerFolder(directory);
      checkAfterCrash(directory);
      return new LedgerDatabase(directory);
    } catch (error) {
      throw unavailable(directory, error);
    }
  }

  private constructor(directory: string) {
    this.#directory = directory;
    const file = path.join(directory, DATABASE_FILE);
    const { ino } = statSync(file);
    this.#db = new SqlConnection(file);
    if (statSync(file).ino !== ino) {
      this.#db.close();
      throw new LedgerUnavailable(`ledger ${directory}: was restored at this moment; try again`);
    }
    this.#writer = openWriter(file);
    this.#commits = new GroupCommit(this.#writer);
  }

  /** Reads the newest commit, including those of other processes. */
  read<T>(read: (db: SqlConnection) => T): T {
    if (this.#isClosed) throw this.#closedError();
    try {
      return read(this.#db);
    } catch (error) {
      throw unavailable(this.#directory, error);
    }
  }

  /**
   * Resolves once the change is on disk. `clientId`: the client in whose turn the outcome is
   * delivered.
   */
  async write<Name extends keyof Writes>(
    name: Name,
    args: ArgsOf<Writes[Name]>,
    clientId: ClientId = SHARED,
  ): Promise<ReturnType<Writes[Name]>> {
    if (this.#isClosed) throw this.#closedError();
    try {
      const outcome = await this.#commits.apply({ name, args }, clientId);
      return outcome as ReturnType<Writes[Name]>;
    } catch (error) {
      throw error instanceof CommitFailed ? unavailable(this.#directory, error.cause) : error;
    }
  }

  check(): void {
    this.read((db) => db.get('SELECT 1 FROM accounts LIMIT 1'));
    // A full disk can still be read. Later calls retry writes after a while.
    const { lastFailure } = this.#commits;
    if (lastFailure && performance.now() - lastFailure.atMs < DISTRUST_MS) {
      throw unavailable(this.#directory, lastFailure.error.cause);
    }
  }

  async fullness(): Promise<LedgerFullness> {
    const { blocks, bavail } = await statfs(this.#directory).catch((error: unknown) => {
      throw unavailable(this.#directory, error);
    });
    return { disk: 1 - bavail / blocks, isLogFailing: false };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#commits.idle();
    await this.#writer.close();
    this.#db.close();
  }

  #closedError(): LedgerUnavailable {
    return new LedgerUnavailable(`${this.#directory}: the ledger is closed`);
  }
}
