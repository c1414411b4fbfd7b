import type { BaseDecoder } from 'geotiff';

/** No strip or tile may be larger: it is decoded whole. */
export const MAX_BLOCK_BYTES = 64 * 2 ** 20;

/** How many bytes a strip or tile may have unpacked: as its tags tell, and no more than the most. */
export function blockLimit({
  tileWidth,
  tileHeight,
  bitsPerSample,
}: BaseDecoder['parameters']): number {
  const bits = [bitsPerSample].flatMap((each) =>
    typeof each === 'number' ? each : Array.from(each),
  );
  const bytesPerPixel = bits.reduce((sum, each) => sum + Math.ceil(each / 8), 0);
  // Of an only strip, the rows may be told as 2³² - 1.
  return Math.min(tileWidth * tileHeight * bytesPerPixel, MAX_BLOCK_BYTES);
}

/** For a strip or tile that holds more than it may. */
export function tooLarge(limit: number): Error {
  return new Error(`a strip or tile holds more than ${limit} bytes`);
}

/** For one that cannot be unpacked. */
export function damaged(): Error {
  return new Error('a strip or tile is damaged');
}
