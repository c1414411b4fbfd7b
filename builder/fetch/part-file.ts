import {
  type FileHandle,
  open,
  readFile,
  rename,
  rm,
  stat,
  statfs,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { TransientError } from '../../shards/concurrency/retry.ts';
import type { Bytes } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { makeFolderOf, unwritable } from './fetch-folder.ts';
import { tooLarge } from './http.ts';

const versionSchema = z.object({
  url: z.string(),
  etag: z.string().nullable(),
  last_modified: z.string().nullable(),
  /** Null: the server did not say. */
  bytes: z.number().nullable(),
});

/** Which version of a file bytes belong to, in the words of its server. */
export type Version = z.infer<typeof versionSchema>;

/**
 * A file on its way: `FILE.part`, and beside it, in `FILE.part.json`, which version its bytes are
 * of. What survives a crash is good for going on: the version is written before the first byte.
 */
export class PartFile {
  /** Where it will be. */
  readonly target: string;
  readonly path: string;
  #version: Version | null;
  #size: Bytes;

  private constructor(target: string, version: Version | null, size: Bytes) {
    this.target = target;
    this.path = `${target}.part`;
    this.#version = version;
    this.#size = size;
  }

  /** The part of `url` that is on disk; an empty one where there is none, or of another address. */
  static async open(target: string, url: string): Promise<PartFile> {
    const version = await readVersion(`${target}.part.json`);
    if (version?.url !== url) return new PartFile(target, null, 0);
    const size = await stat(`${target}.part`).then(
      (found) => found.size,
      () => 0,
    );
    return new PartFile(target, version, size);
  }

  get size(): Bytes {
    return this.#size;
  }

  get version(): Version | null {
    return this.#version;
  }

  /**
   * What asks for the rest, given the file has not changed (RFC 9110, 13.1.5); null when there is
   * nothing to go on from. A weak ETag does not promise equal bytes, so it will not do.
   */
  resumeHeaders(): Record<string, string> | null {
    if (this.#version === null || this.#size === 0) return null;
    const { etag, last_modified } = this.#version;
    const validator = etag !== null && !etag.startsWith('W/') ? etag : last_modified;
    if (validator === null) return null;
    return { range: `bytes=${this.#size}-`, 'if-range': validator };
  }

  /** Throws away what is there; what comes is of this version. A `BuildError` where it has no room. */
  async restart(version: Version): Promise<void> {
    await makeFolderOf(this.target);
    await this.discard();
    await requireRoom(this.target, version);
    await this.#local(() => writeFile(`${this.path}.json`, JSON.stringify(version)));
    this.#version = version;
  }

  /**
   * Appends a body. What came of one that breaks off is kept. A file longer or shorter than its
   * server said is a `TransientError`, and one over `maxBytes` a `BuildError`: what is too much is not
   * written.
   */
  async append(
    body: AsyncIterable<Uint8Array>,
    maxBytes: Bytes,
    onBytes: (count: Bytes) => void,
  ): Promise<void> {
    const said = this.#version?.bytes ?? maxBytes;
    const file = await this.#local(() => open(this.path, 'a'));
    try {
      for await (const chunk of body) {
        if (this.#size + chunk.length > said) throw await this.#excess(maxBytes);
        await this.#local(() => writeAll(file, chunk));
        this.#size += chunk.length;
        onBytes(chunk.length);
      }
    } finally {
      await file.close();
    }
    const bytes = this.#version?.bytes ?? this.#size;
    if (this.#size < bytes) {
      throw new TransientError(`was interrupted after ${this.#size} of ${bytes} bytes`);
    }
  }

  /** The error for a body that does not end. */
  async #excess(maxBytes: Bytes): Promise<Error> {
    const { url = '', bytes = null } = this.#version ?? {};
    await this.discard();
    if (bytes === null) return tooLarge(url, maxBytes);
    return new TransientError(`sent more than the announced ${bytes} bytes`);
  }

  /** Whole: puts it in its place. */
  async finish(): Promise<void> {
    await this.#local(() => rename(this.path, this.target));
    await rm(`${this.path}.json`, { force: true });
  }

  async discard(): Promise<void> {
    await rm(this.path, { force: true });
    await rm(`${this.path}.json`, { force: true });
    this.#version = null;
    this.#size = 0;
  }

  /** Tells errors of the disk from those of the connection. */
  async #local<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw unwritable(this.path, error);
    }
  }
}

async function requireRoom(target: string, { url, bytes }: Version): Promise<void> {
  if (bytes === null) return;
  const folder = path.dirname(target);
  // A file system that does not tell is found full by writing.
  const free = await statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => Number.POSITIVE_INFINITY,
  );
  if (bytes <= free) return;
  throw new BuildError(
    `${url}: has ${bytes} bytes, but ${folder} only has room for ${free}; free some space and run the command again`,
  );
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    at += (await file.write(bytes, at)).bytesWritten;
  }
}

/** Null where there is none, or a damaged one: the download then starts over. */
async function readVersion(file: string): Promise<Version | null> {
  try {
    return versionSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return null;
  }
}
