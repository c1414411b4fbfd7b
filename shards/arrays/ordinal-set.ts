import { lowestBit } from './lowest-bit.ts';

const WORD_SHIFT = 5;
const WORD_MASK = 31;

/**
 * A set of ordinals that lists them ascending, without a sort and without a look at those that are
 * not in it: a bit for each ordinal, and one for each word of those that is not empty.
 */
export class OrdinalSet {
  readonly #bits: Int32Array;
  readonly #filled: Int32Array;

  /** For ordinals below a bound. */
  constructor(bound: number) {
    this.#bits = new Int32Array((bound >>> WORD_SHIFT) + 1);
    this.#filled = new Int32Array((bound >>> (2 * WORD_SHIFT)) + 1);
  }

  add(ordinal: number): void {
    const word = ordinal >>> WORD_SHIFT;
    this.#bits[word] |= 1 << (ordinal & WORD_MASK);
    this.#filled[word >>> WORD_SHIFT] |= 1 << (word & WORD_MASK);
  }

  /** Moves all to the beginning of a list, ascending; returns how many there were. */
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
