import type { Bytes } from '../units.ts';

/**
 * Names the bands of a county's blocks, for maps: the data of the band tiles, by block instead of
 * by area. A file of columns (`column-layout.ts`): one per mode and leaf type, mode by mode.
 */
export const BLOCK_BANDS_MAGIC = 'TTABAND1';

export interface BlockBandsHead {
  readonly county: string;
  readonly modes: readonly string[];
  /** Leaf types, ascending. */
  readonly dest_type_ids: readonly number[];
  readonly column_bytes: readonly Bytes[];
  /** The first GEOID as a number, then each GEOID minus the previous one. */
  readonly geoid_steps: readonly number[];
  /** Coordinates of the centres in degrees × 10⁵, delta-encoded like the GEOIDs. */
  readonly lon_steps: readonly number[];
  readonly lat_steps: readonly number[];
  /** Population of each block; null if unknown. */
  readonly population: readonly (number | null)[];
  /** Positions of the blocks without land, which maps do not draw. */
  readonly water: readonly number[];
}

/** Delta-encodes a list: the first value, then each value minus the previous one. */
export function stepsBetween(values: readonly number[]): number[] {
  return values.map((value, i) => value - (i === 0 ? 0 : values[i - 1]));
}

export function sumsOf(steps: readonly number[]): Float64Array {
  let sum = 0;
  return Float64Array.from(steps, (step) => {
    sum += step;
    return sum;
  });
}
