/**
 * Turns counts into where rows begin, in place: row `i`'s count stands at `i + 1`; afterwards its
 * entries are `first[i]` up to `first[i + 1]`. Returns how many entries there are.
 */
export function sumCounts(first: Int32Array | Uint32Array): number {
  for (let i = 1; i < first.length; i++) first[i] += first[i - 1];
  return first[first.length - 1];
}
