import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { describeInput, type LocalInput } from '../../builder/plan/planned-input.ts';
import { fetchInputs, putInput } from '../../builder/plan/shared-inputs.ts';
import { silent } from '../../builder/progress.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { folderOfTests } from '../support/temporary-folder.ts';

const folder = folderOfTests();

test('a worker keeps the inputs at hand, and of others those used last, within a bound', async () => {
  const store = new FolderStore(path.join(folder, 'store'));
  const at = path.join(folder, 'worker');
  const given: LocalInput[] = [];
  for (const name of ['a', 'b', 'c', 'd']) {
    await mkdir(path.join(folder, name));
    const file = path.join(folder, name, 'extract');
    await writeFile(file, name.repeat(10));
    given.push(await describeInput(file));
    await putInput(store, given.at(-1)!);
  }
  /** Fetches some at a time of day, with room for two others; returns what is there. */
  const fetched = async (hour: number, ...wanted: number[]) => {
    const planned = wanted.map((i) => given[i].input);
    const local = await fetchInputs(store, planned, at, silent, 20);
    const used = new Date(2026, 0, 1, hour);
    for (const { path: file } of local) await utimes(path.dirname(file), used, used);
    for (const [i, { path: file }] of local.entries()) {
      expect(await readFile(file, 'utf8')).toBe('abcd'[wanted[i]].repeat(10));
    }
    const kept = (await readdir(at)).map((name) => path.join(at, name, 'extract'));
    return (await Promise.all(kept.map((file) => readFile(file, 'utf8'))))
      .map(([one]) => one)
      .sort();
  };
  expect(await fetched(1, 0)).toEqual(['a']);
  expect(await fetched(2, 1)).toEqual(['a', 'b']);
  expect(await fetched(3, 0, 2)).toEqual(['a', 'b', 'c']);
  expect(await fetched(4, 3)).toEqual(['a', 'c', 'd']);
  expect(await fetched(5, 0, 1, 2, 3)).toEqual(['a', 'b', 'c', 'd']);
  await store.close();
});
