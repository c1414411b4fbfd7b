import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MemoryShares } from '../../builder/prepare/memory-shares.ts';

/** Runs pieces of work of some sizes, in this order; returns what ran together at each moment. */
async function ranTogether(memory: number, sizes: readonly number[]): Promise<number[][]> {
  const shares = new MemoryShares(memory);
  const running = new Set<number>();
  const moments: number[][] = [];
  const work = (size: number, i: number) =>
    shares.hold(size, async () => {
      running.add(i);
      moments.push([...running]);
      await turnOfLoop();
      running.delete(i);
      if (size === 13) throw new Error('a piece failed');
    });
  await Promise.allSettled(sizes.map(work));
  return moments;
}

test('pieces of work run together as long as they fit into memory, first come, first served', async () => {
  expect(await ranTogether(10, [4, 4, 4, 4])).toEqual([[0], [0, 1], [1, 2], [2, 3]]);
  // A large one is not overtaken by small ones that would fit beside the others.
  expect(await ranTogether(10, [4, 8, 2])).toEqual([[0], [1], [1, 2]]);
});

test('a piece that needs more than all memory runs alone', async () => {
  expect(await ranTogether(10, [4, 99, 4])).toEqual([[0], [1], [2]]);
  expect(await ranTogether(-1, [4, 4])).toEqual([[0], [1]]);
});

test('a piece that fails gives its memory back', async () => {
  expect(await ranTogether(13, [13, 13, 6, 7])).toEqual([[0], [1], [2], [2, 3]]);
});
