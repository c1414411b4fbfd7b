import { execFileSync } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { inScratchFolder } from '../../builder/scratch-folder.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const folder = folderOfEachTest();

afterEach(() => vi.unstubAllEnvs());

test('removes leftovers of a killed process, and keeps those of a live one', async () => {
  vi.stubEnv('TMPDIR', folder);
  const dead = Number(execFileSync(process.execPath, ['-p', 'process.pid']));
  const own = await inScratchFolder(undefined, async (scratch) => path.basename(scratch));
  const of = (pid: number) => own.replace(`_${process.pid}-`, `_${pid}-`);
  await mkdir(path.join(folder, of(dead), 'piles'), { recursive: true });
  await mkdir(path.join(folder, of(process.ppid)));
  await inScratchFolder(undefined, async (scratch) => {
    const left = [path.basename(scratch), of(process.ppid)];
    expect((await readdir(folder)).sort()).toEqual(left.sort());
  });
});
