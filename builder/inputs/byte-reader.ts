import type { Readable } from 'node:stream';

const NOTHING = Buffer.alloc(0);

/** Reads the bytes of a stream in the lengths that a format requires. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #held: Buffer = NOTHING;

  constructor(stream: Readable) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /**
   * Returns the next `length` bytes, or fewer if the stream ends before. Allocates memory only for
   * the bytes there are.
   */
  async take(length: number): Promise<Buffer> {
    if (this.#held.length < length) await this.#gather(length);
    const taken = this.#held.subarray(0, length);
    this.#held = this.#held.subarray(length);
    return taken;
  }

  async isAtEnd(): Promise<boolean> {
    if (this.#held.length === 0) await this.#gather(1);
    return this.#held.length === 0;
  }

  async #gather(length: number): Promise<void> {
    const parts = [this.#held];
    for (let bytes = this.#held.length; bytes < length; ) {
      const { done, value } = await this.#chunks.next();
      if (done) break;
      parts.push(value);
      bytes += value.length;
    }
    this.#held = Buffer.concat(parts);
  }
}
