import type { RangeResponse, Source } from 'pmtiles';
import { keepUntilFailed } from '../../../../shards/concurrency/on-demand.ts';

/** Size of a chunk: most archives of a city take one or two requests, instead of one per tile. */
const CHUNK_BYTES = 2 ** 16;
/** Maximum number of chunks kept, across all archives: 16 MiB. */
const CHUNKS_KEPT = 256;

/** Chunks by number and address, most recently used last. */
const chunks = new Map<string, Promise<ArrayBuffer>>();

/** Ends the wait for the first colours. */
export let coloursAreRead: () => void;
/** Awaited by what would share the line with the first colours. */
export const firstColours = new Promise<void>((resolve) => {
  coloursAreRead = resolve;
});

/** Requests the first chunk of an archive: its header and directory, and all of a small one. */
export function prefetchHead(url: string): void {
  // A failure is shown by the map, which requests it again.
  new ArchiveSource(url).getBytes(0, 1).catch(() => {});
}

/** An archive that is read by HTTP ranges, in aligned chunks that are shared and kept. */
export class ArchiveSource implements Source {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  getKey(): string {
    return this.#url;
  }

  async getBytes(offset: number, length: number): Promise<RangeResponse> {
    const first = Math.floor(offset / CHUNK_BYTES);
    const last = Math.floor((offset + length - 1) / CHUNK_BYTES);
    const numbers = Array.from({ length: last - first + 1 }, (_, i) => first + i);
    const read = await Promise.all(numbers.map((number) => this.#chunk(number)));
    const whole = new Uint8Array(read.reduce((sum, { byteLength }) => sum + byteLength, 0));
    let at = 0;
    for (const part of read) {
      whole.set(new Uint8Array(part), at);
      at += part.byteLength;
    }
    const start = offset - first * CHUNK_BYTES;
    return { data: whole.slice(start, start + length).buffer };
  }

  /**
   * Returns a chunk. Its request is completed even if the caller gives up, so that it serves the
   * next.
   */
  #chunk(number: number): Promise<ArrayBuffer> {
    const key = `${number} ${this.#url}`;
    const chunk = keepUntilFailed(chunks, key, () => this.#read(number));
    chunks.delete(key);
    chunks.set(key, chunk);
    if (chunks.size > CHUNKS_KEPT) chunks.delete(chunks.keys().next().value!);
    return chunk;
  }

  async #read(number: number): Promise<ArrayBuffer> {
    const start = number * CHUNK_BYTES;
    const range = `bytes=${start}-${start + CHUNK_BYTES - 1}`;
    const response = await fetch(this.#url, { headers: { range } });
    if (!response.ok) throw new Error(`${this.#url}: status ${response.status}`);
    const bytes = await response.arrayBuffer();
    // A server without range support sends the whole archive.
    return response.status === 206 ? bytes : bytes.slice(start, start + CHUNK_BYTES);
  }
}
