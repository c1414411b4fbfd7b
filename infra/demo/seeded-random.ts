/**
 * A repeatable stream of random numbers keyed by integers: a seed, and the purpose of the numbers.
 * Equal keys give equal streams, so anything in the city can be drawn in any order, repeatedly,
 * without being stored. The generator is SplitMix (Steele, Lea and Flood 2014), 32-bit variant.
 */
export class Random {
  #state: number;

  constructor(...name: readonly number[]) {
    let state = 0;
    for (const part of name) state = mix((state ^ part) + GOLDEN_GAMMA);
    this.#state = state;
  }

  /** Returns a number in [0, 1). */
  next(): number {
    this.#state = (this.#state + GOLDEN_GAMMA) | 0;
    return (mix(this.#state) >>> 0) / 2 ** 32;
  }

  /** Returns a whole number in [0, bound). */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  between(least: number, most: number): number {
    return least + this.next() * (most - least);
  }

  /** Returns true in this share of cases. */
  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)];
  }

  /** Returns a copy of a list in random order. */
  shuffle<T>(list: readonly T[]): T[] {
    const shuffled = [...list];
    for (let i = shuffled.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [shuffled[i], shuffled[j]] = [shuffled[j], shuffled[i]];
    }
    return shuffled;
  }
}

const GOLDEN_GAMMA = 0x9e3779b9;

function mix(value: number): number {
  let z = value | 0;
  z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
  z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
  return z ^ (z >>> 15);
}
