import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { messageOf, systemCode } from '../../shards/error-facts.ts';
import { BuildError } from '../errors.ts';
import { requireKind } from './file-kind.ts';

/**
 * Limits far beyond any real archive, so that a forged one is rejected before it fills the memory
 * or takes hours. The largest tables of national feeds have two gigabytes, and the most repetitive
 * ones shrink to a fiftieth.
 */
const ZIP_LIMITS = {
  entries: 10_000,
  /** Size of an entry, unpacked. */
  bytes: 8 * 2 ** 30,
  /** Ratio of unpacked to packed size, for entries of more than `smallBytes`. */
  ratio: 200,
  smallBytes: 16 * 2 ** 20,
} as const;

/**
 * A zip archive from an untrusted source: its entries by name, each as a stream.
 *
 * An altered archive yields an error, or the same bytes under the same names. Contents have a
 * CRC-32. Names have none, but are stored twice: a table with a damaged name would appear to be
 * absent. The directory must end where its entries do, so that none is left out.
 */
export class ZipInput {
  readonly path: string;
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;

  private constructor(path: string, zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.path = path;
    this.#zip = zip;
    this.#entries = entries;
  }

  static async open(path: string): Promise<ZipInput> {
    await requireKind(path, 'zip');
    let zip: ZipFile | undefined;
    try {
      zip = await openPromise(path, { lazyEntries: true, autoClose: false });
      return new ZipInput(path, zip, await entriesOf(path, zip));
    } catch (error) {
      zip?.close();
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

  /**
   * Returns a stream of the uncompressed bytes of an entry. If the entry is damaged, the stream
   * fails with a `BuildError` that names archive and entry, possibly only at its end, so the bytes
   * are valid only then.
   */
  stream(name: string): Readable {
    const entry = this.#entries.get(name);
    if (!entry) throw new BuildError(`${this.path}: has no ${name}`);
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

async function entriesOf(path: string, zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > ZIP_LIMITS.entries) {
    throw new BuildError(
      `${path}: contains ${zip.entryCount} files, but the limit is ${ZIP_LIMITS.entries}: zip only what is needed`,
    );
  }
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) {
    const name = entry.fileNameRaw.toString('utf8').replaceAll('\\', '/');
    if (entries.has(name)) throw new BuildError(`${path}: contains ${name} twice; zip it again`);
    await checkLocalHeader(zip, entry, name);
    entries.set(name, entry);
  }
  // The type declarations wrongly give this number as a boolean.
  await checkDirectoryEnd(path, Number(zip.readEntryCursor));
  return entries;
}

const ENCRYPTED = 1 << 0;
/** Sizes and CRC-32 follow the content, and are 0 in the header before it. */
const HAS_DESCRIPTOR = 1 << 3;
/** Marks a size that is in an extra field (zip64). */
const ELSEWHERE = 0xffff_ffff;

/** Checks that the directory's record of an entry matches its local header. */
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
async function checkDirectoryEnd(path: string, end: number): Promise<void> {
  const file = await open(path);
  try {
    const signature = Buffer.alloc(SIGNATURE_BYTES);
    await file.read(signature, 0, SIGNATURE_BYTES, end);
    if (!END_SIGNATURES.includes(signature.readUInt32LE())) {
      throw new Error('its directory holds more entries than it states');
    }
  } finally {
    await file.close();
  }
}

function checkSize(path: string, name: string, { compressedSize, uncompressedSize }: Entry): void {
  const { bytes, ratio, smallBytes } = ZIP_LIMITS;
  const most = Math.min(bytes, Math.max(smallBytes, ratio * compressedSize));
  if (uncompressedSize <= most) return;
  throw new BuildError(
    `${path}: ${name} would unpack to ${uncompressedSize} bytes, from ${compressedSize}; the limit is ${most}: unpack and inspect it`,
  );
}
