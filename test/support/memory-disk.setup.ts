import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Linux's file system in memory. */
const MEMORY = '/dev/shm';
/** Free bytes that the temporary folders of tests and their processes need. */
const ROOM_BYTES = 4e9;
/** Matches Linux's list of mounts if no program may run from there, as tests do. */
const RUNS_NOTHING = /^\S+ \/dev\/shm \S+ \S*\bnoexec\b/m;

/**
 * Keeps the temporary folders of tests in memory, if there is room: stores and ledgers wait for
 * the disk at each write, and one disk would serve all processes. Tools that tests install stay in
 * the system's own folder (`TOOLS_FOLDER`).
 */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  // Each project of a run calls this.
  if (process.env.TOOLS_FOLDER !== undefined || !existsSync(MEMORY)) return;
  const { bavail, bsize } = await statfs(MEMORY);
  if (Math.min(bavail * bsize, process.availableMemory()) < ROOM_BYTES) return;
  if (RUNS_NOTHING.test(await readFile('/proc/mounts', 'utf8'))) return;
  process.env.TOOLS_FOLDER = tmpdir();
  const folder = await mkdtemp(path.join(MEMORY, 'tta-'));
  // Some servers of tests run as another user.
  await chmod(folder, 0o1777);
  process.env.TMPDIR = folder;
  return () => rm(folder, { recursive: true, force: true });
}
