type Growable = Uint8Array | Int32Array | Float64Array;

/**
 * Copies an array into one with room for `wanted` values, at least doubling it so that growing is
 * rare.
 */
export function grow<T extends Growable>(array: T, wanted = 0): T {
  const make = array.constructor as new (length: number) => T;
  const larger = new make(Math.max(wanted, 2 * array.length));
  larger.set(array);
  return larger;
}

const FIRST_ROOM = 1 << 12;

/** Accumulates numbers of one kind when the count is not known in advance. */
export class GrowableArray<T extends Int32Array | Float64Array> {
  #numbers: T;
  #length = 0;

  constructor(Numbers: new (length: number) => T) {
    this.#numbers = new Numbers(FIRST_ROOM);
  }

  get length(): number {
    return this.#length;
  }

  push(number: number): void {
    if (this.#length === this.#numbers.length) this.#numbers = grow(this.#numbers);
    this.#numbers[this.#length++] = number;
  }

  /** The numbers so far; valid until the next push. */
  view(): T {
    return this.#numbers.subarray(0, this.#length) as T;
  }
}
