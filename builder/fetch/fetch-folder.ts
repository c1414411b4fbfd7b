import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { messageOf, systemCode } from '../../shards/error-facts.ts';
import { takeLock } from '../../shards/store/lock-file.ts';
import { BuildError } from '../errors.ts';
import { unreadable } from '../inputs/fingerprint.ts';

const SOURCES = 'sources.json';
const LOCK = '.fetch-lock';

const sourceSchema = z.object({
  url: z.string(),
  /** Time of the download, ISO 8601. */
  fetched_at: z.string(),
  bytes: z.number(),
  /** Hex. */
  sha256: z.string(),
  /** The server's ETag, for conditional requests; null if it sent none. */
  etag: z.string().nullable(),
  last_modified: z.string().nullable(),
});
const sourcesSchema = z.object({ files: z.record(z.string(), sourceSchema) });

/** The origin of a file, and its state when downloaded. */
export type Source = z.infer<typeof sourceSchema>;

/**
 * The folder a fetch fills, and its `sources.json`, which records the origin of each file. Only one
 * process at a time may use it. Paths of files are relative to it, with slashes.
 */
export class FetchFolder {
  readonly #root: string;
  readonly #release: () => Promise<void>;
  readonly #sources: Record<string, Source>;
  #writing: Promise<void> = Promise.resolve();

  private constructor(root: string, sources: Record<string, Source>, release: () => Promise<void>) {
    this.#root = root;
    this.#sources = sources;
    this.#release = release;
  }

  static async open(root: string): Promise<FetchFolder> {
    const release = await claim(root);
    try {
      return new FetchFolder(root, await readSources(path.join(root, SOURCES)), release);
    } catch (error) {
      await release();
      throw error;
    }
  }

  path(file: string): string {
    return path.join(this.#root, file);
  }

  /**
   * Returns the record of a file that is present and complete; null if the file is missing or its
   * size differs.
   */
  async source(file: string): Promise<Source | null> {
    const source = this.#sources[file];
    if (!source) return null;
    const bytes = await stat(this.path(file)).then(
      ({ size }) => size,
      () => -1,
    );
    return bytes === source.bytes ? source : null;
  }

  /** Records a file; the record is on disk once the promise resolves. */
  async note(file: string, source: Source): Promise<void> {
    this.#sources[file] = source;
    this.#writing = this.#writing.then(() => this.#write());
    await this.#writing;
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#release();
  }

  async #write(): Promise<void> {
    const files = Object.fromEntries(
      Object.entries(this.#sources).sort(([a], [b]) => (a < b ? -1 : 1)),
    );
    const target = this.path(SOURCES);
    try {
      await writeFile(`${target}.part`, `${JSON.stringify({ files }, null, 2)}\n`);
      await rename(`${target}.part`, target);
    } catch (error) {
      throw unwritable(target, error);
    }
  }
}

/** The error for a file that cannot be written to disk. */
export function unwritable(file: string, error: unknown): BuildError {
  const code = systemCode(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new BuildError(
      `${file}: the disk is full; free some space and run the command again to resume`,
    );
  }
  return new BuildError(
    `${file}: cannot be written (${messageOf(error)}); check the folder given with --out`,
  );
}

async function claim(root: string): Promise<() => Promise<void>> {
  const lock = await mkdir(root, { recursive: true })
    .then(() => takeLock(path.join(root, LOCK)))
    .catch((error) => {
      throw unwritable(root, error);
    });
  if (lock.taken) return () => lock.release();
  throw new BuildError(
    `${root}: another fetch (${lock.owner}) is writing to it; wait for it, or use another --out`,
  );
}

async function readSources(file: string): Promise<Record<string, Source>> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return {};
    throw unreadable(file, error);
  }
  try {
    return sourcesSchema.parse(JSON.parse(text)).files;
  } catch {
    throw new BuildError(
      `${file}: was not written by fetch; remove it to download everything again`,
    );
  }
}

/** Creates the parent folder of a file of the fetch. */
export async function makeFolderOf(file: string): Promise<void> {
  try {
    await mkdir(path.dirname(file), { recursive: true });
  } catch (error) {
    throw unwritable(file, error);
  }
}
