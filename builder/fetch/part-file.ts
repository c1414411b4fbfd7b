import { type FileHandle, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { TransientError } from '../../shards/concurrency/retry.ts';
import type { Bytes } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { freeBytesIn, makeFolderOf, unwritable } from './fetch-folder.ts';
import { tooLarge } from './http.ts';

const versionSchema = z.object({
  url: z.string(),
  etag: z.string().nullable(),
  last_modified: z.string().nullable(),
  /** Size of the whole file; null if the server did not state it. */
  bytes: z.number().nullable(),
});

/** The version of a file that bytes belong to, as identified by its server. */
export type Version = z.infer<typeof versionSchema>;

/**
 * A download in progress: `FILE.part`, with the version of its bytes in `FILE.part.json` next to
 * it. The download can be resumed after a crash, since the version is written before the first
 * byte.
 */
export class PartFile {
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

  /**
   * Opens the part of `url` that is on disk; an empty part if there is none or it is of another
   * URL.
   */
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
   * Headers that request the rest, provided the file has not changed (RFC 9110, 13.1.5); null if
   * there is nothing to resume. A weak ETag does not guarantee equal bytes, so it cannot be used.
   */
  resumeHeaders(): Record<string, string> | null {
    if (this.#version === null || this.#size === 0) return null;
    const { etag, last_modified } = this.#version;
    const validator = etag !== null && !etag.startsWith('W/') ? etag : last_modified;
    if (validator === null) return null;
    return { range: `bytes=${this.#size}-`, 'if-range': validator };
  }

  /**
   * Discards the existing bytes, and records the version of those that follow. Throws a
   * `BuildError` if the disk has no room for the file.
   */
  async restart(version: Version): Promise<void> {
    await makeFolderOf(this.target);
    await this.discard();
    await requireRoom(this.target, version);
    await this.#local(() => writeFile(`${this.path}.json`, JSON.stringify(version)));
    this.#version = version;
  }

  /**
   * Appends a body. If the transfer is interrupted, the bytes received are kept. Throws a
   * `TransientError` if the file is longer or shorter than the server stated, and a `BuildError` if
   * it exceeds `maxBytes` and the server stated no size. The excess is not written, and a file that
   * is too long is discarded.
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

  /** The error for a body that is too long. */
  async #excess(maxBytes: Bytes): Promise<Error> {
    const { url = '', bytes = null } = this.#version ?? {};
    await this.discard();
    if (bytes === null) return tooLarge(url, maxBytes);
    return new TransientError(`sent more than the announced ${bytes} bytes`);
  }

  /** Moves the complete file into place. */
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

  /** Distinguishes errors of the disk from those of the connection. */
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
  const free = await freeBytesIn(folder);
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

/**
 * Reads the version of a part; null if it is missing or damaged, so that the download starts over.
 */
async function readVersion(file: string): Promise<Version | null> {
  try {
    return versionSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return null;
  }
}
