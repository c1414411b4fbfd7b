import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { inOrder, type ThreadLimits, thisThread } from '../../builder/threads/pool.ts';
import { compiled } from '../support/compiled.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { TTA } from '../support/tta.ts';

const folder = folderOfTests();

test('timers run while one thread does piece after piece', async () => {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  const pool = thisThread((piece: number) => {
    for (const end = performance.now() + 5; performance.now() < end; );
    return piece;
  });
  const pieces = Array.from({ length: 20 }, (_, i) => i);
  const results: number[] = [];
  await inOrder(pool, pieces, (result) => void results.push(result));
  clearInterval(timer);
  expect(results).toEqual(pieces);
  // Three pieces may be done before the first result is awaited.
  expect(ticks).toBeGreaterThanOrEqual(5);
});

test('errors from a thread keep their kind and the object they concern', async () => {
  const built = pathToFileURL(path.join(TTA, '../../..')).href;
  const module = path.join(folder, 'failing.mjs');
  await writeFile(
    module,
    `import { StoreError } from '${built}/shards/errors.js';
     export const openWork = (last) => (piece) => {
       if (piece === 2) throw Object.assign(new StoreError('unavailable', 'a/b', 'gone'), { piece, run() {} });
       return Math.min(piece, last);
     };`,
  );
  const { openThreads, inOrder } = await compiled('threads/pool');
  const pool = openThreads<number, number>(pathToFileURL(module), 2, 0);
  const results: number[] = [];
  const all = inOrder(pool, [0, 1, 2, 3, 4, 5, 6, 7], (result) => void results.push(result));
  const fault = await all.catch((error) => error).finally(() => pool.close());
  const facts = {
    name: 'StoreError',
    failure: 'unavailable',
    object: 'a/b',
    message: 'a/b: gone',
    piece: 2,
  };
  expect(fault).toMatchObject({ ...facts, stack: expect.stringContaining('failing.mjs') });
  // No more than what the threads were opened with.
  expect(results).toEqual([0, 0]);
});

/** Opens a thread that does the work of a module whose `openWork` has this body. */
async function threadDoing(name: string, body: string, limits: ThreadLimits) {
  const module = path.join(folder, `${name}.mjs`);
  await writeFile(module, `export const openWork = () => { ${body} };`);
  const { openThreads } = await compiled('threads/pool');
  return ofThisTest(openThreads<number, number>(pathToFileURL(module), 1, null, limits));
}

test('a thread whose heap is full fails its piece as work that needs more memory', async () => {
  const grow = 'return (piece) => { for (const all = []; ; ) all.push(Array(1000).fill(piece)); }';
  const pool = await threadDoing('growing', grow, { heap: 16 * 2 ** 20 });
  const fault = await pool.run(1).catch((error) => error);
  expect(fault).toMatchObject({
    name: 'OutOfMemory',
    message: expect.stringMatching(/^out of memory; /),
  });
});

test.each([{}, { idleMs: 20 }])(
  'a thread that cannot begin fails what waits for it: %j',
  async (limits) => {
    const pool = await threadDoing('none', 'throw new Error("no data");', limits);
    await expect(pool.run(1)).rejects.toThrow('no data');
  },
);

test('a thread without work ends, if it may, and there is another when there is work again', async () => {
  const tasks = () => readdirSync('/proc/self/task').length;
  const pool = await threadDoing('idle', 'return (piece) => piece + 1;', { idleMs: 20 });
  const before = tasks();
  for (const piece of [1, 2]) {
    expect(await pool.run(piece)).toBe(piece + 1);
    await expect.poll(tasks).toBe(before);
  }
});
