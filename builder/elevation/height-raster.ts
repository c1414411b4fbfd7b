import type { Degrees, Metres } from '../../shards/units.ts';

/** Ground heights on a lattice of degrees, rows from north to south. */
export interface HeightRaster {
  /** Position of the center of the first cell. */
  readonly west: Degrees;
  readonly north: Degrees;
  /** Distance between cells, eastwards and southwards. */
  readonly stepEast: Degrees;
  readonly stepSouth: Degrees;
  readonly columns: number;
  readonly rows: number;
  /**
   * Reads heights in metres, row by row, NaN where there is none. Throws a `BuildError` that names
   * the file.
   */
  read(window: CellWindow): Promise<Float32Array>;
  close(): Promise<void>;
}

/** Cells from `left` and `top` (inclusive) to `right` and `bottom` (exclusive). */
export interface CellWindow {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Range of plausible heights. Files use all kinds of values outside it for missing data. */
const LOWEST: Metres = -500;
const HIGHEST: Metres = 9_000;

/** Replaces implausible heights, and those equal to `noData`, with NaN, in place. */
export function withoutVoids(heights: Float32Array, noData?: number | null): Float32Array {
  for (let i = 0; i < heights.length; i++) {
    const height = heights[i];
    const isHeight = height >= LOWEST && height <= HIGHEST && height !== noData;
    if (!isHeight) heights[i] = Number.NaN;
  }
  return heights;
}
