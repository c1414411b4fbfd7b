import type { BoundingBox, Degrees } from '../../shards/units.ts';

/**
 * Cells are some 28 km high, so that a unit reads few objects, and little that it does not need.
 */
const CELLS_PER_DEGREE = 4;
const COLUMNS = 360 * CELLS_PER_DEGREE;
const ROWS = 180 * CELLS_PER_DEGREE;

type CellEdges = readonly [west: number, south: number, east: number, north: number];

/** A rectangle of cells of a grid around the earth, which ends at the antimeridian. */
export class CellRectangle {
  readonly #west: number;
  readonly #south: number;
  readonly #east: number;
  readonly #north: number;

  private constructor(west: number, south: number, east: number, north: number) {
    this.#west = Math.max(0, west);
    this.#south = Math.max(0, south);
    this.#east = Math.min(COLUMNS - 1, east);
    this.#north = Math.min(ROWS - 1, north);
  }

  static within([west, south, east, north]: CellEdges): CellRectangle {
    return new CellRectangle(west, south, east, north);
  }

  static single(cell: number): CellRectangle {
    const [column, row] = [cell % COLUMNS, Math.floor(cell / COLUMNS)];
    return new CellRectangle(column, row, column, row);
  }

  static of({ minLon, minLat, maxLon, maxLat }: BoundingBox): CellRectangle {
    return new CellRectangle(columnOf(minLon), rowOf(minLat), columnOf(maxLon), rowOf(maxLat));
  }

  /**
   * The column of a cell if the rectangle is wider than high, otherwise the row: 0 to `side - 1`
   * within the rectangle.
   */
  lineOf(cell: number): number {
    return this.#isWide ? (cell % COLUMNS) - this.#west : Math.floor(cell / COLUMNS) - this.#south;
  }

  /** Cuts the rectangle in two after a line, a column or row as in `lineOf`. */
  cutAfter(line: number): [CellRectangle, CellRectangle] {
    const [west, south, east, north] = this.edges;
    if (this.#isWide) {
      return [
        new CellRectangle(west, south, west + line, north),
        new CellRectangle(west + line + 1, south, east, north),
      ];
    }
    return [
      new CellRectangle(west, south, east, south + line),
      new CellRectangle(west, south + line + 1, east, north),
    ];
  }

  get #isWide(): boolean {
    return this.#east - this.#west > this.#north - this.#south;
  }

  has(cell: number): boolean {
    const [column, row] = [cell % COLUMNS, Math.floor(cell / COLUMNS)];
    return column >= this.#west && column <= this.#east && row >= this.#south && row <= this.#north;
  }

  /** The number of the cell that contains a point; -1 if the cell is not in the rectangle. */
  at(lon: Degrees, lat: Degrees): number {
    const cell = rowOf(lat) * COLUMNS + columnOf(lon);
    return this.has(cell) ? cell : -1;
  }

  /** The numbers of the rectangle's cells that a box touches, ascending. */
  touching(box: BoundingBox): number[] {
    return this.sharedWith(CellRectangle.of(box));
  }

  /** The numbers of the cells that are also in another rectangle, ascending. */
  sharedWith(other: CellRectangle): number[] {
    const cells: number[] = [];
    const [west, east] = [Math.max(this.#west, other.#west), Math.min(this.#east, other.#east)];
    const north = Math.min(this.#north, other.#north);
    for (let row = Math.max(this.#south, other.#south); row <= north; row++) {
      for (let x = west; x <= east; x++) cells.push(row * COLUMNS + x);
    }
    return cells;
  }

  get edges(): CellEdges {
    return [this.#west, this.#south, this.#east, this.#north];
  }

  /** The number of cells from west to east or from south to north, whichever is greater. */
  get side(): number {
    return 1 + Math.max(this.#east - this.#west, this.#north - this.#south);
  }

  get box(): BoundingBox {
    return {
      minLon: this.#west / CELLS_PER_DEGREE - 180,
      minLat: this.#south / CELLS_PER_DEGREE - 90,
      maxLon: (this.#east + 1) / CELLS_PER_DEGREE - 180,
      maxLat: (this.#north + 1) / CELLS_PER_DEGREE - 90,
    };
  }
}

export const EARTH = CellRectangle.within([0, 0, COLUMNS - 1, ROWS - 1]);

function columnOf(lon: Degrees): number {
  return within(COLUMNS, Math.floor((lon + 180) * CELLS_PER_DEGREE));
}

function rowOf(lat: Degrees): number {
  return within(ROWS, Math.floor((lat + 90) * CELLS_PER_DEGREE));
}

function within(count: number, index: number): number {
  return Math.min(count - 1, Math.max(0, index));
}
