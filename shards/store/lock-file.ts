import { createHash, randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { systemCode } from '../error-facts.ts';
import { isProcessAlive } from './process-alive.ts';

/** An acquired lock, or the process that holds it. */
export type FileLock =
  | { readonly taken: true; release(): Promise<void> }
  | { readonly taken: false; readonly owner: number };

/** A lock file not yet linked into place: `<lock>.<process>.<UUID>.tmp`. */
const HALF_LOCK = /[.-]lock\.(\d+)\.[0-9a-f-]{36}\.tmp$/;

/** Contents of this process's lock files: an earlier process may have had the same id. */
const own = new Set<string>();

/**
 * Takes a lock between processes of this machine: a file that names its owner. It is linked into
 * place complete, so a lock without an owner is never seen. The lock of a dead owner is taken over
 * by one contender, the owner of the takeover lock. File system errors are passed on.
 */
export async function takeLock(file: string): Promise<FileLock> {
  const content = `${process.pid} ${randomUUID()}`;
  const scratch = `${file}.${process.pid}.${randomUUID()}.tmp`;
  const release = async () => {
    await rm(file, { force: true });
    own.delete(content);
  };
  let taken = false;
  own.add(content);
  try {
    await writeFile(scratch, content);
    for (;;) {
      taken = await isLinked(scratch, file);
      if (taken) return { taken: true, release };
      const theirs = await contentOf(file);
      if (theirs === null) continue;
      if (isAlive(theirs)) return { taken: false, owner: ownerOf(theirs) };
      const succession = await takeLock(`${file}.${digestOf(theirs)}.lock`);
      if (!succession.taken) return succession;
      try {
        if ((await contentOf(file)) !== theirs) continue;
        await rename(scratch, file);
        taken = true;
        return { taken: true, release };
      } finally {
        await succession.release();
      }
    }
  } finally {
    if (!taken) own.delete(content);
    await rm(scratch, { force: true });
  }
}

/** Whether a live process holds this lock. */
export async function isLocked(file: string): Promise<boolean> {
  const content = await contentOf(file);
  return content !== null && isAlive(content);
}

/** Whether a file name is that of a lock being put into place by a live process. */
export function isLockUnderWay(name: string): boolean {
  const half = HALF_LOCK.exec(name);
  return half !== null && isProcessAlive(Number(half[1]));
}

async function isLinked(scratch: string, file: string): Promise<boolean> {
  try {
    await link(scratch, file);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function contentOf(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function ownerOf(content: string): number {
  return Number(content.split(' ')[0]);
}

function isAlive(content: string): boolean {
  const pid = ownerOf(content);
  if (!Number.isInteger(pid) || pid <= 0) return false;
  if (pid === process.pid) return own.has(content);
  return isProcessAlive(pid);
}

function digestOf(content: string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}
