/** Which is the lowest bit of a word that is set; -1 where none is. */
export function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}
