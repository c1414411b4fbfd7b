import { mkdir, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemCode } from '../shards/error-facts.ts';
import { fullDisk } from '../shards/store/folder-reader.ts';
import { makeOwnFolder, removeAbandonedFolders } from '../shards/store/process-name.ts';

/** Attempts to make a folder that other processes may remove again. */
const TRIES = 100;
const PREFIX = 'tta-build-';

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
  await removeAbandonedFolders(folder, PREFIX);
  for (let tries = 1; ; tries++) {
    try {
      await mkdir(folder, { recursive: true });
      return await makeOwnFolder(folder, PREFIX);
    } catch (error) {
      // Another process has removed the empty folder meanwhile.
      if (systemCode(error) !== 'ENOENT' || tries === TRIES) throw error;
    }
  }
}

/** Removes a folder if only abandoned scratch folders are in it. */
async function removeIfUnused(folder: string): Promise<void> {
  await removeAbandonedFolders(folder, PREFIX);
  await rmdir(folder).catch(() => {});
}
