import { BaseDecoder } from 'geotiff';
import { ZSTDDecoder } from 'zstddec/stream';
import { blockLimit, damaged, tooLarge } from './block-limit.ts';

const zstd = new ZSTDDecoder();

/** Unpacks Zstandard up to the size that a strip’s or tile’s tags give. */
export class ZstdDecoder extends BaseDecoder {
  override async decodeBlock(packed: ArrayBufferLike): Promise<ArrayBufferLike> {
    await zstd.init();
    const limit = blockLimit(this.parameters);
    const parts: Uint8Array[] = [];
    let size = 0;
    let isStuck = false;
    for (const part of zstd.decodeStreaming([new Uint8Array(packed)])) {
      // A trailing checksum yields an empty part, and so does damaged data, which the library would
      // retry for ever.
      if (part.length === 0 && isStuck) throw damaged();
      isStuck = part.length === 0;
      size += part.length;
      if (size > limit) throw tooLarge(limit);
      parts.push(part);
    }
    return new Uint8Array(Buffer.concat(parts)).buffer;
  }
}
