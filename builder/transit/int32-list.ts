/** Numbers of 32 bits, which may be many: room for them doubles when there is none left. */
export class Int32List {
  #numbers = new Int32Array(1 << 12);
  length = 0;

  push(number: number): void {
    if (this.length === this.#numbers.length) {
      const grown = new Int32Array(this.length * 2);
      grown.set(this.#numbers);
      this.#numbers = grown;
    }
    this.#numbers[this.length++] = number;
  }

  at(index: number): number {
    return this.#numbers[index];
  }

  /** What was added, in order, in an array of its own. */
  finish(): Int32Array {
    return this.#numbers.slice(0, this.length);
  }
}
