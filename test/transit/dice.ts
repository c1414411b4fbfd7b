import { seeded } from '../search/random-streets.ts';

/** A random generator, whose numbers are the same for the same seed. */
export class Dice {
  /** A number in [0, 1). */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = seeded(seed);
  }

  /** A whole number from 0 to `bound` − 1. */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)];
  }
}
