import {
  DatabaseSync,
  type DatabaseSyncInstance,
  type StatementSyncInstance,
} from '@photostructure/sqlite';
import { getOrInsertComputed } from '../../../shards/arrays/group-by.ts';
import type { Millis } from '../../../shards/units.ts';
import { type Ledger, otherFormat } from '../ledger.ts';
import { isBusy } from './failure.ts';
import { SCHEMA, SCHEMA_VERSION } from './schema.ts';

/** How long a connection that opens or reads waits for another one's lock before it gives up. */
const BUSY_MS: Millis = 10_000;
/** How long a transaction waits, for which a client waits. */
const BEGIN_MS: Millis = 4_000;
/** How long a transaction waits after one has waited in vain; others may be waiting behind it. */
const BEGIN_AGAIN_MS: Millis = 200;
/**
 * Pause between attempts while another process is in a transaction. SQLite's own pauses grow to 100
 * ms, while a transaction takes half a millisecond.
 */
const PAUSE_MS: Millis = 0.2;
/** The write-ahead log is truncated to this size after a checkpoint. */
const LOG_BYTES = 16 * 2 ** 20;

const NEVER_WOKEN = new Int32Array(new SharedArrayBuffer(4));

/** An operation of the ledger on its database. */
export type OnSqlite<Name extends keyof Ledger> = (
  db: SqlConnection,
  ...args: Parameters<Ledger[Name]>
) => Awaited<ReturnType<Ledger[Name]>>;

type SqlValue = string | number | null | Uint8Array;

/** A connection to a ledger's database, with cached prepared statements. */
export class SqlConnection {
  readonly #database: DatabaseSyncInstance;
  readonly #statements = new Map<string, StatementSyncInstance>();
  /** How long the next transaction waits for another connection's. */
  #beginMs = BEGIN_MS;

  /**
   * Opens the database in `file`; creates its tables if it is empty. `isWriter`: used for
   * transactions only.
   */
  constructor(file: string, { isWriter = false } = {}) {
    this.#database = new DatabaseSync(file, { timeout: BUSY_MS });
    try {
      // While another process creates the file, SQLite refuses this without waiting.
      onceFree(BUSY_MS, () => this.#database.exec('PRAGMA journal_mode = WAL'));
      this.#database.exec(`
        PRAGMA synchronous = FULL;
        PRAGMA journal_size_limit = ${LOG_BYTES};
      `);
      if (this.#version() !== SCHEMA_VERSION) this.transaction(() => this.#makeTables(file));
      // From here on, `transaction` does its own waiting.
      if (isWriter) this.#database.exec('PRAGMA busy_timeout = 0');
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /**
   * Returns the first row, if any; for a statement that changes rows, the first row of its
   * `RETURNING` clause.
   */
  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined {
    return this.#statement(sql).get(...values) as Row | undefined;
  }

  all<Row>(sql: string, ...values: SqlValue[]): Row[] {
    return this.#statement(sql).all(...values) as Row[];
  }

  /** Returns the number of changed rows. */
  run(sql: string, ...values: SqlValue[]): number {
    return Number(this.#statement(sql).run(...values).changes);
  }

  /** Inserts a row, whose members are named like the columns; `or`: in place of an old one. */
  insert(table: string, row: Readonly<Record<string, SqlValue>>, or?: 'REPLACE'): void {
    const names = Object.keys(row);
    const places = names.map(() => '?');
    this.run(
      `INSERT ${or ? `OR ${or} ` : ''}INTO ${table} (${names}) VALUES (${places})`,
      ...Object.values(row),
    );
  }

  /** Runs a change in a transaction; when it returns, the change is on disk. */
  transaction<T>(change: () => T): T {
    return this.#within(() => this.#begin(), change);
  }

  /** Runs part of a transaction atomically (a savepoint); the transaction continues either way. */
  part<T>(change: () => T): T {
    this.run('SAVEPOINT part');
    try {
      return change();
    } catch (error) {
      if (this.#database.isTransaction) this.run('ROLLBACK TO part');
      throw error;
    } finally {
      if (this.#database.isTransaction) this.run('RELEASE part');
    }
  }

  /** Reads a consistent snapshot, regardless of concurrent commits. */
  snapshot<T>(read: () => T): T {
    return this.#within(() => this.run('BEGIN'), read);
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #begin(): void {
    try {
      onceFree(this.#beginMs, () => this.run('BEGIN IMMEDIATE'));
      this.#beginMs = BEGIN_MS;
    } catch (error) {
      this.#beginMs = BEGIN_AGAIN_MS;
      throw error;
    }
  }

  #within<T>(begin: () => void, work: () => T): T {
    begin();
    try {
      const result = work();
      this.run('COMMIT');
      return result;
    } catch (error) {
      // After some errors, such as a full disk, SQLite has already rolled back.
      if (this.#database.isTransaction) this.run('ROLLBACK');
      throw error;
    }
  }

  #statement(sql: string): StatementSyncInstance {
    return getOrInsertComputed(this.#statements, sql, () => this.#database.prepare(sql));
  }

  #version(): number {
    return this.get<{ user_version: number }>('PRAGMA user_version')!.user_version;
  }

  /** Creates the tables, unless another process has done so first. */
  #makeTables(file: string): void {
    const version = this.#version();
    if (version === SCHEMA_VERSION) return;
    if (version !== 0) throw otherFormat(file, version, SCHEMA_VERSION);
    this.#database.exec(`${SCHEMA} PRAGMA user_version = ${SCHEMA_VERSION}`);
  }
}

/** Runs `work`; repeats it for so long while another process has locked the database. */
function onceFree<T>(withinMs: Millis, work: () => T): T {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      Atomics.wait(NEVER_WOKEN, 0, 0, PAUSE_MS);
    }
  }
}

/** Number of expired records removed per new one; more than one, so that they do not pile up. */
const REMOVED_AT_ONCE = 4;

/** Tables of records that expire: their keys, and the times that they expire by, in ms. */
const EXPIRING = {
  challenges: ['mailbox', 'endsAtMs'],
  limits: ['subject', 'endsAtMs'],
  payment_events: ['id', 'endsAtMs'],
  receipts: ['id', 'endsAtMs'],
  replays: ['account, idempotencyKey', 'endsAtMs'],
  sessions: ['account, id', 'seenAtMs'],
} as const;

/** Removes some of a table's records whose time is `untilMs` or earlier; returns them. */
export function removeEnded<Row>(
  db: SqlConnection,
  table: keyof typeof EXPIRING,
  untilMs: number,
): Row[] {
  const [key, time] = EXPIRING[table];
  return db.all(
    `DELETE FROM ${table} WHERE (${key}) IN (
       SELECT ${key} FROM ${table} WHERE ${time} <= ? ORDER BY ${time} LIMIT ${REMOVED_AT_ONCE}
     ) RETURNING *`,
    untilMs,
  );
}
