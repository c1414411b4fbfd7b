import { createHash, randomUUID } from 'node:crypto';
import { readSync } from 'node:fs';
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import path from 'node:path';
import { LRUCache } from 'lru-cache';
import { type Content, contentOf } from '../content.ts';
import { StoreError } from '../errors.ts';
import { type Lock, takeLock } from './lock-file.ts';
import type { ObjectRef, WritableStore } from './store.ts';

/** Files kept open between reads. */
const OPEN_FILES = 256;
/**
 * Objects are immutable, so a handle goes stale only when a build mends a damaged one. A reader has
 * the new file after this long, which is what a client that met the damage is told to wait.
 */
const KEEP_OPEN_MS = 5_000;
/**
 * What is read at once. A row that the page cache holds takes some 2 µs so, and by the thread pool
 * seven times the processor time. No more than a disk gives in one go.
 */
const SMALL_BYTES = 4096;
/** A small read that took longer came from the disk: the next ones leave the event loop free. */
const SLOW_MS = 1;
const READS_AFTER_SLOW = 32;

/** A store in a folder of this machine. Writes are fsynced and renamed into place: whole or absent. */
export class FolderStore implements WritableStore {
  readonly location: string;
  /** Evicted files are closed by `dispose`; a read under way keeps its own reference. */
  readonly #files: LRUCache<string, OpenFile>;
  /** Small reads that are still to go by the thread pool. */
  #pooledReads = 0;

  constructor(folder: string, keepOpenMs = KEEP_OPEN_MS) {
    this.location = path.resolve(folder);
    this.#files = new LRUCache({
      max: OPEN_FILES,
      ttl: keepOpenMs,
      ttlResolution: keepOpenMs / 10,
      dispose: (file) => void file.release(),
    });
  }

  async readRange(ref: ObjectRef, offset: number, length: number): Promise<Uint8Array> {
    const file = await this.#open(ref);
    try {
      const buffer = Buffer.allocUnsafeSlow(length);
      const bytesRead =
        length <= SMALL_BYTES && this.#pooledReads === 0
          ? this.#readAtOnce(file, buffer, offset)
          : await this.#readPooled(file, buffer, offset);
      if (bytesRead !== length) {
        throw new StoreError('changed', ref.name, `has no ${length} bytes at ${offset}`);
      }
      return buffer;
    } catch (error) {
      throw this.#explain(ref.name, error);
    } finally {
      file.release();
    }
  }

  #readAtOnce({ handle }: OpenFile, buffer: Uint8Array, offset: number): number {
    const begun = performance.now();
    const bytesRead = readSync(handle.fd, buffer, 0, buffer.length, offset);
    if (performance.now() - begun > SLOW_MS) this.#pooledReads = READS_AFTER_SLOW;
    return bytesRead;
  }

  async #readPooled({ handle }: OpenFile, buffer: Uint8Array, offset: number): Promise<number> {
    if (this.#pooledReads > 0) this.#pooledReads--;
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, offset);
    return bytesRead;
  }

  async readWhole(name: string): Promise<{ bytes: Uint8Array; identity: string }> {
    try {
      const bytes = await readFile(this.#path(name));
      return { bytes, identity: identityOf(bytes) };
    } catch (error) {
      throw this.#explain(name, error);
    }
  }

  async putIfAbsent(name: string, object: Content | Uint8Array): Promise<'written' | 'present'> {
    const content = object instanceof Uint8Array ? contentOf(object) : object;
    const target = this.#path(name);
    if (await holds(target, content)) return 'present';
    await this.#writeWhole(name, content);
    return 'written';
  }

  async putConditional(name: string, bytes: Uint8Array, expected: string | null): Promise<string> {
    let lock: Lock;
    try {
      const file = this.#path(`${name}.lock`);
      await mkdir(path.dirname(file), { recursive: true });
      lock = await takeLock(file);
    } catch (error) {
      throw this.#explain(name, error);
    }
    if (!lock.taken) {
      throw new StoreError('conflict', name, `is being replaced by process ${lock.owner}`);
    }
    try {
      const current = await this.readWhole(name).catch((error) => {
        if (error instanceof StoreError && error.failure === 'missing') return null;
        throw error;
      });
      if ((current?.identity ?? null) !== expected) {
        throw new StoreError('conflict', name, 'was replaced by somebody else in the meantime');
      }
      await this.#writeWhole(name, contentOf(bytes));
      return identityOf(bytes);
    } finally {
      await lock.release();
    }
  }

  async list(prefix: string): Promise<{ name: string; bytes: number }[]> {
    const folder = path.dirname(`${prefix}x`);
    let entries: string[];
    try {
      entries = await readdir(this.#path(folder));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw this.#explain(prefix, error);
    }
    const names = entries
      .map((entry) => path.posix.join(folder, entry))
      .filter((name) => name.startsWith(prefix) && !isScratch(name))
      .sort();
    const found: { name: string; bytes: number }[] = [];
    for (const name of names) {
      const info = await stat(this.#path(name));
      if (info.isFile()) found.push({ name, bytes: info.size });
    }
    return found;
  }

  async remove(name: string): Promise<void> {
    await rm(this.#path(name), { force: true });
  }

  async close(): Promise<void> {
    this.#files.clear();
  }

  #path(name: string): string {
    return path.join(this.location, name);
  }

  async #open(ref: ObjectRef): Promise<OpenFile> {
    const cached = this.#files.get(ref.name);
    if (cached?.retain()) return cached;
    let handle: FileHandle;
    try {
      handle = await open(this.#path(ref.name), 'r');
    } catch (error) {
      throw this.#explain(ref.name, error);
    }
    const { size } = await handle.stat();
    if (size !== ref.bytes) {
      await handle.close();
      throw new StoreError(
        'changed',
        ref.name,
        `has ${size} bytes; its manifest says ${ref.bytes}: build the release again`,
      );
    }
    const file = new OpenFile(handle);
    file.retain();
    this.#files.set(ref.name, file);
    return file;
  }

  async #writeWhole(name: string, content: Content): Promise<void> {
    const target = this.#path(name);
    const scratch = `${target}.${randomUUID()}.tmp`;
    try {
      await mkdir(path.dirname(target), { recursive: true });
      const handle = await open(scratch, 'wx');
      try {
        for await (const chunk of content.chunks()) await handle.writeFile(chunk);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(scratch, target);
      this.#files.delete(name);
    } catch (error) {
      await rm(scratch, { force: true }).catch(() => {});
      throw this.#explain(name, error);
    }
  }

  #explain(name: string, error: unknown): StoreError {
    if (error instanceof StoreError) return error;
    const { code, message } = error as NodeJS.ErrnoException;
    const where = this.#path(name);
    const cause = { cause: error };
    if (code === 'ENOENT') return new StoreError('missing', where, 'no such object', cause);
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      return new StoreError(
        'full',
        where,
        'the disk is full: free some space and run again',
        cause,
      );
    }
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
      return new StoreError('unavailable', where, 'permission denied', cause);
    }
    if (code === 'ENOTDIR' || code === 'EEXIST') {
      return new StoreError(
        'unavailable',
        where,
        'a file stands where the store needs a folder',
        cause,
      );
    }
    return new StoreError('unavailable', where, message ?? String(error), cause);
  }
}

/** A file handle that closes when the cache and the last read have let go of it. */
class OpenFile {
  readonly handle: FileHandle;
  #holders = 1;

  constructor(handle: FileHandle) {
    this.handle = handle;
  }

  retain(): boolean {
    if (this.#holders === 0) return false;
    this.#holders++;
    return true;
  }

  release(): void {
    if (--this.#holders === 0) void this.handle.close();
  }
}

/** Whether a file has this content. One that cannot be read has not. */
async function holds(file: string, content: Content): Promise<boolean> {
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

function identityOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function isScratch(name: string): boolean {
  return name.endsWith('.tmp') || name.endsWith('.lock');
}
