import type { BoundingBox, Degrees } from '../../shards/units.ts';

/** About 11 km high. */
const CELLS_A_DEGREE = 10;
const CELLS_A_PARALLEL = 360 * CELLS_A_DEGREE;

/** A part of the earth as a set of large cells: those near the boxes that were added. */
export class CoarseCells {
  readonly #cells = new Set<number>();

  /** Adds the cells that a box touches, and those around them. */
  add({ minLon, minLat, maxLon, maxLat }: BoundingBox): void {
    for (let y = along(minLat) - 1; y <= along(maxLat) + 1; y++) {
      for (let x = along(minLon) - 1; x <= along(maxLon) + 1; x++) this.#cells.add(numberOf(x, y));
    }
  }

  /** Whether it contains a cell, by its number. */
  has(cell: number): boolean {
    return this.#cells.has(cell);
  }
}

/** The number of the cell that contains a point. */
export function coarseCellAt(lon: Degrees, lat: Degrees): number {
  return numberOf(along(lon), along(lat));
}

/** The box of a cell by its number. */
export function boxOfCell(cell: number): BoundingBox {
  const y = Math.floor(cell / CELLS_A_PARALLEL);
  const eastwards = cell - y * CELLS_A_PARALLEL;
  const x = eastwards < CELLS_A_PARALLEL / 2 ? eastwards : eastwards - CELLS_A_PARALLEL;
  return {
    minLon: x / CELLS_A_DEGREE,
    minLat: y / CELLS_A_DEGREE,
    maxLon: (x + 1) / CELLS_A_DEGREE,
    maxLat: (y + 1) / CELLS_A_DEGREE,
  };
}

/** At the antimeridian the cells continue on its other side. */
function numberOf(x: number, y: number): number {
  return y * CELLS_A_PARALLEL + ((x + 2 * CELLS_A_PARALLEL) % CELLS_A_PARALLEL);
}

function along(degrees: Degrees): number {
  return Math.floor(degrees * CELLS_A_DEGREE);
}
