import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';

/** A lock that was taken, or the process that has it. */
export type Lock =
  | { readonly taken: true; release(): Promise<void> }
  | { readonly taken: false; readonly owner: number };

/**
 * Takes a lock between processes of this machine: a file that names its owner. It is linked into
 * place with its content, so nobody ever sees one that does not say whose it is; one whose owner
 * has died is taken over. Errors of the file system are passed on.
 */
export async function takeLock(file: string): Promise<Lock> {
  const scratch = `${file}.${randomUUID()}.tmp`;
  try {
    await writeFile(scratch, String(process.pid));
    await link(scratch, file);
    return { taken: true, release: () => rm(file, { force: true }) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(scratch, { force: true });
  }
  const owner = Number(await readFile(file, 'utf8').catch(() => ''));
  if (isAlive(owner)) return { taken: false, owner };
  await rm(file, { force: true });
  return takeLock(file);
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
