import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { BuildError } from '../errors.ts';
import { unreadable } from '../inputs/fingerprint.ts';
import { ZipInput } from '../inputs/zip.ts';

/** The tables of a GTFS feed, from any container. */
export interface FeedSource {
  /** The path given by the user. */
  readonly path: string;
  has(file: string): boolean;
  stream(file: string): Promise<Readable>;
  close(): void;
}

/** Opens a feed: a zip archive, whose tables may be in a subfolder, or a folder. */
export async function openFeedSource(feed: string): Promise<FeedSource> {
  const kind = await stat(feed).catch((error) => {
    throw unreadable(feed, error);
  });
  return kind.isDirectory() ? openFolder(feed) : openZip(feed);
}

async function openFolder(folder: string): Promise<FeedSource> {
  const files = new Set(await readdir(folder));
  return {
    path: folder,
    has: (file) => files.has(file),
    stream: async (file) => createReadStream(path.join(folder, file)),
    close: () => {},
  };
}

async function openZip(archive: string): Promise<FeedSource> {
  const zip = await ZipInput.open(archive);
  const entries = new Map<string, string>();
  for (const name of zip.names) {
    const file = path.posix.basename(name);
    if (name.startsWith('__MACOSX/') || !file.endsWith('.txt')) continue;
    if (entries.has(file)) {
      zip.close();
      throw new BuildError(
        `${archive}: contains ${file} twice; put each feed into an archive of its own`,
      );
    }
    entries.set(file, name);
  }
  return {
    path: archive,
    has: (file) => entries.has(file),
    stream: async (file) => zip.stream(entries.get(file)!),
    close: () => zip.close(),
  };
}
