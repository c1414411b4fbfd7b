import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { takeLock } from '../../shards/store/lock-file.ts';

/** The sources that a release depends on, besides its inputs. */
const BUILDER = ['builder', 'shards'];
/** Number of versions of a folder that are kept. */
const KEPT = 4;
const POLL_MS = 200;

/**
 * Returns a folder with what `make` wrote into it. The folder is kept between runs as long as the
 * builder and the given sources, folders or files, are unchanged, so tests must only read it.
 * Simultaneous calls make it once.
 */
export async function keptFolder(
  name: string,
  sources: readonly string[],
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const cache = path.resolve('node_modules/.cache', name);
  const kept = path.join(cache, await digestOf([...BUILDER, ...sources, 'package-lock.json']));
  if (existsSync(kept)) return kept;
  await mkdir(cache, { recursive: true });
  const take = () => takeLock(path.join(cache, 'making.lock'));
  let lock = await take();
  while (!lock.taken) {
    await pause(POLL_MS);
    lock = await take();
  }
  try {
    if (existsSync(kept)) return kept;
    const halfMade = `${kept}.half`;
    await rm(halfMade, { recursive: true, force: true });
    await mkdir(halfMade);
    await make(halfMade);
    await rename(halfMade, kept);
    await removeOldest(cache);
    return kept;
  } finally {
    await lock.release();
  }
}

async function removeOldest(cache: string): Promise<void> {
  const entries = await readdir(cache, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory());
  const all = folders.map((entry) => path.join(cache, entry.name));
  const newestFirst = all.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  for (const old of newestFirst.slice(KEPT)) await rm(old, { recursive: true, force: true });
}

async function digestOf(sources: readonly string[]): Promise<string> {
  // Paths are relative, so that copies of the project have the same digest.
  const files = await Promise.all(
    sources.map(async (source) => {
      if (statSync(source).isFile()) return [source];
      const entries = await readdir(source, { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map((e) => path.join(e.parentPath, e.name));
    }),
  );
  const digest = createHash('sha256').update(process.version);
  for (const file of files.flat().sort()) {
    digest.update(`\0${file}\0`).update(await readFile(file));
  }
  return digest.digest('hex');
}
