import type { Degrees, Metres } from '../../shards/units.ts';

/** Heights of the ground on a lattice of degrees, rows from north to south. */
export interface HeightRaster {
  /** Where the middle of the first cell lies. */
  readonly west: Degrees;
  readonly north: Degrees;
  /** From one cell to the next, eastwards and southwards. */
  readonly stepEast: Degrees;
  readonly stepSouth: Degrees;
  readonly columns: number;
  readonly rows: number;
  /** Metres, row by row, NaN where there is no height. Throws a `BuildError` that names the file. */
  read(window: CellWindow): Promise<Float32Array>;
  close(): Promise<void>;
}

/** Cells from `left` and `top` up to `right` and `bottom`, which are not among them. */
export interface CellWindow {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** No ground is lower or higher; files have all kinds of numbers for what is not known. */
const LOWEST: Metres = -500;
const HIGHEST: Metres = 9_000;

/** Sets what cannot be the height of any ground to NaN, in place. */
export function withoutVoids(heights: Float32Array, isVoid?: number | null): Float32Array {
  for (let i = 0; i < heights.length; i++) {
    const height = heights[i];
    const isHeight = height >= LOWEST && height <= HIGHEST && height !== isVoid;
    if (!isHeight) heights[i] = Number.NaN;
  }
  return heights;
}
