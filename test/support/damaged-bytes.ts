import { expect } from 'vitest';
import { ShardError } from '../../shards/errors.ts';

/**
 * Returns bytes with one bit flipped, and bytes cut off, at a position derived from a number of any
 * size.
 */
export function damagedAt(
  bytes: Uint8Array,
  where: number,
): [flipped: Uint8Array, cut: Uint8Array] {
  const flipped = bytes.slice();
  flipped[where % bytes.length] ^= 1 << (where % 8);
  return [flipped, bytes.subarray(0, where % bytes.length)];
}

/**
 * Reads bytes damaged by `damagedAt`: `read` must either pass its own checks or throw a
 * `ShardError`.
 */
export async function expectRightOrNamed(
  bytes: Uint8Array,
  where: number,
  read: (harmed: Uint8Array) => unknown,
): Promise<void> {
  for (const harmed of damagedAt(bytes, where)) {
    try {
      await read(harmed);
    } catch (error) {
      expect(error).toBeInstanceOf(ShardError);
    }
  }
}
