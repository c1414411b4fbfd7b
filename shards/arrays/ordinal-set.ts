import { lowestBit } from './bits.ts';

const WORD_SHIFT = 5;
const WORD_MASK = 31;

/**
 * A set of ordinals that lists its members in ascending order without sorting and without visiting
 * absent ones: one bit per ordinal, plus one summary bit per non-empty word.
 */
export class OrdinalSet {
  readonly #bits: Int32Array;
  readonly #filled: Int32Array;

  /** Ordinals must be below `bound`. */
  constructor(bound: number) {
    this.#bits = new Int32Array((bound >>> WORD_SHIFT) + 1);
    this.#filled = new Int32Array((bound >>> (2 * WORD_SHIFT)) + 1);
  }

  add(ordinal: number): void {
    const word = ordinal >>> WORD_SHIFT;
    this.#bits[word] |= 1 << (ordinal & WORD_MASK);
    this.#filled[word >>> WORD_SHIFT] |= 1 << (word & WORD_MASK);
  }

  /** Moves all members to the start of a list, in ascending order; returns their number. */
  moveTo(list: Uint32Array): number {
    const bits = this.#bits;
    const filled = this.#filled;
    let count = 0;
    for (let group = 0; group < filled.length; group++) {
      for (let words = filled[group]; words !== 0; words &= words - 1) {
        const word = (group << WORD_SHIFT) + lowestBit(words);
        for (let left = bits[word]; left !== 0; left &= left - 1) {
          list[count++] = (word << WORD_SHIFT) + lowestBit(left);
        }
        bits[word] = 0;
      }
      filled[group] = 0;
    }
    return count;
  }
}
