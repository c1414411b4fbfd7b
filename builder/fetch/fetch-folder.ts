import { mkdir, readFile, rename, stat, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { messageOf, systemCode } from '../../shards/error-facts.ts';
import { COUNTY_FIPS } from '../../shards/geoid.ts';
import { leftOutFeedSchema } from '../../shards/release/manifest.ts';
import { takeLock } from '../../shards/store/lock-file.ts';
import type { Bytes } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { fingerprint, unreadable } from '../inputs/fingerprint.ts';
import { ROUTING_OPTIONS } from '../routing-parameters.ts';

const SOURCES = 'sources.json';

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

/** The origin of a file, and its state when downloaded. */
export type Source = z.infer<typeof sourceSchema>;

/** A path below the folder. */
const fileName = z.string().regex(/^\w+(\/[\w-][\w.-]*)+$/);
const fileNames = z.array(fileName).readonly();

const inputListSchema = z.object({
  counties: z.array(z.string().regex(COUNTY_FIPS)).readonly(),
  /** The cycling speed whose reach streets and POIs cover; absent in older folders: the usual. */
  bike_speed_kmh: z.number().default(ROUTING_OPTIONS.bike_speed_kmh.usual),
  osm: fileNames,
  blocks: fileNames,
  places: fileNames,
  pois: fileNames,
  weights: fileNames,
  /** Absent in folders of fetches without addresses. */
  addresses: fileNames.default([]),
  gtfs: z
    .array(
      z.object({
        file: fileName,
        /** Name of the publisher in the catalogue; '' if unknown. */
        publisher: z.string(),
        /** The licence that the catalogue states, as a rule by its URL; null if it states none. */
        licence: z.string().nullable(),
      }),
    )
    .readonly(),
  /** Feeds of the catalogue of which there is no file. */
  gtfs_left_out: z.array(leftOutFeedSchema).readonly().default([]),
});

/** The files of a folder that are inputs of a build of some counties. */
export type InputList = Readonly<z.infer<typeof inputListSchema>>;

const sourcesSchema = z.object({
  /** Absent until a fetch is complete. */
  inputs: inputListSchema.optional(),
  files: z.record(z.string(), sourceSchema),
});
type Sources = z.infer<typeof sourcesSchema>;

/**
 * Reads the list of the inputs that a fetch left in a folder. Throws a `BuildError` if there is
 * none, or it does not suffice for a build.
 */
export async function readInputList(folder: string): Promise<InputList> {
  const { inputs } = await readSources(path.join(folder, SOURCES));
  if (inputs === undefined) {
    throw new BuildError(
      `${folder}: holds no complete download; check the path, or run the tta fetch or tta demo of this folder again`,
    );
  }
  if (inputs.osm.length === 0 || inputs.blocks.length === 0) {
    throw new BuildError(
      `${folder}: holds no streets or no blocks; run the tta fetch command for this folder again, without --only`,
    );
  }
  return inputs;
}

/**
 * The folder a fetch fills, and its `sources.json`, which lists the inputs for a build and records
 * the origin of each file. Only one process at a time may use it. Paths of files are relative to
 * it, with slashes.
 */
export class FetchFolder {
  readonly #root: string;
  readonly #release: () => Promise<void>;
  readonly #sources: Sources;
  readonly #checked = new Map<string, Promise<boolean>>();
  #writing: Promise<void> = Promise.resolve();

  private constructor(root: string, sources: Sources, release: () => Promise<void>) {
    this.#root = root;
    this.#sources = sources;
    this.#release = release;
  }

  static async open(root: string): Promise<FetchFolder> {
    const release = await claim(root, 'fetch');
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
   * Returns the record of a file that is present and as it was downloaded; null if it is missing or
   * damaged. Each file is read once.
   */
  async source(file: string): Promise<Source | null> {
    const source = this.#sources.files[file];
    if (!source) return null;
    const isSound = this.#checked.get(file) ?? isIntact(this.path(file), source);
    this.#checked.set(file, isSound);
    return (await isSound) ? source : null;
  }

  /** Records a file; the record is on disk once the promise resolves. */
  async note(file: string, source: Source): Promise<void> {
    this.#sources.files[file] = source;
    this.#checked.set(file, Promise.resolve(true));
    await this.#save();
  }

  /** The inputs that the last complete fetch left; undefined before the first. */
  get inputs(): InputList | undefined {
    return this.#sources.inputs;
  }

  /** Records the inputs for a build, in place of those recorded before. */
  async noteInputs(inputs: InputList): Promise<void> {
    this.#sources.inputs = inputs;
    await this.#save();
  }

  async #save(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    await this.#writing;
  }

  async close(): Promise<void> {
    try {
      await this.#writing;
    } finally {
      await this.#release();
    }
  }

  async #write(): Promise<void> {
    const { inputs } = this.#sources;
    const files = Object.fromEntries(
      Object.entries(this.#sources.files).sort(([a], [b]) => (a < b ? -1 : 1)),
    );
    const target = this.path(SOURCES);
    try {
      await writeFile(`${target}.part`, `${JSON.stringify({ inputs, files }, null, 2)}\n`);
      await rename(`${target}.part`, target);
    } catch (error) {
      throw unwritable(target, error);
    }
  }
}

/** Free space in bytes; infinite if the file system does not report it. */
export function freeBytesIn(folder: string): Promise<Bytes> {
  return statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => Number.POSITIVE_INFINITY,
  );
}

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

/** Locks a folder of inputs against others of its kind, and returns what ends that. */
export async function claim(root: string, kind: 'fetch' | 'refresh'): Promise<() => Promise<void>> {
  const lock = await mkdir(root, { recursive: true })
    .then(() => takeLock(path.join(root, `.${kind}-lock`)))
    .catch((error) => {
      throw unwritable(root, error);
    });
  if (lock.taken) return () => lock.release();
  throw new BuildError(
    `${root}: another ${kind} (${lock.owner}) is writing to it; wait for it, or use another ${kind === 'fetch' ? '--out' : '--inputs'}`,
  );
}

async function readSources(file: string): Promise<Sources> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { files: {} };
    throw unreadable(file, error);
  }
  try {
    return sourcesSchema.parse(JSON.parse(text));
  } catch {
    throw new BuildError(
      `${file}: was not written by fetch; remove it to download everything again`,
    );
  }
}

async function isIntact(file: string, { bytes, sha256 }: Source): Promise<boolean> {
  const size = await stat(file).then(
    (found) => found.size,
    () => -1,
  );
  return size === bytes && (await fingerprint(file)) === sha256;
}

export async function makeFolderOf(file: string): Promise<void> {
  try {
    await mkdir(path.dirname(file), { recursive: true });
  } catch (error) {
    throw unwritable(file, error);
  }
}
