import { inflateSync } from 'node:zlib';

/** A picture whose pixels can be read. */
export interface PicturePixels {
  readonly width: number;
  readonly height: number;
  /** Colour of a pixel, as `#rrggbb`. */
  colourAt(x: number, y: number): string;
}

const SIGNATURE_BYTES = 8;
/** Length, type and checksum of a chunk. */
const CHUNK_BYTES = 12;
/** Bytes per pixel by colour type: RGB, a palette, RGBA. */
const PIXEL_BYTES: Readonly<Record<number, number>> = { 2: 3, 3: 1, 6: 4 };

/**
 * Decodes a PNG of eight bits per channel that is not interlaced, by its specification, without
 * colour management.
 */
export function pixelsOf(png: Buffer): PicturePixels {
  const packed: Buffer[] = [];
  let [head, palette]: [Buffer, Buffer] = [Buffer.alloc(0), Buffer.alloc(0)];
  for (let at = SIGNATURE_BYTES; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const data = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') head = data;
    if (type === 'PLTE') palette = data;
    if (type === 'IDAT') packed.push(data);
    at += length + CHUNK_BYTES;
  }
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  const [depth, colourType, , , interlaced] = head.subarray(8);
  const size = PIXEL_BYTES[colourType];
  if (depth !== 8 || size === undefined || interlaced !== 0) {
    throw new Error(`PNG of depth ${depth}, colour type ${colourType}, interlacing ${interlaced}`);
  }
  const rows = unfiltered(inflateSync(Buffer.concat(packed)), width * size, height, size);
  return {
    width,
    height,
    colourAt(x, y) {
      const start = (Math.floor(y) * width + Math.floor(x)) * size;
      if (size > 1) return `#${rows.toString('hex', start, start + 3)}`;
      return `#${palette.toString('hex', rows[start] * 3, rows[start] * 3 + 3)}`;
    },
  };
}

/** Undoes the filters of rows, each of which begins with the number of its filter. */
function unfiltered(filtered: Buffer, rowBytes: number, height: number, size: number): Buffer {
  const rows = Buffer.alloc(rowBytes * height);
  for (let y = 0; y < height; y++) {
    const filter = filtered[y * (rowBytes + 1)];
    const from = y * (rowBytes + 1) + 1;
    const to = y * rowBytes;
    for (let i = 0; i < rowBytes; i++) {
      const left = i < size ? 0 : rows[to + i - size];
      const above = y === 0 ? 0 : rows[to + i - rowBytes];
      const corner = i < size || y === 0 ? 0 : rows[to + i - rowBytes - size];
      rows[to + i] = filtered[from + i] + predicted(filter, left, above, corner);
    }
  }
  return rows;
}

/** The value that a filter expects of a byte: none, left, above, their mean, or Paeth's. */
function predicted(filter: number, left: number, above: number, corner: number): number {
  if (filter < 2) return filter * left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  const sum = left + above - corner;
  const [byLeft, byAbove] = [Math.abs(sum - left), Math.abs(sum - above)];
  const byCorner = Math.abs(sum - corner);
  if (byLeft <= byAbove && byLeft <= byCorner) return left;
  return byAbove <= byCorner ? above : corner;
}
