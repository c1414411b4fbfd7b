import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { addDecoder, BaseDecoder, type GeoTIFFImage } from 'geotiff';
import { blockLimit, tooLarge } from './block-limit.ts';
import { LzwDecoder } from './lzw-decoder.ts';

const PLAIN = 1;
const LZW = 5;
const DEFLATE = [8, 32946];
const SUPPORTED = new Set([PLAIN, LZW, ...DEFLATE]);

/** TIFF predictors, which determine what is stored in place of each cell. */
const UNPREDICTED = 1;
const DIFFERENCES = 2;
const DIFFERENCES_OF_FLOATS = 3;
/** Bits per sample for which the library can add up differences. */
const BITS_OF_DIFFERENCES = [8, 16, 32];
/** Sample format of floating-point numbers. */
const FLOAT = 3;

// The library's own decoders end the process on a damaged strip, or let a small file take all
// memory.
addDecoder(DEFLATE, async () => DeflateDecoder);
addDecoder(LZW, async () => LzwDecoder);

/** Whether the library and the decoders registered here unpack a file's cells correctly. */
export async function isUnpacked(image: GeoTIFFImage): Promise<boolean> {
  const compression = image.fileDirectory.getValue('Compression') ?? PLAIN;
  if (!SUPPORTED.has(compression)) return false;
  const bits = image.getBitsPerSample();
  switch ((await image.fileDirectory.loadValue('Predictor')) ?? UNPREDICTED) {
    case UNPREDICTED:
      return true;
    // The library sums in this machine's byte order, whatever the file's.
    case DIFFERENCES:
      return compression !== PLAIN && image.littleEndian && BITS_OF_DIFFERENCES.includes(bits);
    case DIFFERENCES_OF_FLOATS:
      return compression !== PLAIN && image.littleEndian && image.getSampleFormat() === FLOAT;
    default:
      return false;
  }
}

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
