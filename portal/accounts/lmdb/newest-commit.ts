import { openSync, readSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { ABORT, type RootDatabase } from 'lmdb';

/**
 * Makes every transaction begin at the newest commit, which LMDB alone does not guarantee
 * (ITS#9496, in lmdb 3.5.6): a process that opens a database writes to the lock file the last
 * commit it saw, even if others have committed since. A transaction that starts there would
 * overwrite them. Commit numbers reveal this, and cannot change during a transaction: a transaction
 * that begins too early is abandoned, the note is corrected, and it begins again.
 */
export class NewestCommit {
  readonly #root: RootDatabase;
  readonly #lockFile: string;

  /** `directory`: the database's folder. */
  constructor(root: RootDatabase, directory: string) {
    this.#root = root;
    this.#lockFile = path.join(directory, 'lock.mdb');
  }

  /**
   * Makes a change in a transaction of its own; resolves with its outcome when that is on the disk.
   * Undone as a whole if `change` throws. `change` is called once.
   */
  async transaction<T>(change: () => T): Promise<T> {
    for (let tries = 1; ; tries++) {
      // Undone as a whole, as only a child transaction is. Resolves when it is on the disk: the
      // database is opened without overlapping syncs.
      const outcome = await this.#root.childTransaction(() => this.#ifNewest(change));
      if (outcome !== ABORT) return outcome as T;
      giveUpAfter(tries);
    }
  }

  /** The same, on this thread, which waits for other processes' transactions. */
  transactionSync<T>(change: () => T): T {
    for (let tries = 1; ; tries++) {
      const outcome = this.#root.transactionSync(() => this.#ifNewest(change));
      if (outcome !== ABORT) return outcome as T;
      giveUpAfter(tries);
    }
  }

  #ifNewest<T>(change: () => T): T | typeof ABORT {
    const base = this.#root.getWriteTxnId() - 1;
    const { lastTxnId: newest } = this.#root.getStats() as { lastTxnId: number };
    if (base === newest) return change();
    noteLastCommit(this.#lockFile, { instead: base, newest });
    return ABORT;
  }
}

/** Each try is spoiled only by a process that opens the database at that very moment. */
const MAX_TRIES = 100;

function giveUpAfter(tries: number): void {
  if (tries < MAX_TRIES) return;
  throw new Error(`the lock file did not name the newest commit ${MAX_TRIES} times in a row`);
}

/** Layout of a lock file: 32-bit magic number, 32-bit format, 64-bit last commit. */
const MAGIC = 0xbeefc0de;
const NOTE_OFFSET = 8;
const WORD_BYTES = 8;

/**
 * Descriptors of the lock files that were written to, by device and inode. They stay open as long as
 * the process: when one of a file is closed, POSIX drops all locks that the process has on it, those
 * of LMDB too.
 */
const openLockFiles = new Map<string, number>();

function openLockFile(file: string): number {
  const { dev, ino } = statSync(file);
  const name = `${dev}:${ino}`;
  const descriptor = openLockFiles.get(name) ?? openSync(file, 'r+');
  openLockFiles.set(name, descriptor);
  return descriptor;
}

/** Only valid in a write transaction, which keeps other processes from committing. */
function noteLastCommit(
  file: string,
  { instead, newest }: { readonly instead: number; readonly newest: number },
): void {
  const descriptor = openLockFile(file);
  const words = new BigUint64Array(2);
  readSync(descriptor, words, 0, words.byteLength, 0);
  if (Number(BigInt.asUintN(32, words[0])) !== MAGIC) {
    throw new Error(`${file} is not a lock file of LMDB as this program knows them`);
  }
  // Another process has opened the database meanwhile, and noted something else.
  if (Number(words[1]) !== instead) return;
  writeSync(descriptor, BigUint64Array.of(BigInt(newest)), 0, WORD_BYTES, NOTE_OFFSET);
}
