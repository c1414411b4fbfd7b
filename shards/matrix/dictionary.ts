import { VarintReader, VarintWriter } from '../varint.ts';

/** Encodes ids below 2⁵³ that strictly ascend, each as its distance from the one before. */
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

/** Where `id` stands in an ascending dictionary, or -1. */
export function ordinalIn(ids: Float64Array, id: number): number {
  let low = 0;
  let high = ids.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    if (ids[middle] === id) return middle;
    if (ids[middle] < id) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
