import { expect } from 'vitest';
import { ShardError } from '../../shards/errors.ts';

/** Bytes with one bit flipped, and cut short, at a place that a number of any size stands for. */
export function harmedAt(bytes: Uint8Array, where: number): [flipped: Uint8Array, cut: Uint8Array] {
  const flipped = bytes.slice();
  flipped[where % bytes.length] ^= 1 << (where % 8);
  return [flipped, bytes.subarray(0, where % bytes.length)];
}

/** Reads bytes that were harmed so: whatever comes of it is right, as `read` holds, or a named error. */
export async function expectRightOrNamed(
  bytes: Uint8Array,
  where: number,
  read: (harmed: Uint8Array) => unknown,
): Promise<void> {
  for (const harmed of harmedAt(bytes, where)) {
    try {
      await read(harmed);
    } catch (error) {
      expect(error).toBeInstanceOf(ShardError);
    }
  }
}
