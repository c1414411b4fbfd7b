import { createHash } from 'node:crypto';
import { crc32c } from '../codec/crc32c.ts';
import { nameHash } from '../codec/object-name.ts';
import { damaged, ShardError, StoreError } from '../errors.ts';
import { checkedSection, FORMAT_VERSION, readEnvelope, writeEnvelope } from '../store/envelope.ts';
import type { PutBody } from '../store/put-body.ts';
import { readVerified } from '../store/recorded-hash.ts';
import type { ObjectRef, ObjectStat, RangeSource, Store } from '../store/store.ts';
import type { Bytes } from '../units.ts';

export const PAGE_SUMS_KIND = 'SUMS';

/**
 * Bytes that share a checksum. Most tiles of a city are smaller, so that one read covers at most
 * two pages; the sums are 1/500 of the object.
 */
const PAGE_BYTES: Bytes = 2048;
const CRC_BYTES = 4;

/** Bytes of the section `META`: the length of the object in 8, and its SHA-256. */
const META_BYTES = 40;

/**
 * The name of an object's page checksums, which follows from the object's own: so they are found
 * without a manifest.
 */
export function sumsName(object: string): string {
  return object.replace(/[^.]*$/, `${FORMAT_VERSION}.tta`);
}

/**
 * Computes the page checksums of an object in a foreign format, which has none of its own. They
 * form a sidecar object with two sections. `CRCS` is the CRC-32C of each 2,048 bytes (the last page
 * may be shorter), seeded with the page number, so that a correct page in the wrong place is
 * detected too; `META` is the length and the SHA-256 of the whole object.
 */
export async function pageSumsOf(content: PutBody): Promise<Uint8Array> {
  const crcs = new DataView(new ArrayBuffer(pagesOf(content.bytes) * CRC_BYTES));
  const hash = createHash('sha256');
  let page = 0;
  let filled = 0;
  let crc = 0;
  for await (const chunk of content.chunks()) {
    hash.update(chunk);
    for (let at = 0; at < chunk.length; ) {
      const length = Math.min(PAGE_BYTES - filled, chunk.length - at);
      crc = crc32c(chunk, filled === 0 ? page : crc, at, length);
      at += length;
      filled += length;
      crcs.setUint32(page * CRC_BYTES, crc, true);
      if (filled < PAGE_BYTES) continue;
      page++;
      filled = 0;
    }
  }
  const meta = Buffer.alloc(META_BYTES);
  meta.writeBigUInt64LE(BigInt(content.bytes));
  hash.digest().copy(meta, 8);
  return writeEnvelope(PAGE_SUMS_KIND, [
    { tag: 'META', bytes: meta },
    { tag: 'CRCS', bytes: new Uint8Array(crcs.buffer) },
  ]);
}

/** An object in a foreign format, and the object with its page checksums. */
export interface CheckedObject {
  readonly object: ObjectRef;
  readonly sums: ObjectRef;
}

/**
 * Finds an object and its page checksums in a store by the object's name, whether or not a manifest
 * lists it; null if the store lacks either. Throws a `ShardError` for sums of another object.
 */
export async function findChecked(store: Store, name: string): Promise<CheckedObject | null> {
  const sumsAt = sumsName(name);
  const stored = await statIfAny(store, sumsAt);
  const there = stored && (await statIfAny(store, name));
  if (!there) return null;
  const { bytes } = stored;
  const sums = { name: sumsAt, bytes, sha256: stored.sha256 ?? '' };
  const whole = await store.readRange(sums, 0, bytes);
  const envelope = readEnvelope(sumsAt, whole, bytes, PAGE_SUMS_KIND);
  const meta = Buffer.from(checkedSection(sumsAt, envelope, 'META', whole));
  if (meta.length !== META_BYTES) throw new ShardError(sumsAt, 'META', 'has another length');
  const object = {
    name,
    bytes: Number(meta.readBigUInt64LE()),
    sha256: meta.toString('hex', 8),
  };
  if (object.bytes !== there.bytes || !object.sha256.startsWith(nameHash(name))) {
    throw damaged(sumsAt, 'META', `is not of ${name}`);
  }
  const sha256 = createHash('sha256').update(whole).digest('hex');
  return { object, sums: { ...sums, sha256 } };
}

/** A bucket that may not be listed refuses what it lacks. */
async function statIfAny(store: Store, name: string): Promise<ObjectStat | null> {
  try {
    return await store.stat(name);
  } catch (error) {
    if (error instanceof StoreError && error.failure === 'refused') return null;
    throw error;
  }
}

/** Ranges of one object, whose pages are verified against its sums as they are read. */
export class CheckedPages implements RangeSource {
  readonly #store: RangeSource;
  readonly #ref: ObjectRef;
  readonly #crcs: DataView;
  readonly #readAlong: (bytes: Bytes) => void;

  private constructor(
    store: RangeSource,
    ref: ObjectRef,
    crcs: Uint8Array,
    readAlong: (bytes: Bytes) => void,
  ) {
    this.#store = store;
    this.#ref = ref;
    this.#readAlong = readAlong;
    this.#crcs = new DataView(crcs.buffer, crcs.byteOffset, crcs.byteLength);
  }

  /**
   * Reads all sums of `ref`, verified by their own recorded hash. `readAlong` receives the number
   * of bytes fetched in addition to those requested.
   */
  static async open(
    store: Store,
    ref: ObjectRef,
    sums: ObjectRef,
    readAlong: (bytes: Bytes) => void = () => {},
  ): Promise<CheckedPages> {
    const bytes = await readVerified(store, sums);
    const envelope = readEnvelope(sums.name, bytes, bytes.length, PAGE_SUMS_KIND);
    const crcs = checkedSection(sums.name, envelope, 'CRCS', bytes);
    if (crcs.length !== pagesOf(ref.bytes) * CRC_BYTES) {
      throw new ShardError(
        sums.name,
        'CRCS',
        `are not those of the ${ref.bytes} bytes of ${ref.name}`,
      );
    }
    return new CheckedPages(store, ref, crcs, readAlong);
  }

  get byteLength(): Bytes {
    return this.#crcs.buffer.byteLength;
  }

  /**
   * Reads the pages that the range touches, in one read. Throws a `ShardError` if a page is
   * damaged.
   */
  async readRange(ref: ObjectRef, offset: Bytes, length: Bytes): Promise<Uint8Array> {
    if (ref.name !== this.#ref.name) throw new RangeError(`${ref.name} is not ${this.#ref.name}`);
    const first = Math.floor(offset / PAGE_BYTES);
    const start = first * PAGE_BYTES;
    const lastPage = Math.ceil((offset + length) / PAGE_BYTES);
    // A range beyond the object is requested anyway: the store refuses it.
    const end = Math.max(offset + length, Math.min(lastPage * PAGE_BYTES, ref.bytes));
    const pages = await this.#store.readRange(ref, start, end - start);
    this.#readAlong(pages.length - length);
    for (let at = 0, page = first; at < pages.length; at += PAGE_BYTES, page++) {
      const crc = crc32c(pages, page, at, Math.min(PAGE_BYTES, pages.length - at));
      if (crc === this.#crcs.getUint32(page * CRC_BYTES, true)) continue;
      throw damaged(ref.name, `bytes from ${page * PAGE_BYTES}`);
    }
    // A copy, so that keeping the range does not keep the pages around it in memory.
    return pages.slice(offset - start, offset - start + length);
  }
}

function pagesOf(bytes: Bytes): number {
  return Math.ceil(bytes / PAGE_BYTES);
}
