import { VarintReader, VarintWriter } from '../codec/varint.ts';

/** Encodes strictly ascending ids below 2⁵³ as deltas. */
export function encodeDictionary(ids: ArrayLike<number>): Uint8Array {
  const out = new VarintWriter(ids.length * 4 + 8);
  out.uint(ids.length);
  let previous = -1;
  for (let i = 0; i < ids.length; i++) {
    if (ids[i] <= previous) throw new RangeError(`id ${ids[i]} comes after ${previous}`);
    out.uint(ids[i] - Math.max(previous, 0));
    previous = ids[i];
  }
  return out.view();
}

export function decodeDictionary(bytes: Uint8Array): Float64Array {
  const reader = new VarintReader(bytes);
  const count = reader.uint();
  if (count > bytes.length) throw new RangeError(`counts ${count} ids in ${bytes.length} bytes`);
  const ids = new Float64Array(count);
  let id = 0;
  for (let i = 0; i < count; i++) {
    id += reader.uint();
    ids[i] = id;
  }
  return ids;
}
