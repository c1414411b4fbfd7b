import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { concatBodies, type PutBody, putBodyOf } from '../store/put-body.ts';
import type { ScratchFile } from '../store/scratch-file.ts';
import type { BoundingBox } from '../units.ts';
import { type Directory, encodeDirectory, encodeHeader, HEADER_BYTES, ROOT_END } from './header.ts';
import { type TileAddress, tileId } from './tile-id.ts';

export interface ArchiveFacts {
  readonly name: string;
  readonly description: string;
  readonly attribution: string;
  readonly bounds: BoundingBox;
  readonly minZoom: number;
  readonly maxZoom: number;
  /** Whether the archive is a map by itself; by default, it is drawn over one. */
  readonly isBaseLayer?: boolean;
  readonly layers: readonly VectorLayer[];
}

export interface VectorLayer {
  readonly id: string;
  readonly description: string;
  readonly fields: Readonly<Record<string, 'Number' | 'String' | 'Boolean'>>;
}

const LEAF_ENTRIES = 4096;
const CHUNK_BYTES = 1 << 20;

/**
 * Writes a PMTiles 3 archive of gzipped vector tiles: clustered, each content once, runs of equal
 * tiles as one entry, leaf directories when the root would not fit the first 16 kB. Tiles come in
 * any order; the same tiles give the same bytes. They are buffered in a scratch file, which several
 * writers may share, so memory stays bounded however large the archives grow.
 */
export class PmtilesWriter {
  readonly #scratch: ScratchFile;
  readonly #ids: number[] = [];
  readonly #contentOf: number[] = [];
  readonly #contents: { readonly at: number; readonly bytes: number }[] = [];
  readonly #known = new Map<string, number>();

  constructor(scratch: ScratchFile) {
    this.#scratch = scratch;
  }

  get tiles(): number {
    return this.#ids.length;
  }

  /** Adds a gzipped tile. Each tile may be added only once. */
  add(tile: TileAddress, gzipped: Uint8Array): void {
    const hash = createHash('sha256').update(gzipped).digest('base64');
    let content = this.#known.get(hash);
    if (content === undefined) {
      content = this.#contents.length;
      this.#contents.push({ at: this.#scratch.append(gzipped), bytes: gzipped.length });
      this.#known.set(hash, content);
    }
    this.#ids.push(tileId(tile));
    this.#contentOf.push(content);
  }

  /** The archive of all tiles added so far. Its tiles are read from the scratch file on demand. */
  finish(facts: ArchiveFacts): PutBody {
    const { entries, contents, tileBytes } = this.#arrange();
    const { root, leaves } = packDirectories(entries);
    const metadata = gzipSync(JSON.stringify(metadataOf(facts)), { level: 9 });
    const metadataAt = HEADER_BYTES + root.length;
    const leavesAt = metadataAt + metadata.length;
    const tilesAt = leavesAt + leaves.length;
    const { minLon, minLat, maxLon, maxLat } = facts.bounds;
    const header = encodeHeader({
      root: { offset: HEADER_BYTES, bytes: root.length },
      metadata: { offset: metadataAt, bytes: metadata.length },
      leaves: { offset: leavesAt, bytes: leaves.length },
      tiles: { offset: tilesAt, bytes: tileBytes },
      addressedTiles: this.#ids.length,
      tileEntries: entries.ids.length,
      tileContents: contents.length,
      minZoom: facts.minZoom,
      maxZoom: facts.maxZoom,
      bounds: facts.bounds,
      centre: {
        zoom: Math.floor((facts.minZoom + facts.maxZoom) / 2),
        lon: (minLon + maxLon) / 2,
        lat: (minLat + maxLat) / 2,
      },
    });
    const head = Buffer.concat([header, root, metadata, leaves]);
    return concatBodies([
      putBodyOf(head),
      { bytes: tileBytes, chunks: () => this.#tileChunks(contents) },
    ]);
  }

  async *#tileChunks(contents: readonly number[]): AsyncGenerator<Uint8Array> {
    let pieces: Uint8Array[] = [];
    let gathered = 0;
    for (const content of contents) {
      const { at, bytes } = this.#contents[content];
      pieces.push(this.#scratch.read(at, bytes));
      gathered += bytes;
      if (gathered < CHUNK_BYTES) continue;
      yield Buffer.concat(pieces);
      pieces = [];
      gathered = 0;
    }
    if (gathered > 0) yield Buffer.concat(pieces);
  }

  /** Arranges entries by tile id, and contents in the order of their first use. */
  #arrange(): { entries: Directory; contents: number[]; tileBytes: number } {
    const order = Uint32Array.from(this.#ids.keys()).sort((a, b) => this.#ids[a] - this.#ids[b]);
    const offsetOf = new Float64Array(this.#contents.length).fill(-1);
    const contents: number[] = [];
    const ids = new Float64Array(order.length);
    const runs = new Uint32Array(order.length);
    const entryContent = new Uint32Array(order.length);
    let tileBytes = 0;
    let count = 0;
    for (const tile of order) {
      const [id, content] = [this.#ids[tile], this.#contentOf[tile]];
      const last = count - 1;
      if (last >= 0 && id < ids[last] + runs[last]) throw new RangeError(`tile ${id} came twice`);
      if (last >= 0 && entryContent[last] === content && id === ids[last] + runs[last]) {
        runs[last]++;
        continue;
      }
      if (offsetOf[content] === -1) {
        offsetOf[content] = tileBytes;
        tileBytes += this.#contents[content].bytes;
        contents.push(content);
      }
      ids[count] = id;
      runs[count] = 1;
      entryContent[count++] = content;
    }
    const used = entryContent.subarray(0, count);
    const entries = {
      ids: ids.slice(0, count),
      runs: runs.slice(0, count),
      lengths: Uint32Array.from(used, (content) => this.#contents[content].bytes),
      offsets: Float64Array.from(used, (content) => offsetOf[content]),
    };
    return { entries, contents, tileBytes };
  }
}

/**
 * Puts all entries in the root if they fit; otherwise in leaves, as small as the root has room for.
 */
function packDirectories(entries: Directory): { root: Uint8Array; leaves: Uint8Array } {
  const room = ROOT_END - HEADER_BYTES;
  const whole = encodeDirectory(entries);
  if (whole.length <= room) return { root: whole, leaves: new Uint8Array(0) };
  for (let size = LEAF_ENTRIES; ; size *= 2) {
    const count = Math.ceil(entries.ids.length / size);
    const leaves = Array.from({ length: count }, (_, i) =>
      encodeDirectory(entries, i * size, Math.min((i + 1) * size, entries.ids.length)),
    );
    const lengths = Uint32Array.from(leaves, (leaf) => leaf.length);
    const offsets = new Float64Array(count);
    for (let i = 1; i < count; i++) offsets[i] = offsets[i - 1] + lengths[i - 1];
    const root = encodeDirectory({
      ids: Float64Array.from({ length: count }, (_, i) => entries.ids[i * size]),
      runs: new Uint32Array(count),
      lengths,
      offsets,
    });
    if (root.length <= room) return { root, leaves: Buffer.concat(leaves) };
  }
}

function metadataOf(facts: ArchiveFacts) {
  const { name, description, attribution, layers, minZoom, maxZoom, isBaseLayer = false } = facts;
  return {
    name,
    description,
    attribution,
    type: isBaseLayer ? 'baselayer' : 'overlay',
    vector_layers: layers.map((layer) => ({ ...layer, minzoom: minZoom, maxzoom: maxZoom })),
  };
}
