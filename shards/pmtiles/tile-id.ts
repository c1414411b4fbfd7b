/** A tile of the web map's pyramid: `x` from the west, `y` from the north. */
export interface TileAddress {
  readonly z: number;
  readonly x: number;
  readonly y: number;
}

/** Zooms that PMTiles addresses in 2⁵³. */
export const MAX_ZOOM = 26;

/**
 * The place of a tile in an archive: all tiles of the zooms above, then along the Hilbert curve of
 * its own (PMTiles 3, section 4.1). A `RangeError` for what is no tile.
 */
export function tileId({ z, x, y }: TileAddress): number {
  const side = 2 ** z;
  if (!(z >= 0 && z <= MAX_ZOOM && x >= 0 && x < side && y >= 0 && y < side)) {
    throw new RangeError(`there is no tile ${z}/${x}/${y}`);
  }
  let id = (side * side - 1) / 3;
  for (let half = side / 2; half >= 1; half /= 2) {
    const right = (x & half) === 0 ? 0 : 1;
    const down = (y & half) === 0 ? 0 : 1;
    id += half * half * ((3 * right) ^ down);
    if (down === 0) {
      if (right === 1) {
        x = side - 1 - x;
        y = side - 1 - y;
      }
      [x, y] = [y, x];
    }
  }
  return id;
}
