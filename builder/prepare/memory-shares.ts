import type { Bytes } from '../../shards/units.ts';

/** Divides memory among pieces of work, in the order in which they ask for it. */
export class MemoryShares {
  #free: Bytes;
  #held = 0;
  readonly #waiting: { readonly bytes: Bytes; readonly begin: () => void }[] = [];

  constructor(memory: Bytes) {
    this.#free = memory;
  }

  /** Runs `work` once the memory for it is free, or nothing else runs. */
  async hold<T>(bytes: Bytes, work: () => Promise<T>): Promise<T> {
    const turn = new Promise<void>((begin) => this.#waiting.push({ bytes, begin }));
    this.#admit();
    await turn;
    try {
      return await work();
    } finally {
      this.#free += bytes;
      this.#held--;
      this.#admit();
    }
  }

  #admit(): void {
    for (;;) {
      const [next] = this.#waiting;
      if (!next || (this.#held > 0 && next.bytes > this.#free)) return;
      this.#waiting.shift();
      this.#free -= next.bytes;
      this.#held++;
      next.begin();
    }
  }
}
