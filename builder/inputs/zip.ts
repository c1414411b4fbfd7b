import { open } from 'node:fs/promises';
import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';
import { messageOf, systemCode } from '../../shards/error-facts.ts';
import { BuildError } from '../errors.ts';
import { requireKind } from './file-kind.ts';
import { decodePiece } from './text.ts';

/**
 * Limits far beyond any real archive, so that a forged one is rejected before it fills the memory
 * or takes hours. The largest tables of national feeds have two gigabytes, and the most repetitive
 * ones shrink to a fiftieth.
 */
const ZIP_LIMITS = {
  entries: 10_000,
  /** Size of an entry, unpacked. */
  bytes: 8 * 2 ** 30,
  /** Size of an archive inside another one, which is held in memory. */
  innerBytes: 512 * 2 ** 20,
  /** Ratio of unpacked to packed size, for entries of more than `smallBytes`. */
  ratio: 200,
  smallBytes: 16 * 2 ** 20,
} as const;

/**
 * A zip archive from an untrusted source: its entries by name, each as a stream. Folders, and the
 * files that systems add on their own (`__MACOSX`, names that begin with a dot), are passed over.
 *
 * An altered archive yields an error, or the same bytes under the same names. Contents have a
 * CRC-32. Names have none, but are stored twice: a table with a damaged name would appear to be
 * absent. The directory must end where its entries do, so that none is left out.
 */
export class ZipInput {
  /** The archive as named in messages. */
  readonly path: string;
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;

  private constructor(path: string, zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.path = path;
    this.#zip = zip;
    this.#entries = entries;
  }

  /**
   * Opens an archive with files that have one of the endings (`.shp`) or names (`stops.txt`, in
   * whatever folder) that are `wanted`, in capitals or not; or the only archive inside it if itself
   * has none. An archive without any is opened all the same, since its reader has the better
   * message, unless it holds several archives.
   */
  static async open(path: string, wanted: readonly string[]): Promise<ZipInput> {
    await requireKind(path, 'zip');
    const outer = await ZipInput.#open(path, () => openFile(path));
    const inner = outer.endingWith('.zip');
    if (inner.length === 0 || outer.names.some((name) => isAmong(wanted, name))) {
      return outer;
    }
    try {
      if (inner.length > 1) {
        throw new BuildError(
          `${path}: contains ${inner.length} archives (${inner.slice(0, 3).join(', ')}${inner.length > 3 ? ', …' : ''}); unpack it, and give those that are needed`,
        );
      }
      const bytes = await outer.#whole(inner[0]);
      return await ZipInput.#open(`${path}: ${inner[0]}`, async () => inMemory(bytes));
    } finally {
      outer.close();
    }
  }

  static async #open(path: string, openSource: () => Promise<ZipSource>): Promise<ZipInput> {
    let source: ZipSource | undefined;
    try {
      source = await openSource();
      const archive = await archiveIn(source);
      const zip = await fromRandomAccessReaderPromise(archive, archive.size, {
        lazyEntries: true,
        autoClose: false,
        // Else the library refuses absolute names, which some programs write; none is a place here.
        decodeStrings: false,
      });
      return new ZipInput(path, zip, await entriesOf(path, zip, archive));
    } catch (error) {
      source?.close();
      if (error instanceof BuildError) throw error;
      if (systemCode(error) === 'ENOENT') {
        throw new BuildError(`${path}: no such file`);
      }
      throw new BuildError(
        `${path}: not a readable zip archive (${messageOf(error)}); download it again, if it is one`,
      );
    }
  }

  get names(): string[] {
    return [...this.#entries.keys()];
  }

  /** Size and CRC-32 of the content of an entry, as the directory states them. */
  checksumOf(name: string): string {
    const { uncompressedSize, crc32 } = this.#entries.get(name)!;
    return `${uncompressedSize} ${crc32}`;
  }

  /** The names with this ending, in capitals or not. */
  endingWith(ending: string): string[] {
    return this.names.filter((name) => name.toLowerCase().endsWith(ending));
  }

  /** Reads an archive inside this one. */
  async #whole(name: string): Promise<Buffer> {
    const { uncompressedSize } = this.#entries.get(name)!;
    if (uncompressedSize > ZIP_LIMITS.innerBytes) {
      throw new BuildError(
        `${this.path}: contains an archive, ${name}, of more than ${ZIP_LIMITS.innerBytes >> 20} MB; unpack it, and give that`,
      );
    }
    return buffer(this.stream(name));
  }

  /**
   * Returns a stream of the uncompressed bytes of an entry. If the entry is damaged, the stream
   * fails with a `BuildError` that names archive and entry, possibly only at its end, so the bytes
   * are valid only then.
   */
  stream(name: string): Readable {
    const entry = this.#entries.get(name);
    if (!entry) throw new BuildError(`${this.path}: has no ${name}`);
    checkReadable(this.path, name, entry);
    checkSize(this.path, name, entry);
    return Readable.from(this.#content(name, entry), { objectMode: false });
  }

  async *#content(name: string, entry: Entry): AsyncGenerator<Buffer> {
    let sum = 0;
    try {
      const content = await this.#zip.openReadStreamPromise(entry);
      for await (const chunk of content as AsyncIterable<Buffer>) {
        sum = crc32(chunk, sum);
        yield chunk;
      }
    } catch (error) {
      throw this.#damaged(name, messageOf(error));
    }
    if (sum !== entry.crc32) throw this.#damaged(name, 'CRC-32 mismatch');
  }

  #damaged(name: string, problem: string): BuildError {
    return new BuildError(`${this.path}: ${name} is damaged (${problem}); download it again`);
  }

  close(): void {
    this.#zip.close();
  }
}

/** The bytes that an archive is read from. */
interface ZipSource {
  readonly size: number;
  read(start: number, end: number): Promise<Buffer>;
  close(): void;
}

async function openFile(path: string): Promise<ZipSource> {
  const file = await open(path);
  return {
    size: (await file.stat()).size,
    read: async (start, end) => {
      const { buffer, bytesRead } = await file.read(
        Buffer.alloc(end - start),
        0,
        end - start,
        start,
      );
      return buffer.subarray(0, bytesRead);
    },
    close: () => void file.close(),
  };
}

function inMemory(bytes: Buffer): ZipSource {
  return {
    size: bytes.length,
    read: async (start, end) => bytes.subarray(start, end),
    close: () => {},
  };
}

const READ_BYTES = 1 << 18;

/** The archive in a source, without the bytes before and after it. */
class Archive extends RandomAccessReader {
  readonly size: number;
  readonly #source: ZipSource;
  readonly #start: number;

  constructor(source: ZipSource, start: number, end: number) {
    super();
    this.#source = source;
    this.#start = start;
    this.size = end - start;
  }

  async bytes(start: number, end: number): Promise<Buffer> {
    return this.#source.read(this.#start + start, this.#start + Math.min(end, this.size));
  }

  override read(
    into: Buffer,
    offset: number,
    length: number,
    position: number,
    done: (error: Error | null) => void,
  ): void {
    this.bytes(position, position + length).then((bytes) => {
      bytes.copy(into, offset);
      done(bytes.length === length ? null : new Error('unexpected end of the file'));
    }, done);
  }

  override _readStreamForRange(start: number, end: number): Readable {
    const read = (from: number) => this.bytes(from, Math.min(end, from + READ_BYTES));
    async function* pieces() {
      for (let at = start; at < end; at += READ_BYTES) yield await read(at);
    }
    return Readable.from(pieces(), { objectMode: false });
  }

  override close(done: (error: Error | null) => void): void {
    this.#source.close();
    done(null);
  }
}

const [LOCAL_HEADER, END_RECORD, END_LOCATOR_64] = ['PK\x03\x04', 'PK\x05\x06', 'PK\x06\x07'];
const END_RECORD_BYTES = 22;
const END_LOCATOR_64_BYTES = 20;
/** Bytes at the end of a file among which the end record is looked for. */
const TAIL_BYTES = 1 << 20;

/**
 * Finds the archive in a file: servers add a page of HTML or blank lines after it, or a warning
 * before it. It ends with the last end record whose comment fits into the file. A file that begins
 * with another archive is refused.
 */
async function archiveIn(source: ZipSource): Promise<Archive> {
  const tailStart = Math.max(0, source.size - TAIL_BYTES);
  const tail = await source.read(tailStart, source.size);
  let at = tail.length;
  let end: number;
  do {
    at = at <= 0 ? -1 : tail.lastIndexOf(END_RECORD, at - 1, 'latin1');
    if (at === -1) throw new Error('its end is missing');
    end = at + END_RECORD_BYTES;
    if (end <= tail.length) end += tail.readUInt16LE(end - 2);
  } while (end > tail.length);
  const locatorAt = Math.max(0, at - END_LOCATOR_64_BYTES);
  const locator = tail.toString('latin1', locatorAt, locatorAt + END_LOCATOR_64.length);
  // Positions in zip64 are elsewhere; such an archive begins with its file.
  const directoryEnd = tail.readUInt32LE(at + 12) + tail.readUInt32LE(at + 16);
  const start = locator === END_LOCATOR_64 ? 0 : tailStart + at - directoryEnd;
  if (start < 0) throw new Error('its directory ends after its end');
  const head = await source.read(0, LOCAL_HEADER.length);
  if (start > 0 && head.toString('latin1') === LOCAL_HEADER) {
    throw new Error('another archive, or a damaged directory, comes before its own');
  }
  return new Archive(source, start, tailStart + end);
}

const ADDED_BY_SYSTEM = /(^|\/)(__MACOSX\/|\.[^/]*$)|\/$/;

async function entriesOf(
  path: string,
  zip: ZipFile,
  archive: Archive,
): Promise<Map<string, Entry>> {
  if (zip.entryCount > ZIP_LIMITS.entries) {
    throw new BuildError(
      `${path}: contains ${zip.entryCount} files, but the limit is ${ZIP_LIMITS.entries}: zip only what is needed`,
    );
  }
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) {
    const name = decodePiece(entry.fileNameRaw).replaceAll('\\', '/');
    if (entries.has(name)) throw new BuildError(`${path}: contains ${name} twice; zip it again`);
    await checkLocalHeader(zip, entry, name);
    entries.set(name, entry);
  }
  // The type declarations wrongly give this number as a boolean.
  await checkDirectoryEnd(archive, Number(zip.readEntryCursor));
  return new Map([...entries].filter(([name]) => !ADDED_BY_SYSTEM.test(name)));
}

function isAmong(wanted: readonly string[], path: string): boolean {
  const name = posix.basename(path).toLowerCase();
  return wanted.some((one) => (one.startsWith('.') ? name.endsWith(one) : name === one));
}

const ENCRYPTED = 1 << 0;
/** Sizes and CRC-32 follow the content, and are 0 in the header before it. */
const HAS_DESCRIPTOR = 1 << 3;
/** Marks a size that is in an extra field (zip64). */
const ELSEWHERE = 0xffff_ffff;

async function checkLocalHeader(zip: ZipFile, entry: Entry, name: string): Promise<void> {
  const local = await zip.readLocalFileHeaderPromise(entry, {});
  const differ = (what: string) =>
    new Error(
      `${JSON.stringify(name)} has a different ${what} in the directory from the one before its content`,
    );
  if (!local.fileName.equals(entry.fileNameRaw)) throw differ('name');
  if (local.compressionMethod !== entry.compressionMethod) throw differ('compression');
  const flags = local.generalPurposeBitFlag;
  if ((flags ^ entry.generalPurposeBitFlag) & ENCRYPTED) throw differ('encryption');
  if (flags & HAS_DESCRIPTOR) return;
  if (local.crc32 !== entry.crc32) throw differ('CRC-32');
  for (const size of ['compressedSize', 'uncompressedSize'] as const) {
    if (local[size] !== ELSEWHERE && local[size] !== entry[size]) throw differ('size');
  }
}

const SIGNATURE_BYTES = 4;
const END_SIGNATURES: readonly number[] = [0x06054b50, 0x06064b50];

/** The last counted entry must be followed by the end record, of zip or zip64. */
async function checkDirectoryEnd(archive: Archive, end: number): Promise<void> {
  const signature = await archive.bytes(end, end + SIGNATURE_BYTES);
  if (signature.length < SIGNATURE_BYTES || !END_SIGNATURES.includes(signature.readUInt32LE())) {
    throw new Error('its directory holds more entries than it states');
  }
}

const [STORED, DEFLATE] = [0, 8];

function checkReadable(path: string, name: string, entry: Entry): void {
  if (entry.isEncrypted()) {
    throw new BuildError(`${path}: ${name} is encrypted; zip it again without a password`);
  }
  if (entry.compressionMethod === STORED || entry.compressionMethod === DEFLATE) return;
  throw new BuildError(
    `${path}: ${name} is compressed by a method other than Deflate; zip it again`,
  );
}

function checkSize(path: string, name: string, { compressedSize, uncompressedSize }: Entry): void {
  const { bytes, ratio, smallBytes } = ZIP_LIMITS;
  const most = Math.min(bytes, Math.max(smallBytes, ratio * compressedSize));
  if (uncompressedSize <= most) return;
  throw new BuildError(
    `${path}: ${name} would unpack to ${uncompressedSize} bytes, from ${compressedSize}; the limit is ${most}: unpack and inspect it`,
  );
}
