import { existsSync } from 'node:fs';
import { chmod, mkdir, open, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { systemCode } from '../../../shards/error-facts.ts';
import { LedgerUnavailable } from '../ledger.ts';

/** Mode of the ledger's files: they contain account data and the secret that signs cursors. */
export const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const OF_OTHERS = 0o077;
export const DATABASE_FILE = 'ledger.db';
/**
 * The database; with a suffix, SQLite's files beside it, and what a restoration makes or replaces.
 */
const LEDGER_FILE = /^ledger\.db(?:[.-].+)?$/;

/** Whether a folder contains a ledger; false if it cannot be read. */
export function holdsLedger(directory: string): boolean {
  return existsSync(path.join(directory, DATABASE_FILE));
}

/**
 * Creates a ledger's folder, private to its owner. An existing ledger's folder and files are made
 * private as well; but a folder with other contents is not ours to restrict, and is rejected if
 * other users can open it.
 */
export async function claimLedgerFolder(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: PRIVATE_FOLDER });
  const inside = await readdir(directory);
  if (await isOpenToOthers(directory)) {
    const foreign = inside.find((name) => !LEDGER_FILE.test(name));
    if (foreign !== undefined) throw tooOpen(directory, `contains other files, such as ${foreign}`);
    await makePrivate(directory, directory, PRIVATE_FOLDER);
  }
  for (const name of inside.filter((name) => LEDGER_FILE.test(name))) {
    await makeFilePrivate(directory, path.join(directory, name));
  }
  // SQLite gives its other files the mode of this one.
  await (await open(path.join(directory, DATABASE_FILE), 'a', PRIVATE_FILE)).close();
}

async function isOpenToOthers(place: string): Promise<boolean> {
  return ((await stat(place)).mode & OF_OTHERS) !== 0;
}

/** Makes a file private, unless another process that closed the ledger has removed it meanwhile. */
async function makeFilePrivate(directory: string, file: string): Promise<void> {
  try {
    if (await isOpenToOthers(file)) await makePrivate(directory, file, PRIVATE_FILE);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
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
