import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MemoryLimit } from '../../builder/threads/memory-limit.ts';

/** Runs jobs of the given sizes in order; returns the jobs that ran whenever one started. */
async function ranTogether(memory: number, sizes: readonly number[]): Promise<number[][]> {
  const limit = new MemoryLimit(memory);
  const running = new Set<number>();
  const moments: number[][] = [];
  const work = (size: number, i: number) =>
    limit.run(size, async () => {
      running.add(i);
      moments.push([...running]);
      await turnOfLoop();
      running.delete(i);
      if (size === 13) throw new Error('a job failed');
    });
  await Promise.allSettled(sizes.map(work));
  return moments;
}

test('jobs run together as long as they fit into memory, first come, first served', async () => {
  expect(await ranTogether(10, [4, 4, 4, 4])).toEqual([[0], [0, 1], [1, 2], [2, 3]]);
  // Small jobs do not overtake a large one, even if they would fit beside the running ones.
  expect(await ranTogether(10, [4, 8, 2])).toEqual([[0], [1], [1, 2]]);
});

test('a job that needs more than all memory runs alone', async () => {
  expect(await ranTogether(10, [4, 99, 4])).toEqual([[0], [1], [2]]);
  expect(await ranTogether(-1, [4, 4])).toEqual([[0], [1]]);
});

test('a job that fails frees its memory', async () => {
  expect(await ranTogether(13, [13, 13, 6, 7])).toEqual([[0], [1], [2], [2, 3]]);
});
