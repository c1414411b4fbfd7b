import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { readLatest } from '../../shards/latest.ts';
import { LATEST } from '../../shards/manifest.ts';
import { takeLock } from '../../shards/store/lock-file.ts';
import type { Store, WritableStore } from '../../shards/store/store.ts';
import { BuildError } from '../errors.ts';
import { objectRefsIn } from '../receipts/receipts.ts';
import { findGarbage, type Garbage, type StoredFile } from './garbage.ts';
import { BUILD_LOCK, STORE_FOLDERS } from './output-folder.ts';
import { whileReleasesStay } from './retention-lock.ts';

export interface CollectOptions {
  /** Releases to keep beside the one in force, the newest. */
  readonly keep: number;
  /** What is younger stays. */
  readonly graceHours: number;
  /** Only say what would go. */
  readonly dryRun: boolean;
}

const MS_PER_HOUR = 3_600_000;

/**
 * Removes from a store what no kept release needs, and returns what that was. Refuses while a build
 * writes to the store. Broken off, it leaves a store whose manifests have all their objects.
 */
export async function collectGarbage(
  store: WritableStore,
  { keep, graceHours, dryRun }: CollectOptions,
  now: Date,
): Promise<Garbage> {
  // Before anything is locked: in a folder that is no store nothing is written.
  await readLatest(store);
  const lock = await takeLock(path.join(store.location, BUILD_LOCK));
  if (!lock.taken) {
    throw new BuildError(
      `${store.location}: a build (process ${lock.owner}) is writing to it; wait until it is done`,
    );
  }
  try {
    return await whileReleasesStay(store, async () => {
      const { manifest: current } = await readLatest(store);
      const retention = { current, keep, youngerThanMs: now.getTime() - graceHours * MS_PER_HOUR };
      const garbage = await findGarbage(await storedFiles(store), retention, (file) =>
        namesIn(store, file.name),
      );
      if (!garbage.kept.some(({ name }) => name === current)) {
        throw new BuildError(
          `${store.location}: the manifest in force, ${current}, is missing; promote another release first`,
        );
      }
      if (!dryRun) for (const { name } of garbage.remove) await store.remove(name);
      return garbage;
    });
  } finally {
    await lock.release();
  }
}

/**
 * The files of a store that is a folder, with what killed writers left among them. Not `latest.json`
 * itself, nor locks.
 */
async function storedFiles(store: Store): Promise<StoredFile[]> {
  const files = (await filesIn(store, '')).filter(
    ({ name }) => name.startsWith(LATEST) && name.endsWith('.tmp'),
  );
  for (const folder of STORE_FOLDERS) files.push(...(await filesIn(store, `${folder}/`)));
  return files;
}

/** The files right in a folder of a store; none if there is no such folder. */
export async function filesIn(store: Store, folder: string): Promise<StoredFile[]> {
  const files: StoredFile[] = [];
  const entries = await readdir(path.join(store.location, folder)).catch(noneIfMissing);
  for (const entry of entries.sort()) {
    const info = await stat(path.join(store.location, folder, entry));
    if (!info.isFile() || entry.endsWith('.lock')) continue;
    files.push({ name: `${folder}${entry}`, bytes: info.size, modifiedMs: info.mtimeMs });
  }
  return files;
}

function noneIfMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

/**
 * The objects that a manifest or a receipt names. Whatever its format version: what an older program
 * published is not to be taken apart by this one.
 */
async function namesIn(store: Store, name: string): Promise<string[]> {
  const { bytes } = await store.readWhole(name);
  try {
    const content: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return [...objectRefsIn(content)].map((ref) => ref.name);
  } catch {
    throw new BuildError(
      `${path.join(store.location, name)}: is not JSON, so nobody knows what it needs; remove it and run again`,
    );
  }
}
