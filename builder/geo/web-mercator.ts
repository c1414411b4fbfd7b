import { latOf, lonOf } from '../../shards/geometry/web-mercator.ts';
import type { TileAddress } from '../../shards/pmtiles/tile-id.ts';
import { type BoundingBox, MICRO, type MicroDegrees } from '../../shards/units.ts';

/**
 * Binary logarithm of the world's side, in the units of block borders before they are fitted to a
 * zoom: sixteenths of the finest tile grid, about 3 cm on the ground. Coordinates fit 32 bits.
 */
export const WORLD_BITS = 30;
const WORLD = 2 ** WORLD_BITS;

/** Distance from the west edge of the world, in units of the world. */
export function worldX(lon: MicroDegrees): number {
  return Math.round((lon / (360 * MICRO) + 0.5) * WORLD);
}

/**
 * Distance from the north edge of the world, in units of the world, in spherical Mercator, as in
 * all web maps.
 */
export function worldY(lat: MicroDegrees): number {
  const sin = Math.sin((lat * Math.PI) / (180 * MICRO));
  const y = 0.5 - Math.log((1 + sin) / (1 - sin)) / (4 * Math.PI);
  return Math.round(Math.min(1, Math.max(0, y)) * (WORLD - 1));
}

export function boxOfTile({ z, x, y }: TileAddress): BoundingBox {
  const side = 2 ** z;
  const [west, east] = [x, x + 1].map((column) => lonOf(column / side));
  const [north, south] = [y, y + 1].map((row) => latOf(row / side));
  return { minLon: west, minLat: south, maxLon: east, maxLat: north };
}
