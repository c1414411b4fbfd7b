import { addDecoder, type GeoTIFFImage } from 'geotiff';
import { DeflateDecoder } from './deflate-decoder.ts';
import { LzwDecoder } from './lzw-decoder.ts';
import { ZstdDecoder } from './zstd-decoder.ts';

const PLAIN = 1;
const DEFLATE = [8, 32946];
const LZW = [5];
const ZSTD = [50000];
/**
 * The library supports more, but they let a small file exhaust memory, or a damaged one crash the
 * process.
 */
const BOUNDED = new Set([PLAIN, ...DEFLATE, ...LZW, ...ZSTD]);

/** Predictors: the encoding of each cell's value. */
const UNPREDICTED = 1;
const DIFFERENCES = 2;
const DIFFERENCES_OF_FLOATS = 3;
/** Sample sizes whose differences the library can sum. */
const BITS_OF_DIFFERENCES = [8, 16, 32];
/** A sample format. */
const FLOAT = 3;

addDecoder(DEFLATE, async () => DeflateDecoder);
addDecoder(LZW, async () => LzwDecoder);
addDecoder(ZSTD, async () => ZstdDecoder);

/** Whether the library and the decoders registered here unpack a file's cells correctly. */
export async function isUnpacked(image: GeoTIFFImage): Promise<boolean> {
  const compression = image.fileDirectory.getValue('Compression') ?? PLAIN;
  if (!BOUNDED.has(compression)) return false;
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
