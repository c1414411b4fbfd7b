import type { Degrees, Metres } from '../../shards/units.ts';
import { PLAIN_GRID } from './plain-grid.ts';
import { Random } from './seeded-random.ts';

/**
 * Origin of the demo city: in the open Atlantic, so that it cannot be mistaken for a real place.
 */
const ORIGIN = { lon: -70 as Degrees, lat: 36 as Degrees };

/** OpenStreetMap keeps coordinates to 10⁻⁷ degrees, about a centimetre. */
const UNITS_PER_DEGREE = 1e7;

/**
 * Converts metres east and north of the origin to degrees, on OpenStreetMap's raster. The
 * projection is sinusoidal: distances along parallels and along the origin's meridian are true, and
 * so are areas; a north-south step of the lattice is too long by at most 1 in 10⁵ within 40 km of
 * the origin.
 */
function toDegrees(east: Metres, north: Metres): readonly [lon: Degrees, lat: Degrees] {
  let lat = ORIGIN.lat;
  // The degree's length changes so slowly that the second step is exact to a millimetre.
  for (let step = 0; step < 2; step++) {
    lat = ORIGIN.lat + north / metresPerDegreeOfLatitude((ORIGIN.lat + lat) / 2);
  }
  const lon = ORIGIN.lon + east / metresPerDegreeOfLongitude(lat);
  return [
    Math.round(lon * UNITS_PER_DEGREE) / UNITS_PER_DEGREE,
    Math.round(lat * UNITS_PER_DEGREE) / UNITS_PER_DEGREE,
  ];
}

/**
 * The standard series for the WGS84 ellipsoid, accurate to a millimetre per degree. Deliberately
 * not the formula that the builder measures streets with, since the city serves as the builder's
 * test oracle.
 */
function metresPerDegreeOfLatitude(lat: Degrees): Metres {
  const phi = (lat * Math.PI) / 180;
  return (
    111_132.95255 -
    559.84957 * Math.cos(2 * phi) +
    1.17514 * Math.cos(4 * phi) -
    0.0023 * Math.cos(6 * phi)
  );
}

function metresPerDegreeOfLongitude(lat: Degrees): Metres {
  const phi = (lat * Math.PI) / 180;
  return 111_412.87733 * Math.cos(phi) - 93.50412 * Math.cos(3 * phi) + 0.11774 * Math.cos(5 * phi);
}

/** A cell of the lattice, given by its south-west corner. Most cells are one census block. */
export interface Cell {
  readonly column: number;
  readonly row: number;
}

/** A crossing of two lattice lines, counted from the south-west. */
export interface Corner {
  readonly column: number;
  readonly row: number;
}

/** Typical spacing of street crossings in an American city. */
const SPACING: Metres = PLAIN_GRID.spacing;
/** Amplitude and wavelength of the lattice's bend: no side changes by more than a quarter. */
const BEND: Metres = 45;
const WAVE_LENGTHS: readonly [Metres, Metres] = [1_700, 2_300];
/**
 * Distances from the plain grid, in cells, up to which the lattice is straight, and from which on
 * it is fully bent.
 */
const STRAIGHT_MARGIN = 2;
const FULL_BEND_MARGIN = 8;

const STREAM = 0x1a77;

/**
 * The lattice that streets and blocks follow: `columns` by `rows` cells, bent by gentle waves
 * everywhere but in the plain grid. Corners have whole coordinates; anything else in the city is
 * placed at fractions of a cell, and bends along.
 */
export class Lattice {
  readonly columns: number;
  readonly rows: number;
  readonly #scale: number;
  readonly #phases: readonly number[];
  /**
   * Coordinates of every corner, row by row, kept because streets and blocks read them repeatedly.
   */
  readonly #metres: Float64Array;
  readonly #degrees: Float64Array;

  /** `scale` is the line spacing relative to a city's. */
  constructor(seed: number, columns: number, rows: number, scale = 1) {
    this.columns = columns;
    this.rows = rows;
    this.#scale = scale;
    const random = new Random(seed, STREAM);
    this.#phases = Array.from({ length: 4 }, () => random.between(0, 2 * Math.PI));
    const corners = (columns + 1) * (rows + 1);
    this.#metres = new Float64Array(2 * corners);
    this.#degrees = new Float64Array(2 * corners);
    for (let corner = 0; corner < corners; corner++) {
      const metres = this.#bent(corner % (columns + 1), Math.floor(corner / (columns + 1)));
      this.#metres.set(metres, 2 * corner);
      this.#degrees.set(toDegrees(...metres), 2 * corner);
    }
  }

  /** Metres east and north of the lattice's middle. */
  metres(column: number, row: number): readonly [east: Metres, north: Metres] {
    const at = this.#cornerAt(column, row);
    return at === null ? this.#bent(column, row) : [this.#metres[at], this.#metres[at + 1]];
  }

  degrees(column: number, row: number): readonly [lon: Degrees, lat: Degrees] {
    const at = this.#cornerAt(column, row);
    return at === null
      ? toDegrees(...this.#bent(column, row))
      : [this.#degrees[at], this.#degrees[at + 1]];
  }

  /** Index of a corner's coordinates; null for a position that is not a corner. */
  #cornerAt(column: number, row: number): number | null {
    const isCorner =
      Number.isInteger(column) &&
      Number.isInteger(row) &&
      column >= 0 &&
      column <= this.columns &&
      row >= 0 &&
      row <= this.rows;
    return isCorner ? 2 * (row * (this.columns + 1) + column) : null;
  }

  #bent(column: number, row: number): readonly [east: Metres, north: Metres] {
    const scale = this.#scale;
    const x = (column - this.columns / 2) * SPACING;
    const y = (row - this.rows / 2) * SPACING;
    const bend = BEND * bendAt(column, row);
    if (bend === 0) return [x * scale, y * scale];
    const [a, b] = WAVE_LENGTHS.map((length) => (2 * Math.PI) / length);
    const [p, q, r, s] = this.#phases;
    return [
      scale * (x + bend * Math.sin(x * b + p) * Math.cos(y * a + q)),
      scale * (y + bend * Math.sin(y * b + r) * Math.cos(x * a + s)),
    ];
  }
}

/**
 * Share of the bend applied at a position, 0 to 1: zero in and around the plain grid, increasing
 * away from it.
 */
function bendAt(column: number, row: number): number {
  const { side, column: west, row: south } = PLAIN_GRID;
  const away = Math.max(west - column, column - west - side, south - row, row - south - side);
  const t = (away - STRAIGHT_MARGIN) / (FULL_BEND_MARGIN - STRAIGHT_MARGIN);
  const clamped = Math.min(1, Math.max(0, t));
  return clamped * clamped * (3 - 2 * clamped);
}
