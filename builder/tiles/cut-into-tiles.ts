import { grow } from '../../shards/arrays/growable-array.ts';
import type { Rings } from '../../shards/geometry/rings.ts';
import { EXTENT, EXTENT_BITS } from './fit-to-zoom.ts';

/** The margin drawn beyond a tile, in its units, so that outlines end out of sight. */
export const BUFFER = 64;

/** Tiles of a zoom, inclusive at both ends. */
export interface TileRange {
  readonly west: number;
  readonly north: number;
  readonly east: number;
  readonly south: number;
}

/** A ring or a line in units of its zoom. Valid only during the call that receives it. */
export interface PathView {
  readonly x: Int32Array;
  readonly y: Int32Array;
  readonly start: number;
  readonly end: number;
}

/**
 * Cuts polygons along the tiles of a range, each tile grown by the buffer. `onRing` receives the
 * rings of a polygon in a tile consecutively, its shell first; rings of different polygons are
 * never interleaved in a tile.
 */
export function cutIntoTiles(
  polygons: Rings,
  range: TileRange,
  onRing: (tileX: number, tileY: number, ring: PathView) => void,
): void {
  const { firstRing, firstPoint, x, y } = polygons;
  const column = new RingStack();
  const tile = new RingStack();
  for (let p = 0; p + 1 < firstRing.length; p++) {
    const shell = { x, y, start: firstPoint[firstRing[p]], end: firstPoint[firstRing[p] + 1] };
    const [minX, maxX] = extremes(x, shell.start, shell.end);
    const [minY, maxY] = extremes(y, shell.start, shell.end);
    const west = Math.max(range.west, (minX - BUFFER) >> EXTENT_BITS);
    const east = Math.min(range.east, (maxX + BUFFER) >> EXTENT_BITS);
    const north = Math.max(range.north, (minY - BUFFER) >> EXTENT_BITS);
    const south = Math.min(range.south, (maxY + BUFFER) >> EXTENT_BITS);
    for (let tileX = west; tileX <= east; tileX++) {
      column.clear();
      for (let r = firstRing[p]; r < firstRing[p + 1]; r++) {
        column.addCut({ x, y, start: firstPoint[r], end: firstPoint[r + 1] }, 'x', tileX);
      }
      for (let tileY = north; tileY <= south; tileY++) {
        tile.clear();
        for (let r = 0; r < column.count; r++) tile.addCut(column.ring(r), 'y', tileY);
        for (let r = 0; r < tile.count; r++) onRing(tileX, tileY, tile.ring(r));
      }
    }
  }
}

function extremes(values: Int32Array, start: number, end: number): [least: number, most: number] {
  let [least, most] = [values[start], values[start]];
  for (let i = start + 1; i < end; i++) {
    if (values[i] < least) least = values[i];
    else if (values[i] > most) most = values[i];
  }
  return [least, most];
}

class RingStack {
  #x = new Int32Array(64);
  #y = new Int32Array(64);
  #length = 0;
  #starts: number[] = [];

  get count(): number {
    return this.#starts.length;
  }

  clear(): void {
    this.#length = 0;
    this.#starts = [];
  }

  ring(r: number): PathView {
    const end = this.#starts[r + 1] ?? this.#length;
    return { x: this.#x, y: this.#y, start: this.#starts[r], end };
  }

  /**
   * Adds the part of a ring within a column or a row of tiles, after Sutherland and Hodgman (1974).
   * Separate parts stay connected along the edge of the buffer, out of sight.
   */
  addCut(ring: PathView, axis: 'x' | 'y', tile: number): void {
    const low = tile * EXTENT - BUFFER;
    const high = (tile + 1) * EXTENT + BUFFER;
    const along = axis === 'x' ? ring.x : ring.y;
    const across = axis === 'x' ? ring.y : ring.x;
    const start = this.#length;
    // Each edge adds at most its end, and a point where it enters and one where it leaves.
    this.#reserve((ring.end - ring.start) * 3);
    const put = axis === 'x' ? this.#putXY : this.#putYX;
    for (let i = ring.start, previous = ring.end - 1; i < ring.end; previous = i++) {
      const [a1, c1, a2, c2] = [along[previous], across[previous], along[i], across[i]];
      if (a1 < low && a2 > low) put(low, crossing(a1, c1, a2, c2, low));
      else if (a1 > high && a2 < high) put(high, crossing(a1, c1, a2, c2, high));
      if (a2 < low) {
        if (a1 > low) put(low, crossing(a1, c1, a2, c2, low));
      } else if (a2 > high) {
        if (a1 < high) put(high, crossing(a1, c1, a2, c2, high));
      } else {
        put(a2, c2);
      }
    }
    if (this.#length - start >= 3) this.#starts.push(start);
    else this.#length = start;
  }

  readonly #putXY = (x: number, y: number): void => {
    this.#x[this.#length] = x;
    this.#y[this.#length++] = y;
  };

  readonly #putYX = (y: number, x: number): void => {
    this.#x[this.#length] = x;
    this.#y[this.#length++] = y;
  };

  #reserve(more: number): void {
    const wanted = this.#length + more;
    if (wanted <= this.#x.length) return;
    this.#x = grow(this.#x, wanted);
    this.#y = grow(this.#y, wanted);
  }
}

/** The position at which an edge crosses a line; the same whichever way the edge runs. */
function crossing(a1: number, c1: number, a2: number, c2: number, at: number): number {
  if (a1 > a2) return crossing(a2, c2, a1, c1, at);
  return Math.round(c1 + ((at - a1) * (c2 - c1)) / (a2 - a1));
}
