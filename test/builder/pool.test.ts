import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { inOrder, thisThread } from '../../builder/threads/pool.ts';
import { compiled } from '../support/compiled.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
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
