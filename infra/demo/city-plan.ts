import { TAXONOMY, type TaxonomyEntry } from '../../builder/destinations/taxonomy.ts';
import { BuildError } from '../../builder/errors.ts';
import { type Cell, Lattice } from './lattice.ts';
import { isInPlainGrid, PLAIN_GRID, PLAIN_GRID_PLACES } from './plain-grid.ts';
import { Random } from './seeded-random.ts';

const MIN_BLOCKS = 500;
const MAX_BLOCKS = 1_000_000;
/** Maximum number of counties, whose codes have three digits and are odd. */
const MAX_COUNTIES = 400;
const MIN_BLOCKS_PER_COUNTY = 50;

/** A park over several cells: the streets within it are footpaths, and pass its gates. */
export interface Park extends Cell {
  readonly width: number;
  readonly height: number;
}

/** Land use of a cell. Cells that are not listed in the plan are `built`, or belong to a band. */
export type CellUse =
  | { readonly kind: 'built' }
  | { readonly kind: 'plain' }
  | { readonly kind: 'river' }
  | { readonly kind: 'motorway' }
  | { readonly kind: 'park'; readonly park: Park }
  | { readonly kind: 'pocket-park' }
  /** A cell that an avenue from its south-west to its north-east corner splits into two blocks. */
  | { readonly kind: 'diagonal' }
  /** Footways in a yard that no other way connects to. */
  | { readonly kind: 'courtyard' }
  /** The one cell guaranteed to have a POI of a type. */
  | { readonly kind: 'home'; readonly leaf: TaxonomyEntry; readonly ordinal: number };

/**
 * Extent of the bay to the south, in cells: the middle of its blocks is farther from the shore than
 * the maximum linking distance.
 */
export const BAY_DEPTH = 30;

/** A block of open water south of the city, from one column to another. */
interface BayBlock {
  readonly fromColumn: number;
  readonly toColumn: number;
}

/**
 * Layout of the demo city, small enough to keep in memory. Details are drawn from the seed, cell by
 * cell, as files are written.
 */
export interface CityPlan {
  readonly seed: number;
  readonly blocks: number;
  readonly lattice: Lattice;
  readonly columns: number;
  readonly rows: number;
  /**
   * The column line between the two parts of the city, and between its counties if there are two.
   */
  readonly countyLine: number;
  /** The lines between counties, including those around all counties: of columns, and of rows. */
  readonly countyColumns: readonly number[];
  readonly countyRows: readonly number[];
  readonly riverRow: number;
  /** Column lines whose streets cross the river. */
  readonly bridges: readonly [west: number, east: number];
  /** The column of cells that the motorway runs through. */
  readonly motorwayColumn: number;
  readonly parks: readonly Park[];
  /** Blocks of the bay from west to east, those of the western county first. */
  readonly bay: readonly BayBlock[];
  useOf(cell: Cell): CellUse;
}

/** Share of the columns that lie in the western county. */
const WESTERN_SHARE = 0.6;
const RIVER_AT = 0.62;
const BLOCKS_PER_BAY_BLOCK = 60;
const LARGE_PARK = { width: 4, height: 4 };
const MEDIUM_PARK = { width: 2, height: 2 };
const STREAM = { plan: 1, bridges: 2 };

/**
 * Plans a city of exactly `blocks` census blocks, each `scale` times as long and wide as a city's.
 * Equal arguments give equal cities. Throws a `BuildError` for an impossible size.
 */
export function planCity({
  blocks,
  seed,
  counties = 2,
  scale = 1,
}: {
  blocks: number;
  seed: number;
  counties?: number;
  scale?: number;
}): CityPlan {
  requirePossible(blocks, seed, counties);
  const columns = Math.floor(Math.sqrt(blocks) * 1.05);
  const countyLine = Math.round(columns * WESTERN_SHARE);
  const across = counties === 2 ? 2 : divisorNear(counties, Math.sqrt(counties));
  const countyColumns = counties === 2 ? [0, countyLine, columns] : linesOf(columns, across);
  const bay = planBay(blocks, countyColumns);
  // Each cell is one block; diagonals make up the difference.
  const land = blocks - bay.length;
  const rows = Math.floor((land - Math.floor(columns / 2)) / columns);
  const riverRow = Math.max(PLAIN_GRID.row + PLAIN_GRID.side + 2, Math.round(rows * RIVER_AT));
  const random = new Random(seed, STREAM.bridges);
  const bridges = [0.3, 0.72].map((at) => Math.round(columns * at) + random.below(3) - 1);
  const motorwayColumn = columns - 3;
  const bands = (cell: Cell): CellUse => {
    if (cell.row === riverRow) return { kind: 'river' };
    if (isInPlainGrid(cell)) return { kind: 'plain' };
    return { kind: cell.column === motorwayColumn ? 'motorway' : 'built' };
  };
  const ground = new Ground(columns, rows, bands, new Random(seed, STREAM.plan));
  const parks = [
    ...ground.parks(LARGE_PARK, 1 + Math.floor(blocks / 10_000)),
    ...ground.parks(MEDIUM_PARK, 2 + Math.floor(blocks / 2_000)),
  ];
  ground.diagonals(land - columns * rows);
  ground.scatter({ kind: 'pocket-park' }, 2 + Math.floor(blocks / 200));
  ground.scatter({ kind: 'courtyard' }, 1 + Math.floor(blocks / 5_000));
  placedLeaves().forEach((leaf, ordinal) => {
    ground.scatter({ kind: 'home', leaf, ordinal }, 1);
  });
  return {
    seed,
    blocks,
    columns,
    rows,
    countyLine,
    countyColumns,
    countyRows: linesOf(rows, counties / across),
    riverRow,
    motorwayColumn,
    parks,
    bay,
    lattice: new Lattice(seed, columns, rows, scale),
    bridges: [bridges[0], bridges[1]],
    useOf: (cell) => ground.useOf(cell),
  };
}

/** Throws a `BuildError` for an impossible city. */
function requirePossible(blocks: number, seed: number, counties: number): void {
  if (!Number.isSafeInteger(blocks) || blocks < MIN_BLOCKS || blocks > MAX_BLOCKS) {
    throw new BuildError(
      `blocks: ${blocks} is not a whole number from ${MIN_BLOCKS} to ${MAX_BLOCKS}`,
    );
  }
  if (!Number.isInteger(seed) || seed < 0 || seed >= 2 ** 32) {
    throw new BuildError(`seed: ${seed} is not a whole number from 0 to ${2 ** 32 - 1}`);
  }
  if (!Number.isInteger(counties) || counties < 2 || counties > MAX_COUNTIES) {
    throw new BuildError(`counties: ${counties} is not a whole number from 2 to ${MAX_COUNTIES}`);
  }
  if (blocks / counties < MIN_BLOCKS_PER_COUNTY) {
    throw new BuildError(
      `counties: ${counties} would have fewer than ${MIN_BLOCKS_PER_COUNTY} of ${blocks} blocks each`,
    );
  }
}

/**
 * Leaves whose POIs may be anywhere in the city: all except those of the plain grid, of parks and
 * of the timetable.
 */
export function placedLeaves(): TaxonomyEntry[] {
  const reserved = new Set<string>(PLAIN_GRID_PLACES.map((place) => place.label));
  return TAXONOMY.filter(
    (entry) => entry.osm?.[0] && entry.source !== 'park-size' && !reserved.has(entry.label),
  );
}

function divisorNear(number: number, wanted: number): number {
  const divisors = Array.from({ length: number }, (_, i) => i + 1).filter((d) => number % d === 0);
  return divisors.reduce((a, b) => (Math.abs(b - wanted) < Math.abs(a - wanted) ? b : a));
}

/** Lines that divide this many cells into equal parts, including the first and the last. */
function linesOf(cells: number, parts: number): number[] {
  return Array.from({ length: parts + 1 }, (_, i) => Math.round((cells * i) / parts));
}

function planBay(blocks: number, countyColumns: readonly number[]): BayBlock[] {
  const columns = countyColumns[countyColumns.length - 1];
  const count = Math.min(
    Math.floor(columns / 2),
    Math.max(4, Math.round(blocks / BLOCKS_PER_BAY_BLOCK)),
  );
  const shareOf = (line: number) => Math.round((count * line) / columns);
  return countyColumns
    .slice(1)
    .flatMap((to, i) =>
      split(countyColumns[i], to, Math.max(1, shareOf(to) - shareOf(countyColumns[i]))),
    );
}

function split(from: number, to: number, parts: number): BayBlock[] {
  const at = (part: number) => from + Math.round(((to - from) * part) / parts);
  return Array.from({ length: parts }, (_, part) => ({
    fromColumn: at(part),
    toColumn: at(part + 1),
  }));
}

/** Assigns uses to cells; each use takes cells that are still free. */
class Ground {
  readonly #columns: number;
  readonly #rows: number;
  readonly #bands: (cell: Cell) => CellUse;
  readonly #random: Random;
  readonly #uses = new Map<number, CellUse>();

  constructor(columns: number, rows: number, bands: (cell: Cell) => CellUse, random: Random) {
    this.#columns = columns;
    this.#rows = rows;
    this.#bands = bands;
    this.#random = random;
  }

  useOf(cell: Cell): CellUse {
    return this.#uses.get(this.#index(cell)) ?? this.#bands(cell);
  }

  parks(size: { width: number; height: number }, count: number): Park[] {
    return Array.from({ length: count }, () => {
      const park = { ...this.#freeRectangle(size), ...size };
      this.#take(park, size, { kind: 'park', park });
      return park;
    });
  }

  scatter(use: CellUse, count: number): void {
    const size = { width: 1, height: 1 };
    for (let i = 0; i < count; i++) this.#take(this.#freeRectangle(size), size, use);
  }

  /**
   * Splits `count` cells along parallel avenues running north-east, starting with the middle one.
   */
  diagonals(count: number): void {
    const gap = Math.max(7, Math.floor(this.#columns / 5));
    const starts = Array.from({ length: this.#columns + this.#rows }, (_, i) => i - this.#rows);
    // Avenues a gap apart come first; in a small city, the avenues between them take the rest.
    const order = starts.toSorted(
      (a, b) => modulo(a, gap) - modulo(b, gap) || Math.abs(a) - Math.abs(b) || a - b,
    );
    let left = count;
    for (const start of order) {
      for (let row = 0; row < this.#rows && left > 0; row++) {
        const cell = { column: start + row, row };
        if (!this.#isFree(cell)) continue;
        this.#uses.set(this.#index(cell), { kind: 'diagonal' });
        left--;
      }
    }
    if (left > 0) throw new BuildError(`the demo city has no room for ${left} more blocks`);
  }

  #take(at: Cell, { width, height }: { width: number; height: number }, use: CellUse): void {
    for (let row = at.row; row < at.row + height; row++) {
      for (let column = at.column; column < at.column + width; column++) {
        this.#uses.set(this.#index({ column, row }), use);
      }
    }
  }

  /** The first free rectangle at or after a random position, row by row and wrapping around. */
  #freeRectangle({ width, height }: { width: number; height: number }): Cell {
    const cells = this.#columns * this.#rows;
    const start = this.#random.below(cells);
    for (let step = 0; step < cells; step++) {
      const index = (start + step) % cells;
      const at = { column: index % this.#columns, row: Math.floor(index / this.#columns) };
      let free = true;
      for (let row = at.row; free && row < at.row + height; row++) {
        for (let column = at.column; free && column < at.column + width; column++) {
          free = this.#isFree({ column, row });
        }
      }
      if (free) return at;
    }
    throw new BuildError(`the demo city has no room for a place of ${width} by ${height} blocks`);
  }

  #isFree(cell: Cell): boolean {
    return (
      cell.column >= 0 &&
      cell.column < this.#columns &&
      cell.row < this.#rows &&
      !isInPlainGrid(cell, 1) &&
      this.useOf(cell).kind === 'built'
    );
  }

  #index({ column, row }: Cell): number {
    return row * this.#columns + column;
  }
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
