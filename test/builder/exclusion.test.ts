import { readFile, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { collectGarbage } from '../../builder/publish/collect-garbage.ts';
import { withBuildsLocked } from '../../builder/publish/locks.ts';
import { whileBuilding } from '../../builder/publish/output.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { publishSmallRelease } from '../support/small-release.ts';
import { folderOfTests } from '../support/temporary-folder.ts';

const OLD = new Date(0);
/** A file that a worker has written, and one that it is writing; no manifest names either. */
const OBJECT = 'pois/99001-0123456789abcdef.tta';
const HALF = 'pois/99003-0123456789abcdef.tta.01234567-89ab-4def-8123-456789abcdef.tmp';

const folder = folderOfTests();
let stores = 0;
let store: FolderStore;
/** The same store as another process opens it. */
let other: FolderStore;

const file = (name: string) => path.join(store.location, name);
const isThere = (name: string) =>
  readFile(file(name)).then(
    () => true,
    () => false,
  );
const collect = () =>
  collectGarbage(other, { keep: 0, graceHours: 0, dryRun: false }, new Date(Date.now() + 1_000));

beforeEach(async () => {
  const location = path.join(folder, String(stores++));
  [store, other] = [new FolderStore(location), new FolderStore(location)];
  await publishSmallRelease(location, 'r', []);
  await store.putContent(OBJECT, Buffer.from('of a unit'));
  await writeFile(file(HALF), 'of a');
  for (const name of [OBJECT, HALF]) await utimes(file(name), OLD, OLD);
});
afterEach(async () => {
  await Promise.all([store.close(), other.close()]);
});

test('garbage collection refuses during a build, and a build by workers removes nothing that they are writing', async () => {
  const build = async () => {
    await expect(collect()).rejects.toThrow(/a build \(process \d+\) is writing to it/);
    expect([await isThere(OBJECT), await isThere(HALF)]).toEqual([true, true]);
  };
  await whileBuilding(store, [], build, true);
  await whileBuilding(store, [], async () => {});
  expect([await isThere(OBJECT), await isThere(HALF)]).toEqual([true, false]);
  await collect();
  expect(await isThere(OBJECT)).toBe(false);
});

test('a lock that is held for a moment holds up neither a build nor gc', async () => {
  for (const [name, use] of [
    ['.build-lock', () => whileBuilding(store, [], async () => {})],
    ['manifests/retention.lock', () => collect()],
  ] as const) {
    const lock = await other.lock(name);
    const using = use();
    await Promise.race([using, new Promise((resolve) => setTimeout(resolve, 100))]);
    if (lock.taken) await lock.release();
    await using;
  }
});

test('a build waiting for another continues when that is done, and gives up eventually', async () => {
  const lock = await other.lock('.build-lock');
  const said: string[] = [];
  const publish = (ms: number) =>
    withBuildsLocked(
      store,
      (owner) => `${owner} builds`,
      async () => 'published',
      {
        ms,
        onWait: (line: string) => said.push(line),
      },
    );
  await expect(publish(50)).rejects.toThrow(/process \d+ builds$/);
  const patient = publish(600_000);
  await expect.poll(() => said).toHaveLength(1);
  if (lock.taken) await lock.release();
  expect(await patient).toBe('published');
  expect(said).toHaveLength(1);
});
