import { crc32c } from '../codec/crc32c.ts';
import { damaged, ShardError } from '../errors.ts';
import { checkedSection, readEnvelope, writeEnvelope } from '../store/envelope.ts';
import type { PutBody } from '../store/put-body.ts';
import { readVerified } from '../store/recorded-hash.ts';
import type { ObjectRef, RangeSource, Store } from '../store/store.ts';
import type { Bytes } from '../units.ts';

export const PAGE_SUMS_KIND = 'SUMS';

/**
 * Bytes that share a checksum. Most tiles of a city are smaller, so that one read covers at most
 * two pages; the sums are 1/500 of the object.
 */
const PAGE_BYTES: Bytes = 2048;
const CRC_BYTES = 4;

/**
 * Computes the page checksums of an object in a foreign format, which has none of its own. They
 * form a sidecar object with one section, `CRCS`: the CRC-32C of each 2,048 bytes (the last page
 * may be shorter), seeded with the page number, so that a correct page in the wrong place is
 * detected too.
 */
export async function pageSumsOf(content: PutBody): Promise<Uint8Array> {
  const crcs = new DataView(new ArrayBuffer(pagesOf(content.bytes) * CRC_BYTES));
  let page = 0;
  let filled = 0;
  let crc = 0;
  for await (const chunk of content.chunks()) {
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
  return writeEnvelope(PAGE_SUMS_KIND, [{ tag: 'CRCS', bytes: new Uint8Array(crcs.buffer) }]);
}

/** An object in a foreign format, and the object with its page checksums. */
export interface CheckedObject {
  readonly object: ObjectRef;
  readonly sums: ObjectRef;
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

  /** Memory use, for a byte-bounded cache. */
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
