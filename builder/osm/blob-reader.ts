import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { compressors } from 'hyparquet-compressors';
import { PbfReader } from 'pbf';
import { messageOf, systemCode } from '../../shards/error-facts.ts';
import type { Bytes } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { requireKind } from '../inputs/file-kind.ts';
import { unreadable } from '../inputs/fingerprint.ts';

/** A block of a PBF file: `OSMHeader` or `OSMData`, inflated. */
interface Blob {
  readonly type: string;
  /** Byte offset of its frame in the file, for errors. */
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** Thrown for content that is valid but not supported; the message follows the file's name. */
export class Unsupported extends Error {}

/** Limits of the format; a larger size means a damaged or foreign file. */
const MAX_HEADER_BYTES = 64 * 1024;
const MAX_BLOB_BYTES = 32 * 1024 * 1024;
/** Number of blobs inflated ahead of the current one, by zlib's own threads. */
const AHEAD = 4;

const inflateAsync = promisify(inflate);

/**
 * Reads the blobs of a PBF file in file order. Holds only a few blobs in memory, whatever the size
 * of the file. Throws a `BuildError` with the location if the file is damaged or not a PBF.
 */
export async function* readBlobs(
  path: string,
  onBytes: (done: number) => void,
): AsyncGenerator<Blob> {
  const file = await openPbf(path);
  const ahead: Promise<Blob>[] = [];
  try {
    for await (const frame of readFrames(path, file)) {
      const packed = await fetchBytes(path, file, frame.blobAt, frame.end - frame.blobAt);
      const blob = inflateFrame(path, frame, packed);
      // A failure is thrown in turn; until then it must not count as unhandled.
      blob.catch(() => {});
      ahead.push(blob);
      onBytes(frame.end);
      if (ahead.length > AHEAD) yield await ahead.shift()!;
    }
    while (ahead.length > 0) yield await ahead.shift()!;
  } catch (error) {
    if (systemCode(error) === 'EISDIR') throw unreadable(path, error);
    throw error;
  } finally {
    await Promise.allSettled(ahead);
    await file.close();
  }
}

async function openPbf(path: string): Promise<FileHandle> {
  await requireKind(path, 'pbf');
  try {
    return await open(path, 'r');
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** The position of a block: its header, its content, and its end. */
interface Frame {
  readonly type: string;
  readonly offset: number;
  readonly blobAt: number;
  readonly end: number;
}

async function fetchBytes(
  path: string,
  file: FileHandle,
  offset: number,
  length: number,
): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(length);
  const { bytesRead } = await file.read(buffer, 0, length, offset);
  if (bytesRead === length) return buffer;
  throw new BuildError(
    `${path}: is truncated: its last block, at byte ${offset}, needs ${length} bytes, but only ${bytesRead} are left; download it again`,
  );
}

async function* readFrames(path: string, file: FileHandle): AsyncGenerator<Frame> {
  const { size } = await file.stat();
  if (size === 0) throw new BuildError(`${path}: is empty; download it again`);
  for (let offset = 0; offset < size; ) {
    const headerBytes = (await fetchBytes(path, file, offset, 4)).readUInt32BE();
    if (headerBytes === 0 || headerBytes > MAX_HEADER_BYTES) {
      throw new BuildError(
        offset === 0
          ? `${path}: not an OSM PBF file; .osm.pbf is needed, not .osm, .osm.bz2 or .o5m`
          : damaged(path, offset, `a block header of ${headerBytes} bytes`),
      );
    }
    const header = await fetchBytes(path, file, offset + 4, headerBytes);
    const { type, blobBytes } = readBlobHeader(path, offset, header);
    const blobAt = offset + 4 + headerBytes;
    const end = blobAt + blobBytes;
    yield { type, offset, blobAt, end };
    offset = end;
  }
}

function readBlobHeader(path: string, offset: number, header: Uint8Array) {
  let type = '';
  let blobBytes = -1;
  try {
    const pbf = new PbfReader(header);
    for (let field = pbf.nextField(); field !== 0; field = pbf.nextField()) {
      if (field === 1) type = pbf.readString();
      else if (field === 3) blobBytes = pbf.readVarint();
    }
  } catch (error) {
    throw new BuildError(damaged(path, offset, messageOf(error)));
  }
  if (offset === 0 && type !== 'OSMHeader') {
    throw new BuildError(`${path}: not an OSM PBF file: it does not start with an OSMHeader`);
  }
  // The format lets readers skip unknown kinds; no program writes any, and a kind with a damaged
  // name would silently lose its elements.
  if (type !== 'OSMHeader' && type !== 'OSMData') {
    throw new BuildError(damaged(path, offset, `of an unknown kind, "${type}"`));
  }
  if (blobBytes < 0 || blobBytes > MAX_BLOB_BYTES) {
    throw new BuildError(damaged(path, offset, `a block of ${blobBytes} bytes`));
  }
  return { type, blobBytes };
}

async function inflateFrame(
  path: string,
  { type, offset }: Frame,
  packed: Uint8Array,
): Promise<Blob> {
  try {
    const pbf = new PbfReader(packed);
    let data: Uint8Array | undefined;
    let compression: Compression = 'none';
    let rawBytes = 0;
    for (let field = pbf.nextField(); field !== 0; field = pbf.nextField()) {
      if (field === 2) rawBytes = pbf.readVarint();
      else if (COMPRESSIONS.has(field)) {
        compression = COMPRESSIONS.get(field)!;
        data = pbf.readBytes();
      }
    }
    if (!data) throw new Error('it has no data');
    if (compression === 'none') return { type, offset, bytes: data };
    if (rawBytes > MAX_BLOB_BYTES) throw new Error(`${rawBytes} bytes inflated`);
    const bytes = await decompress(data, compression, rawBytes);
    if (bytes.length !== rawBytes) throw new Error(`${bytes.length} of ${rawBytes} bytes`);
    return { type, offset, bytes };
  } catch (error) {
    throw blockError(path, offset, error);
  }
}

type Compression = 'none' | 'zlib' | 'lzma' | 'bzip2' | 'lz4' | 'zstd';

/** The compression of a block by the field that holds its data. */
const COMPRESSIONS = new Map<number, Compression>([
  [1, 'none'],
  [3, 'zlib'],
  [4, 'lzma'],
  [5, 'bzip2'],
  [6, 'lz4'],
  [7, 'zstd'],
]);

async function decompress(
  data: Uint8Array,
  compression: Exclude<Compression, 'none'>,
  rawBytes: Bytes,
): Promise<Uint8Array> {
  switch (compression) {
    case 'zlib':
      return inflateAsync(data, {
        maxOutputLength: Math.max(1, rawBytes),
        // Inflates the whole block as one chunk, which avoids concatenation.
        chunkSize: Math.max(64, rawBytes),
      });
    case 'lz4':
      return compressors.LZ4_RAW!(data, rawBytes);
    case 'zstd':
      return compressors.ZSTD!(data, rawBytes);
    default:
      throw new Unsupported(
        `is compressed by ${compression}; a file compressed by zlib, lz4 or zstd is needed`,
      );
  }
}

/** Returns the error for a block that cannot be read; failed calls of the system are kept. */
export function blockError(path: string, offset: number, error: unknown): unknown {
  const isOfSystem = typeof (error as NodeJS.ErrnoException).syscall === 'string';
  if (error instanceof BuildError || isOfSystem) return error;
  if (error instanceof Unsupported) return new BuildError(`${path}: ${error.message}`);
  return new BuildError(damaged(path, offset, messageOf(error)));
}

function damaged(path: string, offset: number, problem: string): string {
  return `${path}: the block at byte ${offset} is damaged (${problem}); download the file again`;
}
