import { existsSync } from 'node:fs';
import { chmod, mkdir, open, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { systemCode } from '../../../shards/error-facts.ts';
import { LedgerUnavailable } from '../ledger.ts';

/** Mode of the ledger's files: they tell who has what, and hold the secret that signs cursors. */
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const OF_OTHERS = 0o077;
export const DATABASE_FILE = 'ledger.db';
/** The write-ahead log and its index, which are there while a process has the ledger open. */
const LEDGER_FILES = [DATABASE_FILE, `${DATABASE_FILE}-wal`, `${DATABASE_FILE}-shm`];
/** The file of a ledger of LMDB, as versions before the first release had it. */
const LMDB_FILE = 'data.mdb';

/** Whether a folder holds a ledger; one that cannot be looked into does not. */
export function holdsLedger(directory: string): boolean {
  return existsSync(path.join(directory, DATABASE_FILE));
}

/**
 * Makes a ledger's folder, private to its owner. One that is there already, files and all, is made
 * private; but one that holds other things is not ours to close, and refused while others may open it.
 */
export async function claimLedgerFolder(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: PRIVATE_FOLDER });
  const inside = await readdir(directory);
  if (inside.includes(LMDB_FILE)) throw ofLmdb(directory);
  if (await isOpenToOthers(directory)) {
    const foreign = inside.find((name) => !LEDGER_FILES.includes(name));
    if (foreign !== undefined) throw tooOpen(directory, `contains other files, such as ${foreign}`);
    await makePrivate(directory, directory, PRIVATE_FOLDER);
  }
  for (const name of LEDGER_FILES.filter((name) => inside.includes(name))) {
    const file = path.join(directory, name);
    if (await isOpenToOthers(file)) await makePrivate(directory, file, PRIVATE_FILE);
  }
  // SQLite gives its other files the mode of this one.
  await (await open(path.join(directory, DATABASE_FILE), 'a', PRIVATE_FILE)).close();
}

async function isOpenToOthers(place: string): Promise<boolean> {
  return ((await stat(place)).mode & OF_OTHERS) !== 0;
}

async function makePrivate(directory: string, place: string, mode: number): Promise<void> {
  try {
    await chmod(place, mode);
  } catch (error) {
    if (systemCode(error) !== 'EPERM') throw error;
    throw tooOpen(directory, 'belongs to another user');
  }
}

function tooOpen(directory: string, reason: string): LedgerUnavailable {
  const own = path.join(directory, 'ledger');
  return new LedgerUnavailable(
    `ledger ${directory}: other users can open this folder, and it ${reason}; use a dedicated folder for the ledger (sqlite:${own}), or have its owner run chmod 700 on it`,
  );
}

function ofLmdb(directory: string): LedgerUnavailable {
  return new LedgerUnavailable(
    `ledger ${directory}: was written by an earlier version, as LMDB; export it with that version (tta accounts export) and import it into a new folder`,
  );
}
