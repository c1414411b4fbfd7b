import { gunzipSync } from 'node:zlib';
import { CacheBudget, CostAwareCache } from '../concurrency/cost-aware-cache.ts';
import { SingleFlight } from '../concurrency/single-flight.ts';
import { messageOf } from '../error-facts.ts';
import { ShardError } from '../errors.ts';
import type { ObjectRef, RangeSource } from '../store/store.ts';
import {
  type Directory,
  decodeDirectory,
  decodeHeader,
  type Extent,
  findEntry,
  type PmtilesHeader,
  ROOT_END,
} from './header.ts';
import { type TileAddress, tileId } from './tile-id.ts';

/** Leaf directories cached per open archive, each of about 4,096 entries. */
const LEAVES_KEPT = 32;
const MAX_METADATA_BYTES = 1 << 20;

/**
 * A PMTiles archive read by range: one read to open it, then one per tile, plus one per leaf
 * directory that is not cached. Throws a `ShardError` for anything that `PmtilesWriter` could not
 * have written. Read through `CheckedPages` to detect altered bytes.
 */
export class PmtilesArchive {
  readonly header: PmtilesHeader;
  readonly #source: RangeSource;
  readonly #ref: ObjectRef;
  readonly #root: Directory;
  /** Leaf directories by offset. */
  readonly #leaves = new SingleFlight<number, Directory>(
    new CostAwareCache(new CacheBudget(LEAVES_KEPT), () => 1),
  );

  private constructor(source: RangeSource, ref: ObjectRef, header: PmtilesHeader, root: Directory) {
    this.#source = source;
    this.#ref = ref;
    this.header = header;
    this.#root = root;
  }

  static async open(source: RangeSource, ref: ObjectRef): Promise<PmtilesArchive> {
    const bytes = await source.readRange(ref, 0, Math.min(ROOT_END, ref.bytes));
    return explained(ref, 'header', () => {
      const header = decodeHeader(bytes);
      const { root, metadata, leaves, tiles } = header;
      for (const extent of [root, metadata, leaves, tiles]) {
        if (extent.offset + extent.bytes > ref.bytes) throw new RangeError('truncated');
      }
      const end = root.offset + root.bytes;
      if (end > bytes.length) throw new RangeError(`its root directory ends at ${end}`);
      const directory = decodeDirectory(bytes.subarray(root.offset, end));
      return new PmtilesArchive(source, ref, header, directory);
    });
  }

  /** Memory use once the leaf cache is full, for a byte-bounded cache. */
  get byteLength(): number {
    const entryBytes = 8 + 4 + 4 + 8;
    const leaf = this.header.leaves.bytes === 0 ? 0 : LEAVES_KEPT * 4096;
    return (this.#root.ids.length + leaf) * entryBytes;
  }

  /** A tile as stored in the archive, gzipped; `null` if nothing is drawn there. */
  async tile(address: TileAddress): Promise<Uint8Array | null> {
    const { leaves, tiles, minZoom, maxZoom } = this.header;
    if (address.z < minZoom || address.z > maxZoom) return null;
    const id = tileId(address);
    let directory = this.#root;
    let entry = findEntry(directory, id);
    if (entry !== -1 && directory.runs[entry] === 0) {
      const leaf = within(this.#ref, leaves, directory, entry);
      directory = await this.#leaves.getOrCompute(leaf.offset, () => this.#readDirectory(leaf));
      entry = findEntry(directory, id);
    }
    if (entry === -1) return null;
    const { offset, bytes } = within(this.#ref, tiles, directory, entry);
    return this.#source.readRange(this.#ref, offset, bytes);
  }

  /** Reads the archive's metadata: name, attribution, `vector_layers`. One read. */
  async metadata(): Promise<Record<string, unknown>> {
    const { offset, bytes } = this.header.metadata;
    const packed = await this.#source.readRange(this.#ref, offset, bytes);
    return explained(this.#ref, 'metadata', () =>
      JSON.parse(gunzipSync(packed, { maxOutputLength: MAX_METADATA_BYTES }).toString()),
    );
  }

  async #readDirectory({ offset, bytes }: Extent): Promise<Directory> {
    const packed = await this.#source.readRange(this.#ref, offset, bytes);
    return explained(this.#ref, `directory at ${offset}`, () => decodeDirectory(packed));
  }
}

/** Location of an entry's target, which must be inside the given part of the archive. */
function within(ref: ObjectRef, part: Extent, directory: Directory, entry: number): Extent {
  const [offset, bytes] = [directory.offsets[entry], directory.lengths[entry]];
  if (offset + bytes > part.bytes) {
    throw new ShardError(ref.name, `tile ${directory.ids[entry]}`, 'lies beyond its section');
  }
  return { offset: part.offset + offset, bytes };
}

function explained<T>(ref: ObjectRef, part: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const problem = messageOf(error);
    throw new ShardError(ref.name, part, problem);
  }
}
