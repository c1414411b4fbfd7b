import { boxAroundBoth, boxesMeet } from '../../shards/geometry/wgs84.ts';
import type { BoundingBox, Degrees } from '../../shards/units.ts';

/** About a kilometre. */
const CELLS_A_DEGREE = 100;
const CELLS_A_PARALLEL = 360 * CELLS_A_DEGREE;

/** A part of the earth as a set of small cells: it covers at least all boxes that were added. */
export class CoverGrid {
  readonly #cells = new Set<number>();
  #box: BoundingBox = { minLon: 180, minLat: 90, maxLon: -180, maxLat: -90 };

  add(box: BoundingBox): void {
    this.#box = boxAroundBoth(this.#box, box);
    for (let y = cellOf(box.minLat); y <= cellOf(box.maxLat); y++) {
      for (let x = cellOf(box.minLon); x <= cellOf(box.maxLon); x++) {
        this.#cells.add(y * CELLS_A_PARALLEL + aroundTheEarth(x));
      }
    }
  }

  has(lon: Degrees, lat: Degrees): boolean {
    return this.#cells.has(cellOf(lat) * CELLS_A_PARALLEL + aroundTheEarth(cellOf(lon)));
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

/**
 * A box that contains all cells that another touches, and a margin: the extent of a grid that
 * covers it.
 */
export function coveredBy({ minLon, minLat, maxLon, maxLat }: BoundingBox): BoundingBox {
  return {
    minLon: (cellOf(minLon) - 1) / CELLS_A_DEGREE,
    minLat: (cellOf(minLat) - 1) / CELLS_A_DEGREE,
    maxLon: (cellOf(maxLon) + 2) / CELLS_A_DEGREE,
    maxLat: (cellOf(maxLat) + 2) / CELLS_A_DEGREE,
  };
}

/** At the antimeridian the cells continue on its other side. */
function aroundTheEarth(x: number): number {
  return (x + 2 * CELLS_A_PARALLEL) % CELLS_A_PARALLEL;
}

function cellOf(degrees: Degrees): number {
  return Math.floor(degrees * CELLS_A_DEGREE);
}
