import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { systemCode } from '../error-facts.ts';
import { nullIfMissing, StoreError } from '../errors.ts';
import { FolderReader, identityOf } from './folder-reader.ts';
import { HeldLocks, LOCK_LAPSES_MS } from './held-locks.ts';
import { isLocked, isLockUnderWay, takeLock } from './lock-file.ts';
import { type PutBody, putBodyOf } from './put-body.ts';
import { LOCK_NAME, type Lock, type StoredObject, type WritableStore } from './store.ts';

/** Folder of the unpublished files of a build into this store. */
const SCRATCH = '.build-scratch';
/** A file not yet renamed into place: `<name>.<UUID>.tmp`. */
const HALF_WRITTEN = /\.[0-9a-f-]{36}\.tmp$/;
/**
 * The lock that is held while a dead owner's lock is taken over; its own owner may have died too.
 */
const SUCCESSION = /[.-]lock\.[0-9a-f]{16}\.lock$/;

/**
 * A store in a local folder. Writes are fsynced and renamed into place: whole or absent. Locks are
 * files that name a process.
 */
export class FolderStore extends FolderReader implements WritableStore {
  readonly #locks = new HeldLocks(LOCK_LAPSES_MS);

  get scratch(): string {
    return this.pathOf(SCRATCH);
  }

  holdsFile(file: string): boolean {
    const relative = path.relative(this.location, path.resolve(file));
    return relative.split(path.sep)[0] !== '..' && !path.isAbsolute(relative);
  }

  /** Lists everything but the scratch folder, which is not published. */
  async topNames(): Promise<string[]> {
    return (await this.#entries('')).filter((name) => name !== SCRATCH);
  }

  async putContent(name: string, object: PutBody | Uint8Array): Promise<'written' | 'present'> {
    const content = object instanceof Uint8Array ? putBodyOf(object) : object;
    if (await holds(this.pathOf(name), content)) return 'present';
    await this.#writeWhole(name, content);
    return 'written';
  }

  async putConditional(name: string, bytes: Uint8Array, expected: string | null): Promise<string> {
    const lock = await this.lock(lockOf(name));
    if (!lock.taken) throw new StoreError('conflict', name, `is being replaced by ${lock.owner}`);
    try {
      const current = await nullIfMissing(this.readWhole(name));
      if ((current?.identity ?? null) !== expected) {
        throw new StoreError('conflict', name, 'was replaced by another process in the meantime');
      }
      await this.#writeWhole(name, putBodyOf(bytes));
      return identityOf(bytes);
    } finally {
      await lock.release();
    }
  }

  list(prefix: string): Promise<StoredObject[]> {
    return this.#find(prefix, (name) => !HALF_WRITTEN.test(name) && !LOCK_NAME.test(name));
  }

  async leftovers(prefix: string): Promise<StoredObject[]> {
    const found = await this.#find(
      prefix,
      (name) => SUCCESSION.test(name) || HALF_WRITTEN.test(name),
    );
    if (prefix === '') {
      const recursive = true;
      found.push(...(await this.#find(`${SCRATCH}/`, () => true, { recursive })));
    }
    // A mutable object may be half-written by a live writer, which holds only that object's lock.
    const underWay = await Promise.all(
      found.map(
        async ({ name }) =>
          (await isLockUnderWay(this.pathOf(name))) || isLocked(this.pathOf(lockOver(name))),
      ),
    );
    return found.filter((_, i) => !underWay[i]);
  }

  async remove(name: string): Promise<void> {
    try {
      await this.#locks.require();
      await rm(this.pathOf(name), { force: true });
      this.forget(name);
    } catch (error) {
      throw this.explain(name, error);
    }
  }

  async lock(name: string): Promise<Lock> {
    const file = this.pathOf(name);
    try {
      await mkdir(path.dirname(file), { recursive: true });
      const lock = await takeLock(file);
      if (!lock.taken) return lock;
      const release = () =>
        lock.release().catch((error) => {
          throw this.explain(name, error);
        });
      return this.#locks.keep(name, { ...lock, release });
    } catch (error) {
      throw this.explain(name, error);
    }
  }

  async #find(
    prefix: string,
    isWanted: (name: string) => boolean,
    depth = { recursive: false },
  ): Promise<StoredObject[]> {
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
    const names = (await this.#entries(folder, depth))
      .map((entry) => `${folder}${entry}`)
      .filter((name) => name.startsWith(prefix) && isWanted(name));
    const found: StoredObject[] = [];
    for (const name of names.sort()) {
      const object = await this.stored(name);
      if (object) found.push(object);
    }
    return found;
  }

  /** Lists a folder of the store recursively; empty if there is no such folder. */
  async #entries(folder: string, depth = { recursive: false }): Promise<string[]> {
    try {
      return await readdir(this.pathOf(folder), depth);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return [];
      throw this.explain(folder, error);
    }
  }

  async #writeWhole(name: string, content: PutBody): Promise<void> {
    const target = this.pathOf(name);
    const scratch = `${target}.${randomUUID()}.tmp`;
    try {
      await this.#locks.require();
      await mkdir(path.dirname(target), { recursive: true });
      const handle = await open(scratch, 'wx');
      try {
        for await (const chunk of content.chunks()) await handle.writeFile(chunk);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(scratch, target);
      this.forget(name);
    } catch (error) {
      await rm(scratch, { force: true }).catch(() => {});
      throw this.explain(name, error);
    }
  }
}

function lockOver(name: string): string {
  return SUCCESSION.test(name) ? name : lockOf(name.replace(HALF_WRITTEN, ''));
}

function lockOf(name: string): string {
  return `${name}.lock`;
}

/** Whether a file has this content; false if it cannot be read. */
async function holds(file: string, content: PutBody): Promise<boolean> {
  let handle: FileHandle | null = null;
  try {
    handle = await open(file, 'r');
    if ((await handle.stat()).size !== content.bytes) return false;
    let at = 0;
    for await (const chunk of content.chunks()) {
      const there = Buffer.allocUnsafe(chunk.length);
      const { bytesRead } = await handle.read(there, 0, chunk.length, at);
      if (bytesRead !== chunk.length || !there.equals(chunk)) return false;
      at += bytesRead;
    }
    return true;
  } catch {
    return false;
  } finally {
    await handle?.close();
  }
}
