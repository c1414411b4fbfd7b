import { expect, test } from 'vitest';
import { folderOfThisTest } from '../support/temporary-folder.ts';
import { buildCity, readRecord } from './scale.ts';

test('the smallest city of SCALE.md still has the pairs and bytes that its tables state', async () => {
  const { cities } = await readRecord();
  const { blocks, pois, pairs, bytes } = cities[0];
  const built = await buildCity(blocks, await folderOfThisTest());
  const stale = 'run npm run bench -- scale, and commit the tables that it writes';
  expect({ pois: built.pois, pairs: built.pairs }, stale).toEqual({ pois, pairs });
  const kinds = new Set([...Object.keys(bytes), ...Object.keys(built.bytes)]);
  const moved = [...kinds].filter((kind) => {
    const [now, then] = [built.bytes[kind] ?? 0, bytes[kind] ?? 0];
    return Math.abs(now - then) > 0.02 * Math.max(now, then);
  });
  expect(moved, stale).toEqual([]);
});
