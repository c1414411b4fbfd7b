import type { Bytes } from '../../shards/units.ts';

/** Memory of the program itself and its uncollected garbage. */
export const BASE_BYTES: Bytes = 350 * 2 ** 20;
/** Memory of a thread without a job. */
export const THREAD_BYTES: Bytes = 80 * 2 ** 20;

/** Runs jobs together as far as memory allows, in the order of their arrival. */
export class MemoryLimit {
  #free: Bytes;
  #running = 0;
  readonly #waiting: { readonly bytes: Bytes; readonly begin: () => void }[] = [];

  constructor(memory: Bytes) {
    this.#free = memory;
  }

  /** Runs a job once the memory for it is free, or no other job runs. */
  async run<T>(bytes: Bytes, job: () => Promise<T>): Promise<T> {
    const turn = new Promise<void>((begin) => this.#waiting.push({ bytes, begin }));
    this.#admit();
    await turn;
    try {
      return await job();
    } finally {
      this.#free += bytes;
      this.#running--;
      this.#admit();
    }
  }

  #admit(): void {
    for (;;) {
      const [next] = this.#waiting;
      if (!next || (this.#running > 0 && next.bytes > this.#free)) return;
      this.#waiting.shift();
      this.#free -= next.bytes;
      this.#running++;
      next.begin();
    }
  }
}
