import type { BoundingBox, Degrees } from '../../shards/units.ts';

/** Some 28 km high: a unit reads little that it does not need, and not too many objects. */
const CELLS_A_DEGREE = 4;
const COLUMNS = 360 * CELLS_A_DEGREE;
const ROWS = 180 * CELLS_A_DEGREE;

/** The cells of a grid around the earth that a box touches. At the antimeridian both end. */
export class MapCells {
  readonly #west: number;
  readonly #east: number;
  readonly #south: number;
  readonly #north: number;

  constructor({ minLon, minLat, maxLon, maxLat }: BoundingBox) {
    this.#west = columnOf(minLon);
    this.#east = columnOf(maxLon);
    this.#south = rowOf(minLat);
    this.#north = rowOf(maxLat);
  }

  /** Of a cell by its number. */
  has(cell: number): boolean {
    const [column, row] = [cell % COLUMNS, Math.floor(cell / COLUMNS)];
    return column >= this.#west && column <= this.#east && row >= this.#south && row <= this.#north;
  }

  /** The cell that a point lies in; -1 if that is none of these. */
  at(lon: Degrees, lat: Degrees): number {
    const cell = rowOf(lat) * COLUMNS + columnOf(lon);
    return this.has(cell) ? cell : -1;
  }

  /** Those that a box touches too, ascending. */
  touching(box: BoundingBox): number[] {
    const cells: number[] = [];
    const [west, east] = [columnOf(box.minLon), columnOf(box.maxLon)];
    for (let row = Math.max(this.#south, rowOf(box.minLat)); row <= this.#north; row++) {
      if (row > rowOf(box.maxLat)) break;
      for (let x = Math.max(this.#west, west); x <= Math.min(this.#east, east); x++) {
        cells.push(row * COLUMNS + x);
      }
    }
    return cells;
  }

  /** The box around all of them. */
  get box(): BoundingBox {
    return {
      minLon: this.#west / CELLS_A_DEGREE - 180,
      minLat: this.#south / CELLS_A_DEGREE - 90,
      maxLon: (this.#east + 1) / CELLS_A_DEGREE - 180,
      maxLat: (this.#north + 1) / CELLS_A_DEGREE - 90,
    };
  }
}

function columnOf(lon: Degrees): number {
  return within(COLUMNS, Math.floor((lon + 180) * CELLS_A_DEGREE));
}

function rowOf(lat: Degrees): number {
  return within(ROWS, Math.floor((lat + 90) * CELLS_A_DEGREE));
}

function within(count: number, index: number): number {
  return Math.min(count - 1, Math.max(0, index));
}
