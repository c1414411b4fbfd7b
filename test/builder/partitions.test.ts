import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { asJson, Partitions } from '../../builder/prepare/partitions.ts';
import { folderOfTests } from '../support/temporary-folder.ts';

const folder = folderOfTests();

test('groups that are taken leave no files, and the others theirs', async () => {
  const piles = new Partitions<string, number>(path.join(folder, 'pile-'), 4, asJson());
  for (let i = 0; i < 11; i++) await piles.add(i % 2 === 0 ? 'even' : 'odd', i);
  expect(await readdir(folder)).toHaveLength(4);
  expect(await piles.take('even')).toEqual([0, 2, 4, 6, 8, 10]);
  const left = await readdir(folder);
  expect(left).toHaveLength(2);
  expect(left.every((name) => name.startsWith('pile-odd'))).toBe(true);
  expect(await piles.take('odd')).toEqual([1, 3, 5, 7, 9]);
  expect(await readdir(folder)).toEqual([]);
});
