import { mkdir, mkdtemp, readdir, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const PREFIX = 'tta-build-';

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
  return mkdtemp(path.join(folder, PREFIX));
}
