import { createHash, randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { systemCode } from '../error-facts.ts';
import type { Millis } from '../units.ts';
import { type HeldLock, LOCK_LAPSES_MS, RENEWALS, type TakenLock } from './held-locks.ts';
import { ownProcessName, processState, shownProcess } from './process-name.ts';

/** A lock file not yet linked into place: `<lock>.<process>.<UUID>.tmp`. */
const HALF_LOCK = /[.-]lock\.(\d+_[\w.-]+)\.[0-9a-f-]{36}\.tmp$/;
/** The suffix of the name of a takeover lock. */
const TAKEOVER = /\.[0-9a-f]{16}\.lock$/;

/** Contents of this process's lock files, which another part of it may hold. */
const own = new Set<string>();

/**
 * Takes a lock between processes: a file that names its owner. It is linked into place complete, so
 * a lock without an owner is never seen. The lock of a dead owner is taken over by one contender,
 * the owner of the takeover lock; that of an owner in another container or on another machine, once
 * it lapses. File system errors are passed on.
 */
export async function takeLock(file: string): Promise<TakenLock> {
  const content = `${ownProcessName()} ${randomUUID()}`;
  const scratch = `${file}.${ownProcessName()}.${randomUUID()}.tmp`;
  let taken = false;
  own.add(content);
  try {
    await writeFile(scratch, content);
    for (;;) {
      taken = await isLinked(scratch, file);
      if (taken) return held(file, content);
      const theirs = await contentOf(file);
      if (theirs === null) continue;
      if (await isAlive(theirs, file))
        return { taken: false, owner: await shownOwner(theirs, file) };
      const succession = await takeLock(takeoverOf(file, theirs));
      if (!succession.taken) return succession;
      try {
        if ((await contentOf(file)) !== theirs) continue;
        await rename(scratch, file);
        taken = true;
        return held(file, content);
      } finally {
        await succession.release();
      }
    }
  } finally {
    if (!taken) own.delete(content);
    await rm(scratch, { force: true });
  }
}

export async function isLocked(file: string): Promise<boolean> {
  const content = await contentOf(file);
  return content !== null && (await isAlive(content, file));
}

/** Whether a file is a lock that a live process is putting into place. */
export async function isLockUnderWay(file: string): Promise<boolean> {
  const half = HALF_LOCK.exec(file);
  return half !== null && (await isRunning(half[1], file));
}

function held(file: string, content: string): HeldLock {
  let renewedMs = performance.now();
  const isOurs = async () => (await contentOf(file)) === content;
  const renew = async () => {
    if (!(await isOurs())) return false;
    const now = new Date();
    await utimes(file, now, now);
    renewedMs = performance.now();
    return true;
  };
  // If this fails, the next renewal may succeed, or the lock lapses.
  const timer = setInterval(() => void renew().catch(() => {}), LOCK_LAPSES_MS / RENEWALS);
  timer.unref();
  return {
    taken: true,
    async isHeld() {
      return performance.now() - renewedMs < LOCK_LAPSES_MS / 2 || renew();
    },
    async release() {
      clearInterval(timer);
      try {
        if (await isOurs()) await rm(file, { force: true });
      } finally {
        // If the file could not be removed, it is no longer a lock all the same.
        own.delete(content);
      }
    },
  };
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

function ownerOf(content: string): string {
  return content.split(' ')[0];
}

async function isAlive(content: string, file: string): Promise<boolean> {
  const owner = ownerOf(content);
  return owner === ownProcessName() ? own.has(content) : isRunning(owner, file);
}

/**
 * Whether the process that keeps a file is running or, if it cannot be seen, renews the file. A
 * file that names none was damaged when its owner died.
 */
async function isRunning(owner: string, file: string): Promise<boolean> {
  const state = processState(owner);
  return state === 'unseen' ? (await lapsesIn(file)) > 0 : state === 'running';
}

/** Time until the lock of an owner that cannot be seen lapses; not positive if it has. */
async function lapsesIn(file: string): Promise<Millis> {
  try {
    // A time in the future is of a clock that was set back since.
    const agoMs = Math.abs(Date.now() - (await stat(file)).mtimeMs);
    return LOCK_LAPSES_MS - agoMs;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return 0;
    throw error;
  }
}

async function shownOwner(content: string, file: string): Promise<string> {
  const owner = ownerOf(content);
  const shown = shownProcess(owner);
  if (processState(owner) !== 'unseen') return shown;
  const seconds = Math.max(1, Math.ceil((await lapsesIn(file)) / 1_000));
  return `${shown}, whose lock lapses in ${seconds} s if it has ended`;
}

/**
 * The lock to hold while a lock with this content is taken over. Its name has one suffix at most,
 * so it stays short however many owners die while they take over.
 */
function takeoverOf(file: string, content: string): string {
  const lock = `${path.basename(file)} ${content}`;
  const digest = createHash('sha256').update(lock).digest('hex').slice(0, 16);
  return `${file.replace(TAKEOVER, '')}.${digest}.lock`;
}
