import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { LATEST } from '../../shards/manifest.ts';
import { takeLock } from '../../shards/store/lock-file.ts';

/** Of a file on its way into place: `<name>.<UUID>.tmp`. */
const HALF_WRITTEN = /\.[0-9a-f-]{36}\.tmp$/;
/** A lock on its way into place may be of a process that is alive, and is gone in no time. */
const LOCK = /lock\.[0-9a-f-]{36}\.tmp$/;

/**
 * Removes what builds that were killed left half written in some folders of a store. Only for who
 * has claimed the store; `latest.json` may be on its way into place all the same, by a promotion,
 * and is then left alone.
 */
export async function removeLeftovers(store: string, folders: readonly string[]): Promise<void> {
  for (const folder of folders) await removeFrom(path.join(store, folder), () => true);
  const swap = await takeLock(path.join(store, `${LATEST}.lock`));
  if (!swap.taken) return;
  try {
    await removeFrom(store, (entry) => entry.startsWith(LATEST));
  } finally {
    await swap.release();
  }
}

async function removeFrom(folder: string, isOurs: (entry: string) => boolean): Promise<void> {
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const entry of entries) {
    if (!HALF_WRITTEN.test(entry) || LOCK.test(entry) || !isOurs(entry)) continue;
    await rm(path.join(folder, entry), { force: true });
  }
}
