import type { BoundingBox, Degrees } from '../../shards/units.ts';

/** About a kilometre. */
const CELLS_A_DEGREE = 100;
const CELLS_A_PARALLEL = 360 * CELLS_A_DEGREE;

/** A part of the earth as a set of small cells: boxes are added whole, and never too little. */
export class CoverGrid {
  readonly #cells = new Set<number>();

  add(box: BoundingBox): void {
    for (let y = cellOf(box.minLat); y <= cellOf(box.maxLat); y++) {
      for (let x = cellOf(box.minLon); x <= cellOf(box.maxLon); x++) {
        this.#cells.add(y * CELLS_A_PARALLEL + x);
      }
    }
  }

  has(lon: Degrees, lat: Degrees): boolean {
    return this.#cells.has(cellOf(lat) * CELLS_A_PARALLEL + cellOf(lon));
  }
}

function cellOf(degrees: Degrees): number {
  return Math.floor(degrees * CELLS_A_DEGREE);
}
