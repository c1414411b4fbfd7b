import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * Writes a file that gets its name only once complete, so that an interrupted write leaves no file
 * of that name.
 */
export async function writeFileWhole(
  file: string,
  chunks: () => AsyncIterable<Uint8Array>,
): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const unfinished = `${file}.part`;
  try {
    await pipeline(Readable.from(chunks(), { objectMode: false }), createWriteStream(unfinished));
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
