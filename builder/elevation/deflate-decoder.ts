import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { BaseDecoder } from 'geotiff';
import { blockLimit, tooLarge } from './block-limit.ts';

/**
 * Inflates a strip or tile, and rejects if it is larger than its tags say. The library's own
 * decoder would let a few kilobytes expand to gigabytes.
 */
export class DeflateDecoder extends BaseDecoder {
  override async decodeBlock(deflated: ArrayBufferLike): Promise<ArrayBufferLike> {
    const maxOutputLength = blockLimit(this.parameters);
    const cells = await promisify(inflate)(new Uint8Array(deflated), { maxOutputLength }).catch(
      (error) => {
        throw error.code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(maxOutputLength) : error;
      },
    );
    return Uint8Array.from(cells).buffer;
  }
}
