import { grown } from './grown.ts';

const FIRST_ROOM = 1 << 12;

/** Numbers of one kind, collected before it is known how many they are. */
export class GrowingList<T extends Int32Array | Float64Array> {
  #numbers: T;
  #length = 0;

  constructor(Numbers: new (length: number) => T) {
    this.#numbers = new Numbers(FIRST_ROOM);
  }

  get length(): number {
    return this.#length;
  }

  push(number: number): void {
    if (this.#length === this.#numbers.length) this.#numbers = grown(this.#numbers);
    this.#numbers[this.#length++] = number;
  }

  /** The numbers so far; valid until the next push. */
  view(): T {
    return this.#numbers.subarray(0, this.#length) as T;
  }
}
