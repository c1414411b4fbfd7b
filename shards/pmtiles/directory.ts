import { gunzipSync, gzipSync } from 'node:zlib';
import { rankIn } from '../arrays/sorted.ts';
import { VarintReader, VarintWriter } from '../codec/varint.ts';

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
  const count = input.uint();
  if (count > raw.length) throw new RangeError(`counts ${count} entries`);
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
