/** Index of the lowest set bit of a word; -1 if none is set. */
export function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}

export function bitCount(word: number): number {
  let count = 0;
  for (let left = word; left !== 0; left &= left - 1) count++;
  return count;
}
