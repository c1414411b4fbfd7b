import type { BaseDecoder } from 'geotiff';

/** Maximum size of a strip or tile, which is decoded whole. */
export const MAX_BLOCK_BYTES = 64 * 2 ** 20;

/**
 * Maximum unpacked size of a strip or tile: the size its tags give, capped at `MAX_BLOCK_BYTES`.
 */
export function blockLimit({
  tileWidth,
  tileHeight,
  bitsPerSample,
}: BaseDecoder['parameters']): number {
  const bits = [bitsPerSample].flatMap((each) =>
    typeof each === 'number' ? each : Array.from(each),
  );
  const bytesPerPixel = bits.reduce((sum, each) => sum + Math.ceil(each / 8), 0);
  // A file with a single strip may give its rows as 2³² - 1.
  return Math.min(tileWidth * tileHeight * bytesPerPixel, MAX_BLOCK_BYTES);
}

export function tooLarge(limit: number): Error {
  return new Error(`a strip or tile holds more than ${limit} bytes`);
}

export function damaged(): Error {
  return new Error('a strip or tile is damaged');
}
