import type { Bytes } from '../units.ts';

/**
 * The bands of a county's blocks, for maps: the data of the band tiles, by block instead of by
 * area. The object is public, so its layout is made for other programs:
 *
 *     0   8  `TTABAND1`
 *     8   4  bytes of the head, little-endian
 *    12   …  head: JSON, as raw Deflate
 *     …   …  columns, one per mode and leaf type, mode by mode; each a raw Deflate stream
 *
 * A column has half a byte per block, the lower half first: the block's band minus the previous
 * block's, modulo 8. Neighbours by GEOID are mostly neighbours on the ground, so most differences
 * are 0, and Deflate makes them a tenth smaller than bands. A reader needs one range for the head
 * and one per column. This module has no dependency on Node, since browsers read the object too.
 */
export const BLOCK_BANDS_MAGIC = 'TTABAND1';
export const HEAD_AT: Bytes = 12;

/** Modulus of the differences between bands. */
const MODULUS = 8;

export interface BlockBandsHead {
  readonly county: string;
  readonly modes: readonly string[];
  /** Leaf types, ascending. */
  readonly dest_type_ids: readonly number[];
  /** Length of each column. */
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

/** The inverse of `stepsBetween`. */
export function sumsOf(steps: readonly number[]): Float64Array {
  let sum = 0;
  return Float64Array.from(steps, (step) => {
    sum += step;
    return sum;
  });
}

/** Bytes of a column of `blocks` bands, before Deflate. */
export function columnBytes(blocks: number): Bytes {
  return Math.ceil(blocks / 2);
}

/** Encodes the bands of a column's blocks. */
export function encodeColumn(bands: Uint8Array): Uint8Array {
  const steps = new Uint8Array(columnBytes(bands.length));
  let before = 0;
  for (let block = 0; block < bands.length; block++) {
    const step = (bands[block] - before + MODULUS) % MODULUS;
    steps[block >> 1] |= step << (4 * (block & 1));
    before = bands[block];
  }
  return steps;
}

/** The inverse of `encodeColumn`. */
export function decodeColumn(steps: Uint8Array, blocks: number): Uint8Array {
  const bands = new Uint8Array(blocks);
  let band = 0;
  for (let block = 0; block < blocks; block++) {
    band = (band + (steps[block >> 1] >> (4 * (block & 1)))) % MODULUS;
    bands[block] = band;
  }
  return bands;
}
