import { Worker } from 'node:worker_threads';
import { isOfTheDatabase, lostReply } from './failure.ts';
import { type Outcome, WRITES, type Write } from './operations.ts';
import { SqlConnection } from './sql-connection.ts';

/** Applies groups of changes, each in one transaction, one group after another. */
export interface Writer {
  /**
   * Resolves with an outcome for each change, in order, when all are on disk. If it rejects, none
   * of them has been applied, unless the error is from `lostReply`.
   */
  commit(group: readonly Write[]): Promise<readonly Outcome[]>;
  close(): Promise<void>;
}

/** Applies a group of changes in one transaction; a change that throws is rolled back alone. */
export function commitGroup(db: SqlConnection, group: readonly Write[]): Outcome[] {
  try {
    return db.transaction(() => group.map((write) => ({ value: perform(db, write) })));
  } catch (error) {
    if (isOfTheDatabase(error)) throw error;
  }
  // A change threw, which is rare, and everything was rolled back: retries with a savepoint per
  // change.
  return db.transaction(() => group.map((write) => outcomeOf(db, write)));
}

function outcomeOf(db: SqlConnection, write: Write): Outcome {
  try {
    return { value: db.part(() => perform(db, write)) };
  } catch (error) {
    if (isOfTheDatabase(error)) throw error;
    return { error };
  }
}

function perform(db: SqlConnection, { name, args }: Write): unknown {
  const operation = WRITES[name] as (db: SqlConnection, ...args: readonly unknown[]) => unknown;
  return operation(db, ...args);
}

/**
 * Opens the writer of a ledger's file: a thread, so that the event loop never waits for the disk.
 * Threads run compiled code; from source, changes are made on this thread.
 */
export function openWriter(file: string): Writer {
  return import.meta.filename.endsWith('.js') ? new ThreadWriter(file) : new LocalWriter(file);
}

class LocalWriter implements Writer {
  readonly #db: SqlConnection;

  constructor(file: string) {
    this.#db = new SqlConnection(file, { isWriter: true });
  }

  async commit(group: readonly Write[]): Promise<readonly Outcome[]> {
    return commitGroup(this.#db, group);
  }

  async close(): Promise<void> {
    this.#db.close();
  }
}

interface Waiting {
  resolve(outcomes: readonly Outcome[]): void;
  reject(error: unknown): void;
}

/** A writer on a thread of its own. A thread that dies is replaced for the next group. */
class ThreadWriter implements Writer {
  readonly #file: string;
  #thread: Worker | null = null;
  #waiting: Waiting | null = null;

  constructor(file: string) {
    this.#file = file;
    this.#thread = this.#start();
  }

  commit(group: readonly Write[]): Promise<readonly Outcome[]> {
    this.#thread ??= this.#start();
    const thread = this.#thread;
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      // Keeps the process alive until pending work is settled.
      thread.ref();
      thread.postMessage(group);
    });
  }

  async close(): Promise<void> {
    if (this.#thread === null) return;
    await this.commit([]);
    await this.#thread.terminate();
  }

  #start(): Worker {
    const thread = new Worker(new URL('./writer-thread.js', import.meta.url), {
      workerData: this.#file,
      // Does not inherit the process's flags, such as code given on the command line.
      execArgv: [],
    });
    thread.on('message', (reply: Reply) => this.#settle(reply));
    thread.on('error', (error) => this.#end(thread, error));
    thread.on('exit', () => this.#end(thread, new Error('the writer thread has stopped')));
    thread.unref();
    return thread;
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    this.#thread?.unref();
    try {
      waiting?.resolve(outcomesIn(reply));
    } catch (error) {
      waiting?.reject(error);
    }
  }

  /**
   * Ends the current thread after an error or exit. An exit follows each error; by then, another
   * thread may have been started.
   */
  #end(thread: Worker, error: Error): void {
    if (this.#thread !== thread) return;
    this.#thread = null;
    this.#waiting?.reject(lostReply(error.message));
    this.#waiting = null;
  }
}

export type Reply = { readonly outcomes: readonly Outcome[] } | { readonly failure: Failure };

interface Failure {
  readonly message: string;
  readonly errcode?: number | undefined;
}

/**
 * Returns the reply for a failed group, without the error itself, which would lose its own
 * properties on the way.
 */
export function failureOf(error: unknown): Reply {
  const { message, errcode } = error as Failure;
  return { failure: { message, errcode } };
}

export function outcomesIn(reply: Reply): readonly Outcome[] {
  if ('outcomes' in reply) return reply.outcomes;
  throw Object.assign(new Error(reply.failure.message), reply.failure);
}
