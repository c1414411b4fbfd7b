import { gunzipSync, gzipSync } from 'node:zlib';
import { rankIn } from '../arrays/sorted.ts';
import { VarintReader, VarintWriter } from '../codec/varint.ts';
import type { BoundingBox } from '../units.ts';

/** The fixed header of an archive (PMTiles 3, section 3). Offsets and lengths are in bytes. */
export interface PmtilesHeader {
  readonly root: Extent;
  readonly metadata: Extent;
  readonly leaves: Extent;
  readonly tiles: Extent;
  /**
   * Number of tiles that the archive covers. `tileEntries` is the number of entries for these
   * tiles, `tileContents` the number of distinct contents.
   */
  readonly addressedTiles: number;
  readonly tileEntries: number;
  readonly tileContents: number;
  readonly minZoom: number;
  readonly maxZoom: number;
  readonly bounds: BoundingBox;
  readonly centre: { readonly zoom: number; readonly lon: number; readonly lat: number };
}

export interface Extent {
  readonly offset: number;
  readonly bytes: number;
}

export const HEADER_BYTES = 127;
/** The root directory must end here, so that one read fetches it. */
export const ROOT_END = 16_384;

const MAGIC = 'PMTiles';
const VERSION = 3;
const GZIP = 2;
const VECTOR_TILES = 1;
const E7 = 1e7;

export function encodeHeader(header: PmtilesHeader): Uint8Array {
  const out = new Uint8Array(HEADER_BYTES);
  const view = new DataView(out.buffer);
  for (let i = 0; i < MAGIC.length; i++) out[i] = MAGIC.charCodeAt(i);
  out[7] = VERSION;
  [header.root, header.metadata, header.leaves, header.tiles].forEach(({ offset, bytes }, i) => {
    view.setBigUint64(8 + i * 16, BigInt(offset), true);
    view.setBigUint64(16 + i * 16, BigInt(bytes), true);
  });
  view.setBigUint64(72, BigInt(header.addressedTiles), true);
  view.setBigUint64(80, BigInt(header.tileEntries), true);
  view.setBigUint64(88, BigInt(header.tileContents), true);
  // Clustered: contents are in tile order.
  out.set([1, GZIP, GZIP, VECTOR_TILES, header.minZoom, header.maxZoom], 96);
  const { minLon, minLat, maxLon, maxLat } = header.bounds;
  [minLon, minLat, maxLon, maxLat].forEach((degrees, i) => {
    view.setInt32(102 + i * 4, Math.round(degrees * E7), true);
  });
  out[118] = header.centre.zoom;
  view.setInt32(119, Math.round(header.centre.lon * E7), true);
  view.setInt32(123, Math.round(header.centre.lat * E7), true);
  return out;
}

/** Reads what `encodeHeader` wrote; throws a `RangeError` for any other kind of archive. */
export function decodeHeader(bytes: Uint8Array): PmtilesHeader {
  if (bytes.length < HEADER_BYTES) throw new RangeError(`truncated: ${bytes.length} bytes`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  if (String.fromCharCode(...bytes.subarray(0, 7)) !== MAGIC || bytes[7] !== VERSION) {
    throw new RangeError('not a PMTiles archive of version 3');
  }
  if (bytes[97] !== GZIP || bytes[98] !== GZIP || bytes[99] !== VECTOR_TILES) {
    throw new RangeError('not of gzipped vector tiles');
  }
  const long = (at: number): number => Number(view.getBigUint64(at, true));
  const extent = (i: number): Extent => ({ offset: long(8 + i * 16), bytes: long(16 + i * 16) });
  const degrees = (at: number): number => view.getInt32(at, true) / E7;
  return {
    root: extent(0),
    metadata: extent(1),
    leaves: extent(2),
    tiles: extent(3),
    addressedTiles: long(72),
    tileEntries: long(80),
    tileContents: long(88),
    minZoom: bytes[100],
    maxZoom: bytes[101],
    bounds: {
      minLon: degrees(102),
      minLat: degrees(106),
      maxLon: degrees(110),
      maxLat: degrees(114),
    },
    centre: { zoom: bytes[118], lon: degrees(119), lat: degrees(123) },
  };
}

/**
 * Entries ascending by tile id, as parallel arrays. An entry covers `runs` tiles from `ids` on, all
 * with the same content; one with a run of zero points to a leaf directory.
 */
export interface Directory {
  readonly ids: Float64Array;
  readonly runs: Uint32Array;
  readonly lengths: Uint32Array;
  readonly offsets: Float64Array;
}

/**
 * Limit on the decompressed size, more than any directory needs: a few bytes of gzip could expand
 * to gigabytes.
 */
const MAX_DIRECTORY_BYTES = 1 << 26;

/** Encodes entries `from` up to `to` in PMTiles 3 layout: columns of varints, compressed. */
export function encodeDirectory(
  { ids, runs, lengths, offsets }: Directory,
  from = 0,
  to = ids.length,
): Uint8Array {
  const out = new VarintWriter((to - from) * 8 + 8);
  out.uint(to - from);
  for (let i = from; i < to; i++) out.uint(ids[i] - (i === from ? 0 : ids[i - 1]));
  for (let i = from; i < to; i++) out.uint(runs[i]);
  for (let i = from; i < to; i++) out.uint(lengths[i]);
  for (let i = from; i < to; i++) {
    const follows = i > from && offsets[i] === offsets[i - 1] + lengths[i - 1];
    out.uint(follows ? 0 : offsets[i] + 1);
  }
  return gzipSync(out.view(), { level: 9 });
}

/** Reads what `encodeDirectory` wrote; anything else throws. */
export function decodeDirectory(bytes: Uint8Array): Directory {
  const raw = gunzipSync(bytes, { maxOutputLength: MAX_DIRECTORY_BYTES });
  const input = new VarintReader(raw);
  const count = input.count('entries');
  const directory = {
    ids: new Float64Array(count),
    runs: new Uint32Array(count),
    lengths: new Uint32Array(count),
    offsets: new Float64Array(count),
  };
  const { ids, runs, lengths, offsets } = directory;
  let id = 0;
  for (let i = 0; i < count; i++) {
    id += input.uint();
    ids[i] = id;
  }
  for (let i = 0; i < count; i++) runs[i] = input.uint();
  for (let i = 0; i < count; i++) lengths[i] = input.uint();
  for (let i = 0; i < count; i++) {
    const value = input.uint();
    if (value === 0 && i === 0) throw new RangeError('begins with an offset that follows nothing');
    offsets[i] = value === 0 ? offsets[i - 1] + lengths[i - 1] : value - 1;
  }
  return directory;
}

/** Index of the entry that covers a tile, or its leaf directory; -1 if there is none. */
export function findEntry({ ids, runs }: Directory, id: number): number {
  const last = rankIn(ids, id + 1) - 1;
  if (last === -1) return -1;
  return runs[last] === 0 || id < ids[last] + runs[last] ? last : -1;
}
