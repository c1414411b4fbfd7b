import { boxAroundBoth, boxesMeet } from '../../shards/geometry/wgs84.ts';
import type { BoundingBox, Degrees } from '../../shards/units.ts';

/**
 * A grid of numbered cells around the earth, square in degrees. The grid continues across the
 * antimeridian.
 */
class CellGrid {
  readonly #cellsPerDegree: number;
  readonly #columns: number;

  constructor(cellsPerDegree: number) {
    this.#cellsPerDegree = cellsPerDegree;
    this.#columns = 360 * cellsPerDegree;
  }

  at(lon: Degrees, lat: Degrees): number {
    return this.#number(this.#along(lon), this.#along(lat));
  }

  /** The numbers of the cells that a box touches, and of the cells in `rings` rings around them. */
  *touching(box: BoundingBox, rings = 0): Generator<number> {
    const [west, east] = [this.#along(box.minLon) - rings, this.#along(box.maxLon) + rings];
    const [south, north] = [this.#along(box.minLat) - rings, this.#along(box.maxLat) + rings];
    for (let y = south; y <= north; y++) {
      for (let x = west; x <= east; x++) yield this.#number(x, y);
    }
  }

  boxOf(cell: number): BoundingBox {
    const y = Math.floor(cell / this.#columns);
    const eastwards = cell - y * this.#columns;
    const x = eastwards < this.#columns / 2 ? eastwards : eastwards - this.#columns;
    const [minLon, minLat] = [x / this.#cellsPerDegree, y / this.#cellsPerDegree];
    return {
      minLon,
      minLat,
      maxLon: (x + 1) / this.#cellsPerDegree,
      maxLat: (y + 1) / this.#cellsPerDegree,
    };
  }

  /** A box that holds every cell that a box touches, and one more cell on each side. */
  boxAround({ minLon, minLat, maxLon, maxLat }: BoundingBox): BoundingBox {
    return {
      minLon: (this.#along(minLon) - 1) / this.#cellsPerDegree,
      minLat: (this.#along(minLat) - 1) / this.#cellsPerDegree,
      maxLon: (this.#along(maxLon) + 2) / this.#cellsPerDegree,
      maxLat: (this.#along(maxLat) + 2) / this.#cellsPerDegree,
    };
  }

  #number(x: number, y: number): number {
    return y * this.#columns + ((x + 2 * this.#columns) % this.#columns);
  }

  #along(degrees: Degrees): number {
    return Math.floor(degrees * this.#cellsPerDegree);
  }
}

/** Cells of about a kilometre. */
export const FINE_CELLS = new CellGrid(100);
/** Cells of about 11 km. */
export const COARSE_CELLS = new CellGrid(10);

/**
 * A part of the earth as a set of cells. A box is added with all cells that it touches, so the set
 * covers every box.
 */
export class CellSet {
  readonly #grid: CellGrid;
  readonly #cells = new Set<number>();
  #box: BoundingBox = { minLon: 180, minLat: 90, maxLon: -180, maxLat: -90 };

  constructor(grid: CellGrid) {
    this.#grid = grid;
  }

  /** Adds the cells that a box touches, and `rings` rings of cells around them. */
  add(box: BoundingBox, rings = 0): void {
    this.#box = boxAroundBoth(this.#box, box);
    for (const cell of this.#grid.touching(box, rings)) this.#cells.add(cell);
  }

  has(cell: number): boolean {
    return this.#cells.has(cell);
  }

  hasPoint(lon: Degrees, lat: Degrees): boolean {
    return this.#cells.has(this.#grid.at(lon, lat));
  }

  /** The intersection of a box with the box around everything added; null if it is empty. */
  clip(box: BoundingBox): BoundingBox | null {
    const { minLon, minLat, maxLon, maxLat } = this.#box;
    if (!boxesMeet(box, this.#box)) return null;
    return {
      minLon: Math.max(minLon, box.minLon),
      minLat: Math.max(minLat, box.minLat),
      maxLon: Math.min(maxLon, box.maxLon),
      maxLat: Math.min(maxLat, box.maxLat),
    };
  }
}
