import { open } from 'node:fs/promises';
import path from 'node:path';
import { BuildError } from '../errors.ts';
import { unreadable } from '../inputs/fingerprint.ts';
import { type CellWindow, type HeightRaster, withoutVoids } from './height-raster.ts';

/**
 * Cells along a side of a tile of one and of three arc seconds. Adjacent tiles share the rows and
 * columns on their edges.
 */
const SIDES = [3_601, 1_201];
const BYTES = 2;
const NAME = /^([NS])(\d{2})([EW])(\d{3})(?:\.\w+)?\.hgt$/i;

/**
 * Opens a tile of the Shuttle Radar Topography Mission: one square degree of heights in metres, as
 * 16-bit big-endian integers. Its name gives its south-west corner. Throws a `BuildError` if the
 * file is not one.
 */
export async function openSrtmTile(file: string): Promise<HeightRaster> {
  const name = NAME.exec(path.basename(file));
  if (!name) {
    throw new BuildError(
      `${file}: has no location; name an SRTM tile after its south-west corner, such as N39W077.hgt`,
    );
  }
  const south = Number(name[2]) * (name[1].toUpperCase() === 'S' ? -1 : 1);
  const west = Number(name[4]) * (name[3].toUpperCase() === 'W' ? -1 : 1);
  const handle = await open(file).catch((error) => {
    throw unreadable(file, error);
  });
  const { size } = await handle.stat();
  const side = SIDES.find((cells) => cells * cells * BYTES === size);
  if (side === undefined) {
    await handle.close();
    throw new BuildError(
      `${file}: has ${size} bytes; an SRTM tile has ${SIDES.map((cells) => cells * cells * BYTES).join(' or ')}; download it again, and unpack it`,
    );
  }
  return {
    west,
    north: south + 1,
    stepEast: 1 / (side - 1),
    stepSouth: 1 / (side - 1),
    columns: side,
    rows: side,
    async read({ left, top, right, bottom }: CellWindow) {
      const rows = Buffer.alloc((bottom - top) * side * BYTES);
      const { bytesRead } = await handle.read(rows, 0, rows.length, top * side * BYTES);
      if (bytesRead < rows.length) throw new BuildError(`${file}: is truncated`);
      const heights = new Float32Array((bottom - top) * (right - left));
      let at = 0;
      for (let row = 0; row < bottom - top; row++) {
        for (let column = left; column < right; column++) {
          heights[at++] = rows.readInt16BE((row * side + column) * BYTES);
        }
      }
      return withoutVoids(heights);
    },
    close: () => handle.close(),
  };
}
