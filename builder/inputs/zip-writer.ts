import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { writeFileWhole } from './whole-file.ts';

export interface ZipPart {
  readonly name: string;
  /** The content, generated as it is written; in large pieces, if they have to be waited for. */
  chunks(): Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/**
 * The format stores local time, so a date built from local fields is the same in every time zone.
 */
const timestamp = () => new Date(2026, 0, 1);
const FILE_MODE = 0o100644;
const PAGE_BYTES = 1 << 16;

/** Writes a zip archive in bounded memory. Equal contents give identical bytes. */
export async function writeZip(path: string, parts: readonly ZipPart[]): Promise<void> {
  const zip = new ZipFile();
  const options = { mtime: timestamp(), mode: FILE_MODE, forceDosTimestamp: true };
  for (const { name, chunks } of parts) {
    zip.addReadStreamLazy(name, options, (done) => {
      const stream = Readable.from(pagesOf(chunks), { objectMode: false });
      stream.on('error', (error) => zip.emit('error', error));
      done(null, stream);
    });
  }
  zip.end();
  const { outputStream } = zip;
  await writeFileWhole(path, async function* () {
    zip.on('error', (error) => (outputStream as Readable).destroy(error));
    yield* outputStream as AsyncIterable<Uint8Array>;
  });
}

/** Yields the content of a part; a call that throws fails here, where it fails the archive. */
async function* pagesOf(chunks: ZipPart['chunks']): AsyncGenerator<Uint8Array> {
  const content = chunks();
  yield* Symbol.iterator in content ? inPages(content) : content;
}

/** Joins small chunks, which a stream handles inefficiently. */
function* inPages(chunks: Iterable<Uint8Array>): Generator<Uint8Array> {
  let page = Buffer.allocUnsafe(PAGE_BYTES);
  let filled = 0;
  for (const chunk of chunks) {
    if (filled + chunk.length > PAGE_BYTES) {
      if (filled > 0) yield page.subarray(0, filled);
      page = Buffer.allocUnsafe(PAGE_BYTES);
      filled = 0;
    }
    if (chunk.length > PAGE_BYTES) {
      yield chunk;
      continue;
    }
    page.set(chunk, filled);
    filled += chunk.length;
  }
  if (filled > 0) yield page.subarray(0, filled);
}
