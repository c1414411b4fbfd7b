import { mkdir, mkdtemp, readdir, rm, rmdir } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { fullDisk } from '../shards/store/full-disk.ts';
import { isProcessAlive } from '../shards/store/process-alive.ts';

const PREFIX = 'tta-build-';
/** Prefix of the scratch folders of this machine; the process id of the owner follows. */
const OURS = `${PREFIX}${hostname()}_`;

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
    if (folder !== undefined) await removeIfEmpty(folder);
  }
}

/** Removes a folder if it is empty except for the emptied scratch folders of killed processes. */
async function removeIfEmpty(folder: string): Promise<void> {
  const left = await readdir(folder).catch(() => []);
  for (const name of left.filter((one) => one.startsWith(PREFIX))) {
    await rmdir(path.join(folder, name)).catch(() => {});
  }
  await rmdir(folder).catch(() => {});
}

async function openScratch(folder = tmpdir()): Promise<string> {
  await mkdir(folder, { recursive: true });
  await removeAbandonedFolders(folder);
  return mkdtemp(path.join(folder, `${OURS}${process.pid}-`));
}

/** Removes scratch folders left by killed processes of this machine; those of other users stay. */
async function removeAbandonedFolders(folder: string): Promise<void> {
  const ours = (await readdir(folder)).filter((name) => name.startsWith(OURS));
  for (const name of ours) {
    if (isProcessAlive(Number.parseInt(name.slice(OURS.length), 10))) continue;
    await rm(path.join(folder, name), { recursive: true, force: true }).catch(() => {});
  }
}
