import { chownSync, createReadStream, createWriteStream, statSync } from 'node:fs';
import { chmod, link, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { systemCode } from '../../../shards/error-facts.ts';
import { takeLock } from '../../../shards/store/lock-file.ts';
import { makeOwnFolder, removeAbandonedFolders } from '../../../shards/store/process-name.ts';
import type { Millis } from '../../../shards/units.ts';
import { LedgerUnavailable, otherFormat } from '../ledger.ts';
import { isBusy, isDamage, unavailable } from './failure.ts';
import { processesUsing } from './file-locks.ts';
import { claimLedgerFolder, DATABASE_FILE, PRIVATE_FILE } from './ledger-folder.ts';
import { SCHEMA_VERSION } from './schema.ts';

/** Time that the restoration waits for a command that is about to close the ledger. */
const CLOSING_MS: Millis = 1_000;

/** Prefix of the private folders of unfinished backups, next to their files. */
const PARTS = '.ledger-backup-';

interface BackedUp {
  readonly accounts: number;
  readonly tokens: number;
}

/**
 * Writes the ledger of a folder as of one moment to a new file, private to its owner, while others
 * may use it. The file is complete and on disk before it has its name. Rejects with `EEXIST` if
 * there is such a file.
 */
export async function backUpLedger(directory: string, file: string): Promise<BackedUp> {
  const folder = path.dirname(path.resolve(file));
  await removeAbandonedFolders(folder, PARTS);
  const scratch = await makeOwnFolder(folder, PARTS);
  const part = path.join(scratch, DATABASE_FILE);
  try {
    let db: DatabaseSyncInstance | undefined;
    try {
      checkAfterCrash(directory);
      db = new DatabaseSync(path.join(directory, DATABASE_FILE), { timeout: CLOSING_MS });
      db.exec(`VACUUM INTO '${part.replaceAll("'", "''")}'`);
    } catch (error) {
      throw unavailable(directory, error);
    } finally {
      db?.close();
    }
    await chmod(part, PRIVATE_FILE);
    const totals = checkedBackup(part);
    await synced(part);
    await link(part, file);
    await synced(folder);
    return totals;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * Replaces the ledger of a folder, if there is one, by a backup. The replaced ledger keeps a name
 * next to it, which is returned. Rejects with `LedgerUnavailable` while a process has the ledger
 * open, or if the file is not an intact backup.
 */
export async function restoreLedger(
  directory: string,
  file: string,
): Promise<BackedUp & { readonly replaced: string | null }> {
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
  if (log && log.size > 0) {
    throw new LedgerUnavailable(
      `${file}: is a ledger in use, or a copy of one, since ${file}-wal is next to it; use a file written by tta accounts backup`,
    );
  }
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) {
    throw new LedgerUnavailable(
      `${file}: is not a regular file; use one written by tta accounts backup`,
    );
  }
  const source = createReadStream(file);
  // An unusable file is reported before anything is created.
  await new Promise<void>((resolve, reject) => {
    source.once('open', () => resolve()).once('error', reject);
  });
  await claimLedgerFolder(directory);
  const ledger = path.join(directory, DATABASE_FILE);
  const lock = await takeLock(`${ledger}.restoring.lock`);
  if (!lock.taken) throw inUse(directory, `${lock.owner}, which restores it,`);
  const copy = `${ledger}.restoring`;
  try {
    await rm(copy, { force: true });
    await pipeline(source, createWriteStream(copy, { flags: 'wx', mode: PRIVATE_FILE }));
    const totals = checkedBackup(copy, file);
    // As root, a restore leaves a ledger that the service can open.
    const { uid, gid } = statSync(directory);
    if (process.getuid?.() === 0) chownSync(copy, uid, gid);
    await synced(copy);
    const replaced = await whileUnused(directory, () => replaceBy(copy, ledger));
    await synced(directory);
    return { ...totals, replaced };
  } finally {
    source.destroy();
    await rm(copy, { force: true });
    await lock.release();
  }
}

/**
 * Requires that a ledger left by a crash or a power cut is intact, together with its log: a log
 * next to a file that it does not belong to would be written into it. Changes nothing. Reads the
 * whole file, but only if there is a log and no process is known to have the ledger open.
 */
export function checkAfterCrash(directory: string): void {
  const file = path.join(directory, DATABASE_FILE);
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
  if (!log || log.size === 0 || processesUsing(file).length > 0) return;
  const fault = faultIn(file);
  if (fault === null) return;
  throw new LedgerUnavailable(
    `ledger ${directory}: ${DATABASE_FILE} and its log, ${DATABASE_FILE}-wal, are damaged or do not belong together (${fault}); stop every server and portal on it and run tta accounts restore with a backup`,
  );
}

/**
 * The first fault of a database's structure, or of its books: pages of two moments may fit, but
 * then an account's tokens are not what it was granted less what it used. Null if it is intact, or
 * of another format, whose books are not known.
 */
function faultIn(file: string): string | null {
  // Closing a connection that may write would write the log into the file.
  const db = new DatabaseSync(file, { readOnly: true, timeout: CLOSING_MS });
  try {
    const { quick_check: said } = row<{ quick_check: string }>(db, 'PRAGMA quick_check(1)');
    if (said !== 'ok') return said.split('\n').at(-1)!;
    const { user_version: version } = row<{ user_version: number }>(db, 'PRAGMA user_version');
    const wrong = version === SCHEMA_VERSION && row<{ id: string } | undefined>(db, WRONG_BALANCE);
    return wrong ? `the tokens of account ${wrong.id} do not add up` : null;
  } catch (error) {
    if (isDamage(error)) return (error as Error).message;
    throw error;
  } finally {
    db.close();
  }
}

const WRONG_BALANCE = `
  SELECT id FROM accounts WHERE balance <>
    (SELECT coalesce(sum(tokens), 0) FROM grants WHERE account = id) -
    (SELECT coalesce(sum(tokens), 0) FROM usage WHERE account = id)
  LIMIT 1`;

/** Requires an intact ledger in a file; `shown` is its name in errors. */
function checkedBackup(file: string, shown = file): BackedUp {
  const fault = faultIn(file);
  if (fault !== null) throw notABackup(shown, fault);
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const { user_version: version } = row<{ user_version: number }>(db, 'PRAGMA user_version');
    if (version === 0) throw notABackup(shown, 'it holds no ledger');
    if (version !== SCHEMA_VERSION) throw otherFormat(shown, version, SCHEMA_VERSION);
    return row(
      db,
      'SELECT count(*) AS accounts, coalesce(sum(balance), 0) AS tokens FROM accounts',
    );
  } finally {
    db.close();
  }
}

function row<Row>(db: DatabaseSyncInstance, sql: string): Row {
  return db.prepare(sql).get() as Row;
}

function notABackup(file: string, fault: string): LedgerUnavailable {
  return new LedgerUnavailable(`${file}: is not an intact backup of a ledger (${fault})`);
}

/** Runs `work` while no other process has the ledger open, or can open it. */
async function whileUnused<T>(directory: string, work: () => Promise<T>): Promise<T> {
  const file = path.join(directory, DATABASE_FILE);
  const db = new DatabaseSync(file, { timeout: CLOSING_MS });
  try {
    try {
      // Leaving the log needs the only connection, and writes the log into the file.
      db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
    } catch (error) {
      const others = processesUsing(file).filter(({ pid }) => pid !== process.pid);
      if (isBusy(error) || others.length > 0) {
        throw inUse(directory, others.map(({ shown }) => shown).join(', ') || 'another process');
      }
      // No process can work with a file that is damaged to this degree.
      if (!isDamage(error)) throw unavailable(directory, error);
    }
    return await work();
  } finally {
    db.close();
  }
}

function inUse(directory: string, users: string): LedgerUnavailable {
  return new LedgerUnavailable(
    `ledger ${directory}: ${users} has it open; stop every server, portal and command on it first`,
  );
}

/** Puts a file in the place of a ledger, at one moment; returns the ledger's new name, if any. */
async function replaceBy(copy: string, ledger: string): Promise<string | null> {
  const isEmpty = statSync(ledger).size === 0;
  const replaced = `${ledger}.replaced-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  if (!isEmpty) await link(ledger, replaced);
  // They are left only by a ledger that is damaged.
  await moved(`${ledger}-wal`, `${replaced}-wal`);
  await rm(`${ledger}-shm`, { force: true });
  await rename(copy, ledger);
  return isEmpty ? null : replaced;
}

async function moved(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

/** Waits until a file's contents, or a folder's names, are on disk. */
async function synced(place: string): Promise<void> {
  const handle = await open(place, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
