import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import {
  COUNTY_OBJECT_KINDS,
  LATEST,
  RELEASE_OBJECT_KINDS,
  STATE_OBJECT_KINDS,
} from '../../shards/manifest.ts';
import { takeLock } from '../../shards/store/lock-file.ts';
import { BuildError } from '../errors.ts';
import { unreadable } from '../inputs/fingerprint.ts';
import { removeLeftovers } from './leftovers.ts';

/** Held by the build that writes to a folder. */
export const BUILD_LOCK = '.build-lock';
/** Where a build into a folder keeps what it does not publish. */
export const SCRATCH = '.build-scratch';
/** The folders of a store. */
export const STORE_FOLDERS: readonly string[] = [
  ...COUNTY_OBJECT_KINDS,
  ...STATE_OBJECT_KINDS,
  ...RELEASE_OBJECT_KINDS,
  ...['tiles', 'manifests', 'published', 'receipts', 'regions', SCRATCH],
];

/**
 * Claims a folder for one build: creates it if need be, refuses one that holds anything but a
 * store, or an input, or that another build is writing to; clears away what a build that was killed
 * left half written. Returns what releases the claim.
 */
export async function claimOutputFolder(
  folder: string,
  inputs: readonly string[],
): Promise<() => Promise<void>> {
  for (const input of inputs) {
    const relative = path.relative(folder, input);
    if (!relative.startsWith('..') && !path.isAbsolute(relative)) {
      throw new BuildError(`${folder}: holds the input ${input}; give --out a folder of its own`);
    }
  }
  try {
    await mkdir(folder, { recursive: true });
    const strangers = (await readdir(folder)).filter(
      (entry) =>
        !STORE_FOLDERS.includes(entry) &&
        ![LATEST, BUILD_LOCK].some((name) => entry.startsWith(name)),
    );
    if (strangers.length > 0) {
      throw new BuildError(
        `${folder}: is not a store: it holds ${strangers.slice(0, 3).join(', ')}; give --out an empty folder or a store`,
      );
    }
  } catch (error) {
    if (error instanceof BuildError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new BuildError(`${folder}: is a file; give --out a folder`);
    }
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') {
      throw new BuildError(`${folder}: leads through a file; give --out a folder`);
    }
    throw unreadable(folder, error);
  }
  const release = await lock(path.join(folder, BUILD_LOCK), folder);
  try {
    await removeLeftovers(folder, STORE_FOLDERS);
    return release;
  } catch (error) {
    await release();
    throw unreadable(folder, error);
  }
}

async function lock(file: string, folder: string): Promise<() => Promise<void>> {
  try {
    const taken = await takeLock(file);
    if (taken.taken) return taken.release;
    throw new BuildError(
      `${folder}: another build (process ${taken.owner}) is writing to it; wait for it, or give another --out`,
    );
  } catch (error) {
    if (error instanceof BuildError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') {
      throw new BuildError(`${folder}: the disk is full; free some space and run again`);
    }
    throw unreadable(file, error);
  }
}
