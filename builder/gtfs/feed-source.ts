import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { BuildError } from '../errors.ts';
import { unreadable } from '../inputs/fingerprint.ts';
import { ZipInput } from '../inputs/zip.ts';
import { FEED_LIMITS } from './limits.ts';

/** The tables of a GTFS feed, from any container. */
export interface FeedSource {
  readonly path: string;
  has(file: string): boolean;
  stream(file: string): Promise<Readable>;
  close(): void;
}

/** A feed in a container that holds other files too, such as tables that a build does not read. */
export interface FeedContainer extends FeedSource {
  /** The paths of all files in the container. */
  readonly names: readonly string[];
  /** Returns the bytes of a file by its path. */
  streamOf(name: string): Readable;
}

/**
 * Opens a feed: a zip archive, whose tables may be in a subfolder or in an archive of its own, or a
 * folder. Names of tables may be in capitals.
 */
export async function openFeedSource(feed: string): Promise<FeedContainer> {
  const kind = await stat(feed).catch((error) => {
    throw unreadable(feed, error);
  });
  return kind.isDirectory() ? openFolder(feed) : openZip(feed);
}

async function openFolder(folder: string): Promise<FeedContainer> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
  const tables = tablesAmong(folder, names);
  const streamOf = (name: string) => createReadStream(path.join(folder, name));
  return {
    path: folder,
    names,
    has: (file) => tables.has(file),
    stream: async (file) => streamOf(tables.get(file)!),
    streamOf,
    close: () => {},
  };
}

async function openZip(archive: string): Promise<FeedContainer> {
  const zip = await ZipInput.open(archive, TABLES);
  try {
    const tables = tablesAmong(archive, zip.names);
    return {
      path: archive,
      names: zip.names,
      has: (file) => tables.has(file),
      stream: async (file) => zip.stream(tables.get(file)!),
      streamOf: (name) => zip.stream(name),
      close: () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw error;
  }
}

const TABLES = Object.keys(FEED_LIMITS.rows);

/** The paths of a feed's tables by their names in lower case, in whatever folder they are. */
function tablesAmong(feed: string, names: readonly string[]): Map<string, string> {
  const tables = new Map<string, string>();
  for (const name of names) {
    const table = path.posix.basename(name).toLowerCase();
    if (!TABLES.includes(table)) continue;
    const other = tables.get(table);
    if (other !== undefined) {
      throw new BuildError(
        `${feed}: contains ${table} twice (${other}, ${name}); put each feed into an archive of its own`,
      );
    }
    tables.set(table, name);
  }
  return tables;
}
