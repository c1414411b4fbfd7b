import { mkdir, mkdtemp, readdir, rm, rmdir } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { systemCode } from '../shards/error-facts.ts';
import { fullDisk } from '../shards/store/full-disk.ts';
import { isProcessAlive } from '../shards/store/process-alive.ts';

/** Attempts to make a folder that other processes may remove again. */
const TRIES = 100;
/** Prefix of the scratch folders of this machine; the process id of the owner follows. */
const OURS = `tta-build-${hostname()}_`;

/**
 * Runs `work` with a new scratch folder, inside the given folder or the system's, and removes it
 * afterwards. Throws a `StoreError` if the disk becomes full meanwhile.
 */
export async function inScratchFolder<T>(
  folder: string | undefined,
  work: (scratch: string) => Promise<T>,
): Promise<T> {
  const scratch = await openScratch(folder);
  try {
    return await work(scratch);
  } catch (error) {
    throw fullDisk(path.dirname(scratch), error) ?? error;
  } finally {
    await rm(scratch, { recursive: true, force: true });
    if (folder !== undefined) await removeIfUnused(folder);
  }
}

async function openScratch(folder = tmpdir()): Promise<string> {
  await removeAbandonedFolders(folder);
  for (let tries = 1; ; tries++) {
    try {
      await mkdir(folder, { recursive: true });
      return await mkdtemp(path.join(folder, `${OURS}${process.pid}-`));
    } catch (error) {
      // Another process has removed the empty folder meanwhile.
      if (systemCode(error) !== 'ENOENT' || tries === TRIES) throw error;
    }
  }
}

/** Removes a folder if only abandoned scratch folders are in it. */
async function removeIfUnused(folder: string): Promise<void> {
  await removeAbandonedFolders(folder);
  await rmdir(folder).catch(() => {});
}

/** Removes scratch folders left by killed processes of this machine; those of other users stay. */
async function removeAbandonedFolders(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const ours = names.filter((name) => name.startsWith(OURS));
  for (const name of ours) {
    if (isProcessAlive(Number.parseInt(name.slice(OURS.length), 10))) continue;
    await rm(path.join(folder, name), { recursive: true, force: true }).catch(() => {});
  }
}
