type Growable = Uint8Array | Int32Array | Float64Array;

/**
 * A copy of an array with room for `wanted` values: at least twice as much, so that growing is
 * rare.
 */
export function grow<T extends Growable>(array: T, wanted = 0): T {
  const make = array.constructor as new (length: number) => T;
  const larger = new make(Math.max(wanted, 2 * array.length));
  larger.set(array);
  return larger;
}

const FIRST_ROOM = 1 << 12;

/** Numbers of one kind, collected before it is known how many they are. */
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
