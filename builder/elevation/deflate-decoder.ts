import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { BaseDecoder } from 'geotiff';

/** No strip or tile may be larger: it is decoded whole. */
export const MAX_BLOCK_BYTES = 64 * 2 ** 20;

/**
 * Inflates a strip or tile to the size its tags tell and no further: the library's own decoder
 * would let a few kilobytes take gigabytes. Rejects if there is more.
 */
export class DeflateDecoder extends BaseDecoder {
  override async decodeBlock(deflated: ArrayBufferLike): Promise<ArrayBufferLike> {
    const { tileWidth, tileHeight, bitsPerSample } = this.parameters;
    const bits = [bitsPerSample].flatMap((each) =>
      typeof each === 'number' ? each : Array.from(each),
    );
    const bytesPerPixel = bits.reduce((sum, each) => sum + Math.ceil(each / 8), 0);
    // Of an only strip, the rows may be told as 2³² - 1.
    const maxOutputLength = Math.min(tileWidth * tileHeight * bytesPerPixel, MAX_BLOCK_BYTES);
    const cells = await promisify(inflate)(new Uint8Array(deflated), { maxOutputLength }).catch(
      (error) => {
        if (error.code !== 'ERR_BUFFER_TOO_LARGE') throw error;
        throw new Error(`a strip or tile holds more than ${maxOutputLength} bytes`);
      },
    );
    return Uint8Array.from(cells).buffer;
  }
}
