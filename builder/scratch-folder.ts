import { mkdir, mkdtemp, readdir, rm, rmdir } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { isProcessAlive } from '../shards/store/process-alive.ts';

const PREFIX = 'tta-build-';
/** Of this machine's folders: the name of the process whose each is follows. */
const OURS = `${PREFIX}${hostname()}_`;

/** Works with a new folder to write in, within the one given or the system's, and removes it after. */
export async function inScratchFolder<T>(
  folder: string | undefined,
  work: (scratch: string) => Promise<T>,
): Promise<T> {
  const scratch = await openScratch(folder);
  try {
    return await work(scratch);
  } finally {
    await rm(scratch, { recursive: true, force: true });
    if (folder !== undefined) await removeIfEmpty(folder);
  }
}

/** Removes a folder in which nothing is but the emptied folders of works that were killed. */
async function removeIfEmpty(folder: string): Promise<void> {
  const left = await readdir(folder).catch(() => []);
  for (const name of left.filter((one) => one.startsWith(PREFIX))) {
    await rmdir(path.join(folder, name)).catch(() => {});
  }
  await rmdir(folder).catch(() => {});
}

async function openScratch(folder = tmpdir()): Promise<string> {
  await mkdir(folder, { recursive: true });
  await clearAfterTheDead(folder);
  return mkdtemp(path.join(folder, `${OURS}${process.pid}-`));
}

/** Removes what works of this machine left that were killed; what another user's left stays. */
async function clearAfterTheDead(folder: string): Promise<void> {
  const ours = (await readdir(folder)).filter((name) => name.startsWith(OURS));
  for (const name of ours) {
    if (isProcessAlive(Number.parseInt(name.slice(OURS.length), 10))) continue;
    await rm(path.join(folder, name), { recursive: true, force: true }).catch(() => {});
  }
}
