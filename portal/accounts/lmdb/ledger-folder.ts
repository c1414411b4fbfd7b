import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { systemCode } from '../../../shards/error-facts.ts';
import { LedgerUnavailable } from '../ledger.ts';

/** Mode of the ledger's files: they tell who has what, and hold the secret that signs cursors. */
export const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const OF_OTHERS = 0o077;
const LEDGER_FILES = ['data.mdb', 'lock.mdb'];

/** Whether a folder holds a ledger; one that cannot be looked into does not. */
export function holdsLedger(directory: string): boolean {
  return existsSync(path.join(directory, LEDGER_FILES[0]));
}

/**
 * Makes a ledger's folder, private to its owner. One that is there already, files and all, is made
 * private; but one that holds other things is not ours to close, and refused while others may open it.
 */
export async function claimLedgerFolder(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: PRIVATE_FOLDER });
  const inside = await readdir(directory);
  if (await isOpenToOthers(directory)) {
    const foreign = inside.find((name) => !LEDGER_FILES.includes(name));
    if (foreign !== undefined) throw tooOpen(directory, `holds other things, such as ${foreign}`);
    await makePrivate(directory, directory, PRIVATE_FOLDER);
  }
  for (const name of LEDGER_FILES.filter((name) => inside.includes(name))) {
    const file = path.join(directory, name);
    if (await isOpenToOthers(file)) await makePrivate(directory, file, PRIVATE_FILE);
  }
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
    `ledger ${directory}: others may open this folder, and it ${reason}; give the ledger a folder of its own (lmdb:${own}), or have its owner run chmod 700 on it`,
  );
}
