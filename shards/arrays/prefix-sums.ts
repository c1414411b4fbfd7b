/**
 * Turns row counts into row offsets, in place. On entry, the count of row `i` is at `i + 1`;
 * afterwards, its entries are `first[i]` up to `first[i + 1]`. Returns the total number of entries.
 */
export function sumCounts(first: Int32Array | Uint32Array): number {
  for (let i = 1; i < first.length; i++) first[i] += first[i - 1];
  return first[first.length - 1];
}
