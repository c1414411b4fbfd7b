import { hilbertDistance } from '../geometry/hilbert.ts';

export interface TileAddress {
  readonly z: number;
  readonly x: number;
  readonly y: number;
}

/** Highest zoom whose PMTiles ids stay below 2⁵³. */
const MAX_ZOOM = 26;

/**
 * Id of a tile in an archive: the number of tiles of lower zooms, plus the position along the
 * Hilbert curve of the tile's zoom (PMTiles 3, section 4.1). Throws a `RangeError` for an invalid
 * address.
 */
export function tileId({ z, x, y }: TileAddress): number {
  const side = 2 ** z;
  if (!(z >= 0 && z <= MAX_ZOOM && x >= 0 && x < side && y >= 0 && y < side)) {
    throw new RangeError(`there is no tile ${z}/${x}/${y}`);
  }
  return (side * side - 1) / 3 + hilbertDistance(x, y, side);
}
