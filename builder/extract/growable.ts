import { grown } from '../../shards/grown.ts';

/** A list of doubles that grows by doubling: what is collected before its size is known. */
export class GrowableFloat64 {
  #values = new Float64Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) this.#values = grown(this.#values);
    this.#values[this.#length++] = value;
  }

  /** The values so far; valid until the next push. */
  view(): Float64Array {
    return this.#values.subarray(0, this.#length);
  }
}
