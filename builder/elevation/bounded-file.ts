import { type FileHandle, open } from 'node:fs/promises';
import type { GeoTIFF } from 'geotiff';
import { MAX_BLOCK_BYTES } from './block-limit.ts';

type Source = Parameters<typeof GeoTIFF.fromSource>[0];
type Slice = Parameters<Source['fetchSlice']>[0];

/** Size of the reads that the library makes before it has the size of the data. */
const GUESS_BYTES = 4_096;
/** Maximum size of a read; a packed strip or tile may be somewhat larger than an unpacked one. */
const MAX_SLICE_BYTES = 2 * MAX_BLOCK_BYTES;

/**
 * A file for the library to read, which refuses reads of more bytes than the file or a strip can
 * hold. For a tag that claims billions of values, the library would allocate room for all of them
 * and loop over them.
 */
export class BoundedFile implements Source {
  readonly #handle: FileHandle;
  readonly fileSize: number;

  private constructor(handle: FileHandle, size: number) {
    this.#handle = handle;
    this.fileSize = size;
  }

  static async open(file: string): Promise<BoundedFile> {
    const handle = await open(file);
    return new BoundedFile(handle, (await handle.stat()).size);
  }

  fetch(slices: Slice[]): Promise<ArrayBufferLike[]> {
    return Promise.all(slices.map(async (slice) => (await this.fetchSlice(slice)).data));
  }

  async fetchSlice({ offset, length }: Slice) {
    const most = Math.min(MAX_SLICE_BYTES, Math.max(GUESS_BYTES, this.fileSize));
    if (!(length <= most)) throw new Error(`requests ${length} bytes at once`);
    const { buffer } = await this.#handle.read(new Uint8Array(length), 0, length, offset);
    return { offset, length, data: buffer.buffer };
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
