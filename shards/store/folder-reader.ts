import { createHash } from 'node:crypto';
import { readSync } from 'node:fs';
import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { LRUCache } from 'lru-cache';
import { messageOf, systemCode } from '../error-facts.ts';
import { StoreError } from '../errors.ts';
import type { ObjectRef, ObjectStat, Store, StoredObject } from './store.ts';

const OPEN_FILES = 256;
/**
 * Objects are immutable, so a handle goes stale only when a build repairs a damaged one. A reader
 * reopens the file after this interval, which is also the `Retry-After` of responses that fail due
 * to the damage. Frequently read files are reopened halfway through, concurrently with reads, which
 * never wait.
 */
const KEEP_OPEN_MS = 5_000;
/**
 * Largest synchronous read. A row in the page cache takes about 2 µs this way, and seven times the
 * CPU time through the thread pool; a read of this size takes about 5 µs. A disk delivers as much
 * in one operation.
 */
const SMALL_BYTES = 32_768;
/**
 * A small read that took longer came from the disk: the next ones use the thread pool, leaving the
 * event loop free.
 */
const SLOW_MS = 1;
const READS_AFTER_SLOW = 32;

export class FolderReader implements Store {
  readonly location: string;
  /** Evicted files are closed by `dispose`; a read under way keeps its own reference. */
  readonly #files: LRUCache<string, OpenFile>;
  readonly #keepOpenMs: number;
  #pooledReads = 0;
  #isClosed = false;

  constructor(folder: string, keepOpenMs = KEEP_OPEN_MS) {
    this.location = path.resolve(folder);
    this.#keepOpenMs = keepOpenMs;
    this.#files = new LRUCache({
      max: OPEN_FILES,
      ttl: keepOpenMs,
      ttlResolution: keepOpenMs / 10,
      dispose: (file) => void file.release(),
    });
  }

  async presignedUrl(): Promise<null> {
    return null;
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
      throw this.explain(ref.name, error);
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
      const bytes = await readFile(this.pathOf(name));
      return { bytes, identity: identityOf(bytes) };
    } catch (error) {
      throw this.explain(name, error);
    }
  }

  /** Returns no hash, since a folder does not record hashes. */
  async stat(name: string): Promise<ObjectStat | null> {
    const found = await this.stored(name);
    return found && { bytes: found.bytes, sha256: null };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#files.clear();
  }

  protected async stored(name: string): Promise<StoredObject | null> {
    try {
      const info = await stat(this.pathOf(name));
      return info.isFile() ? { name, bytes: info.size, modifiedMs: info.mtimeMs } : null;
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return null;
      throw this.explain(name, error);
    }
  }

  /** Throws a `StoreError` for a name that escapes the folder. */
  protected pathOf(name: string): string {
    if (name.split(/[/\\]/).includes('..')) {
      throw new StoreError(
        'unavailable',
        name,
        'is no name of an object: it leads out of the store',
      );
    }
    return path.join(this.location, name);
  }

  async #open(ref: ObjectRef): Promise<OpenFile> {
    const known = this.#files.get(ref.name);
    if (known?.retain()) {
      if (known.isDue(performance.now())) void this.#renew(ref, known);
      return known;
    }
    const file = await this.#openFile(ref);
    // A read that outlasts the store is the only holder of its file.
    if (this.#isClosed) return file;
    file.retain();
    this.#files.set(ref.name, file);
    return file;
  }

  /**
   * Reopens a file for later reads. Errors are ignored: they surface in the read that has to open
   * the file.
   */
  async #renew(ref: ObjectRef, known: OpenFile): Promise<void> {
    const file = await this.#openFile(ref).catch(() => null);
    if (file === null) return;
    // If the file was evicted meanwhile, the new handle may be out of date.
    if (this.#files.peek(ref.name) === known) this.#files.set(ref.name, file);
    else file.release();
  }

  async #openFile(ref: ObjectRef): Promise<OpenFile> {
    let handle: FileHandle;
    try {
      handle = await open(this.pathOf(ref.name), 'r');
    } catch (error) {
      throw this.explain(ref.name, error);
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
    return new OpenFile(handle, performance.now() + this.#keepOpenMs / 2);
  }

  protected forget(name: string): void {
    this.#files.delete(name);
  }

  protected explain(name: string, error: unknown): StoreError {
    if (error instanceof StoreError) return error;
    const code = systemCode(error);
    const where = this.pathOf(name);
    const cause = { cause: error };
    if (code === 'ENOENT') return new StoreError('missing', where, 'no such object', cause);
    const full = fullDisk(where, error);
    if (full) return full;
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
      return new StoreError('refused', where, 'permission denied', cause);
    }
    if (code === 'ENOTDIR' || code === 'EEXIST') {
      return new StoreError(
        'unavailable',
        where,
        'is a file, or leads through one; a store needs a folder',
        cause,
      );
    }
    return new StoreError('unavailable', where, messageOf(error), cause);
  }
}

/** A file handle that closes once the cache and the last read have released it. */
class OpenFile {
  readonly handle: FileHandle;
  #dueMs: number;
  #holders = 1;

  constructor(handle: FileHandle, dueMs: number) {
    this.handle = handle;
    this.#dueMs = dueMs;
  }

  /** Whether it is time to reopen the file; returns true only once. */
  isDue(nowMs: number): boolean {
    if (nowMs < this.#dueMs) return false;
    this.#dueMs = Number.POSITIVE_INFINITY;
    return true;
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

/** The identity for conditional puts: the SHA-256, hex. */
export function identityOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The error for a write that failed since the disk at `where` is full; null for other failures. */
export function fullDisk(where: string, error: unknown): StoreError | null {
  const code = systemCode(error);
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return null;
  const advice = 'the disk is full: free some space and run again';
  return new StoreError('full', where, advice, { cause: error });
}
