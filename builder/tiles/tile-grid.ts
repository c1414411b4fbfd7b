import type { Rings } from '../../shards/geometry/rings.ts';
import { cutIntoTiles, type TileRange } from './cut-into-tiles.ts';
import { EXTENT, EXTENT_BITS } from './fit-to-zoom.ts';
import { PointGeometry, PolygonGeometry } from './tile-geometry.ts';
import { encodeTile, type TileLayer } from './vector-tile.ts';

export interface DrawnTile {
  readonly x: number;
  readonly y: number;
  readonly bytes: Uint8Array;
}

/** A value for each non-empty tile of a range. */
export class TileGrid<T> {
  readonly #range: TileRange;
  readonly #rows: number;
  readonly #create: () => T;
  readonly #cells = new Map<number, T>();

  constructor(range: TileRange, create: () => T) {
    this.#range = range;
    this.#rows = range.south - range.north + 1;
    this.#create = create;
  }

  /** The value for a tile, created if absent. */
  at(x: number, y: number): T {
    const key = (x - this.#range.west) * this.#rows + (y - this.#range.north);
    let cell = this.#cells.get(key);
    if (cell === undefined) {
      cell = this.#create();
      this.#cells.set(key, cell);
    }
    return cell;
  }

  *entries(): Generator<{ x: number; y: number; value: T }> {
    for (const [key, value] of this.#cells) {
      const x = this.#range.west + Math.floor(key / this.#rows);
      yield { x, y: this.#range.north + (key % this.#rows), value };
    }
  }
}

export function polygonPieces(polygons: Rings, range: TileRange): TileGrid<PolygonGeometry> {
  const pieces = new TileGrid(range, () => new PolygonGeometry());
  cutIntoTiles(polygons, range, (x, y, ring) => {
    pieces.at(x, y).addRing(ring, x * EXTENT, y * EXTENT);
  });
  return pieces;
}

/** Returns a point, in units of the zoom, in its tile; null if that is not in the range. */
export function pointIn({ west, east, north, south }: TileRange, x: number, y: number) {
  const [tileX, tileY] = [x >> EXTENT_BITS, y >> EXTENT_BITS];
  if (tileX < west || tileX > east || tileY < north || tileY > south) return null;
  const geometry = new PointGeometry(x, y, tileX * EXTENT, tileY * EXTENT);
  return { tileX, tileY, geometry };
}

/** Encodes the tiles of one layer that have a feature in sight. */
export function tilesInSight(tiles: TileGrid<TileLayer>): DrawnTile[] {
  const drawn: DrawnTile[] = [];
  for (const { x, y, value: layer } of tiles.entries()) {
    if (layer.inSight) drawn.push({ x, y, bytes: encodeTile([layer]) });
  }
  return drawn;
}
