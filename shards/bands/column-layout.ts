import type { Bytes } from '../units.ts';

/**
 * A public object with columns of a number below 8 for each block of a county. Since it is public,
 * its layout is made for other programs:
 *
 *     0   8  eight letters that name the content
 *     8   4  bytes of the head, little-endian
 *    12   …  head: JSON, as raw Deflate, with the lengths of the columns in `column_bytes`
 *     …   …  columns, each a raw Deflate stream
 *
 * A column has half a byte per block, the lower half first: the block's number minus the previous
 * block's, modulo 8. Neighbours by GEOID are mostly neighbours on the ground, so most differences
 * are 0, and Deflate makes them a tenth smaller than the numbers. A reader needs one range for the
 * head and one per column. This module has no dependency on Node, since browsers read the object
 * too.
 */
export const HEAD_AT: Bytes = 12;

const MODULUS = 8;

/** Bytes of a column of `blocks` numbers, before Deflate. */
export function columnBytes(blocks: number): Bytes {
  return Math.ceil(blocks / 2);
}

export function encodeColumn(numbers: Uint8Array): Uint8Array {
  const steps = new Uint8Array(columnBytes(numbers.length));
  let before = 0;
  for (let block = 0; block < numbers.length; block++) {
    const step = (numbers[block] - before + MODULUS) % MODULUS;
    steps[block >> 1] |= step << (4 * (block & 1));
    before = numbers[block];
  }
  return steps;
}

export function decodeColumn(steps: Uint8Array, blocks: number): Uint8Array {
  const numbers = new Uint8Array(blocks);
  let number = 0;
  for (let block = 0; block < blocks; block++) {
    number = (number + (steps[block >> 1] >> (4 * (block & 1)))) % MODULUS;
    numbers[block] = number;
  }
  return numbers;
}
