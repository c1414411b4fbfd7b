import { readFile, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { collectGarbage } from '../../builder/publish/collect-garbage.ts';
import { endLease, LEASE_LAPSES_MS, withLease } from '../../builder/publish/leases.ts';
import { withBuildsLocked } from '../../builder/publish/locks.ts';
import { whileBuilding } from '../../builder/publish/output.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { publishSmallRelease } from '../support/small-release.ts';
import { folderOfTests } from '../support/temporary-folder.ts';

const BUILD = '0123456789abcdef';
const OLD = new Date(0);
const silently = { onWait: () => {} };
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

test('neither gc nor a local build removes files that workers wrote, until their build is done', async () => {
  const work = async () => {
    await expect(collect()).rejects.toThrow(/workers of a build are writing to it \(last process/);
    await whileBuilding(other, [], async () => {});
  };
  await withLease(store, BUILD, work, silently);
  // The lease also holds between two jobs.
  await expect(collect()).rejects.toThrow('writing to it');
  expect([await isThere(OBJECT), await isThere(HALF)]).toEqual([true, true]);
  await endLease(store, BUILD);
  await whileBuilding(other, [], async () => {});
  expect([await isThere(OBJECT), await isThere(HALF)]).toEqual([true, false]);
  await collect();
  expect(await isThere(OBJECT)).toBe(false);
});

test('the lease of a build whose workers have died expires; that of a live one does not', async () => {
  const lease = file(`leases/${BUILD}.json`);
  const long = new Date(Date.now() - LEASE_LAPSES_MS - 1_000);
  const aged = () => utimes(lease, long, long);
  await withLease(
    store,
    BUILD,
    async () => {
      await aged();
      await expect.poll(async () => (await stat(lease)).mtimeMs).toBeGreaterThan(long.getTime());
      await expect(collect()).rejects.toThrow('writing to it');
    },
    { ...silently, lapsesMs: 500 },
  );
  await aged();
  await collect();
  expect([await isThere(OBJECT), await isThere(`leases/${BUILD}.json`)]).toEqual([false, false]);
});

test('workers and commands that begin a lease at the same moment all get it', async () => {
  const begun = [store, other, store, other].map((one, i) =>
    withLease(one, BUILD, async () => i, silently),
  );
  expect(await Promise.all(begun)).toEqual([0, 1, 2, 3]);
});

test('a lease that ends while gc looks at it does not hold gc up', async () => {
  await withLease(store, BUILD, async () => {}, silently);
  const read = other.readWhole.bind(other);
  vi.spyOn(other, 'readWhole').mockImplementation(async (name) => {
    if (name.startsWith('leases/')) await endLease(store, BUILD);
    return read(name);
  });
  await collect();
  expect(await isThere(OBJECT)).toBe(false);
});

test('a lock that is held for a moment holds up neither a build nor gc', async () => {
  for (const [name, use] of [
    ['.build-lock', () => whileBuilding(store, [], async () => {})],
    ['.sweep-lock', () => collect()],
    ['manifests/retention.lock', () => collect()],
  ] as const) {
    const lock = await other.lock(name);
    const using = use();
    await Promise.race([using, new Promise((resolve) => setTimeout(resolve, 100))]);
    if (lock.taken) await lock.release();
    await using;
  }
});

test('a worker starts writing once gc is done, and reports what it waits for', async () => {
  const said: string[] = [];
  const sweep = await other.lock('.sweep-lock');
  const waiting = (ms: number) =>
    withLease(store, BUILD, async () => 'worked', { ms, onWait: (line) => said.push(line) });
  await expect(waiting(0)).rejects.toThrow(/process \d+ is removing unused objects/);
  const patient = waiting(120_000);
  await expect.poll(() => said).toEqual([expect.stringMatching(/is removing unused objects/)]);
  if (sweep.taken) await sweep.release();
  expect(await patient).toBe('worked');
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
