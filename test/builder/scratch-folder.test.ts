import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { inScratchFolder } from '../../builder/scratch-folder.ts';
import { isTransient } from '../../infra/build-queue/retries.ts';
import { describe as describeError } from '../../infra/errors.ts';
import { ownProcessName } from '../../shards/store/process-name.ts';
import { ScratchFile } from '../../shards/store/scratch-file.ts';
import {
  endedName,
  nameBeforeBoot,
  reusedName,
  runningName,
  unseenName,
} from '../support/process-names.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const folder = folderOfEachTest();

afterEach(() => vi.unstubAllEnvs());

test('leftovers of a killed process are removed, and those of a live one are kept', async () => {
  vi.stubEnv('TMPDIR', folder);
  const own = await inScratchFolder(undefined, async (scratch) => path.basename(scratch));
  const of = (name: string) => own.replace(ownProcessName(), name);
  for (const name of [endedName(), reusedName(process.ppid), nameBeforeBoot()]) {
    await mkdir(path.join(folder, of(name), 'piles'), { recursive: true });
  }
  const kept = [of(runningName(process.ppid)), of(unseenName()), 'tta-build-of-somebody'];
  for (const name of kept) await mkdir(path.join(folder, name));
  await inScratchFolder(undefined, async (scratch) => {
    const left = [path.basename(scratch), ...kept];
    expect((await readdir(folder)).sort()).toEqual(left.sort());
  });
});

test('the still empty folder of a live process survives the end of another in the same folder', async () => {
  const shared = path.join(folder, 'shared');
  const live = await inScratchFolder(shared, async (scratch) => {
    const [ended, running] = [endedName(), runningName(process.ppid)].map((name) =>
      scratch.replace(ownProcessName(), name),
    );
    for (const one of [ended, running]) await mkdir(one);
    return path.basename(running);
  });
  expect(await readdir(shared)).toEqual([live]);
  await rm(path.join(shared, live), { recursive: true });
  // Builds that begin while others end, and so remove the shared folder.
  const build = async () => {
    for (let round = 0; round < 100; round++) await inScratchFolder(shared, async () => {});
  };
  await Promise.all(Array.from({ length: 4 }, build));
  expect(await readdir(folder)).toEqual([]);
});

test.each([
  ['written at once', (file: string) => writeFile(file, 'x')],
  [
    'appended to',
    async (file: string) => {
      const scratch = new ScratchFile(file);
      try {
        scratch.append(new Uint8Array(1 << 21));
      } finally {
        scratch.close();
      }
    },
  ],
])(
  'a disk that is full while a file is %s is named with advice, and tried again later',
  async (_, write) => {
    const work = async (scratch: string) => {
      const file = path.join(scratch, 'file');
      // A device on which every write fails as on a full disk.
      await symlink('/dev/full', file);
      await write(file);
    };
    const error = await inScratchFolder(folder, work).catch((failure) => failure);
    expect(describeError(error)).toBe(`${folder}: the disk is full: free some space and run again`);
    expect(isTransient(error)).toBe(true);
  },
);
