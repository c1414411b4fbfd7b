/** Index of the lowest set bit of a word; -1 if none is set. */
export function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}
