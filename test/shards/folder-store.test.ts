import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, readlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { openStore, openWritableStore } from '../../shards/store/open-store.ts';
import { ownProcessName } from '../../shards/store/process-name.ts';
import { lockHolder } from '../support/lock-holder.ts';
import {
  endedName,
  nameBeforeBoot,
  reusedName,
  runningName,
  unseenName,
} from '../support/process-names.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { ofEachTest, ofThisTest } from '../support/test-resources.ts';
import { bytes, readerSuite } from './reader-suite.ts';
import { storeModel } from './store-model.ts';
import { writerSuite } from './writer-suite.ts';

const folder = folderOfEachTest();
const store = ofEachTest(() => new FolderStore(folder));

const ref = { name: 'kind/object.tta', bytes: 1000, sha256: '' };

const kind = 'a folder';
readerSuite({
  kind,
  make: async () => ({
    writer: new FolderStore(folder),
    open: () => openStore(folder),
  }),
});
writerSuite({
  kind,
  make: async () => folder,
  open: openWritableStore,
  holder: (location) =>
    lockHolder(
      `import { openWritableStore } from '${path.resolve('dist/shards/store/open-store.js')}';`,
      '(await openWritableStore(process.argv[1]))',
      location,
    ),
  lapsesMs: 0,
});
storeModel(
  {
    kind: 'a folder',
    async make() {
      const root = await mkdtemp(path.join(folder, 'store-'));
      return { store: new FolderStore(root), open: () => openStore(root) };
    },
  },
  8,
);

test('an object of the right size with wrong bytes does not count as present, and is replaced', async () => {
  await store.putContent(ref.name, bytes);
  const file = path.join(folder, ref.name);
  for (const at of [0, 500, 999]) {
    await writeFile(file, Uint8Array.from(bytes).fill(bytes[at] ^ 1, at, at + 1));
    expect(await store.putContent(ref.name, bytes)).toBe('written');
    expect((await readFile(file)).equals(bytes)).toBe(true);
    expect(await store.putContent(ref.name, bytes)).toBe('present');
  }
  expect(await readdir(path.join(folder, 'kind'))).toEqual(['object.tta']);
});

test('a process that has repaired an object reads the new one at once, other readers soon', async () => {
  const keepOpenMs = 100;
  const reader = await ofThisTest(new FolderStore(folder, keepOpenMs));
  await store.putContent(ref.name, Uint8Array.from(bytes).fill(7, 100, 101));
  for (const each of [store, reader]) expect((await each.readRange(ref, 100, 1))[0]).toBe(7);
  await store.putContent(ref.name, bytes);
  expect((await store.readRange(ref, 100, 1))[0]).toBe(bytes[100]);
  await new Promise((resolve) => setTimeout(resolve, keepOpenMs * 2));
  expect((await reader.readRange(ref, 100, 1))[0]).toBe(bytes[100]);
});

/** Files below a folder that this process has open. */
async function openFilesIn(root: string): Promise<string[]> {
  const handles = await readdir('/proc/self/fd');
  const files = await Promise.all(
    handles.map((handle) => readlink(`/proc/self/fd/${handle}`).catch(() => '')),
  );
  return files.filter((file) => file.startsWith(root));
}

test('a store that is closed leaves no file open, not even of reads that have begun', async () => {
  const names = Array.from({ length: 20 }, (_, i) => `kind/${i}`);
  for (const name of names) await store.putContent(name, bytes);
  const reads = names.map((name) => store.readRange({ ...ref, name }, 0, 10));
  await store.close();
  await Promise.all(reads);
  await expect.poll(() => openFilesIn(folder)).toEqual([]);
});

test('a lock whose owner has died is taken over', async () => {
  // No process has this id: it exceeds Linux's maximum.
  await writeFile(path.join(folder, 'latest.json.lock'), '4194305');
  await store.putConditional('latest.json', bytes, null);
  expect(await readdir(folder)).toEqual(['latest.json']);
});

const HALF_WRITTEN = '01234567-89ab-cdef-0123-456789abcdef.tmp';

test('leftovers of a killed writer are listed separately, excluding files being moved into place', async () => {
  await store.putContent(ref.name, bytes);
  const lock = await store.lock('latest.json.lock');
  const left = [ref.name, 'latest.json', `kind/section.lock.${ownProcessName()}`].map(
    (of) => `${of}.${HALF_WRITTEN}`,
  );
  for (const name of left) await writeFile(path.join(folder, name), 'half');
  const names = async (prefix: string) => (await store.leftovers(prefix)).map(({ name }) => name);
  expect(await names('kind/')).toEqual([left[0]]);
  expect(await names('')).toEqual([]);
  if (lock.taken) await lock.release();
  expect(await names('')).toEqual([left[1]]);
  expect((await store.list('kind/')).map(({ name }) => name)).toEqual([ref.name]);
  expect(await store.list('latest')).toEqual([]);
});

test('a lock held to take over another is a leftover once its owner has died, too', async () => {
  const dead = ['section.lock.0123456789abcdef.lock', 'latest.json.lock.0123456789abcdef.lock'];
  for (const name of dead) await writeFile(path.join(folder, name), '4194305');
  const alive = await store.lock('section.lock.fedcba9876543210.lock');
  expect(alive.taken).toBe(true);
  expect((await store.leftovers('')).map(({ name }) => name).sort()).toEqual(dead.sort());
});

test('a store contains the files below its folder, whatever their names start with, and no others', () => {
  const held = ['a', '..a/b', '...', 'a/../b'].map((name) => path.join(folder, name));
  const others = [path.dirname(folder), `${folder}a`, path.join(folder, '..', 'a')];
  expect(held.map((file) => store.holdsFile(file))).toEqual(held.map(() => true));
  expect(others.map((file) => store.holdsFile(file))).toEqual(others.map(() => false));
});

test('a lock of an earlier process with the id of one that runs now is taken over', async () => {
  for (const name of [
    '1',
    reusedName(process.pid),
    reusedName(process.ppid),
    nameBeforeBoot(),
    // This very process, which has no such lock.
    ownProcessName(),
  ]) {
    await writeFile(path.join(folder, 'section.lock'), `${name} of another life`);
    const lock = await store.lock('section.lock');
    expect(lock.taken).toBe(true);
    expect((await store.lock('section.lock')).taken).toBe(false);
    if (lock.taken) await lock.release();
  }
  await writeFile(path.join(folder, 'section.lock'), `${runningName(process.ppid)} held`);
  expect(await store.lock('section.lock')).toEqual({
    taken: false,
    owner: `process ${process.ppid}`,
  });
});

test('a lock of another container is taken over once it has not been renewed for a minute', async () => {
  const file = path.join(folder, 'section.lock');
  await writeFile(file, `${unseenName()} held`);
  const held = (seconds: string) => {
    const lapses = `whose lock lapses in ${seconds} s if it has ended`;
    const owner = expect.stringMatching(`^process 1 on another-container, ${lapses}$`);
    return { taken: false, owner };
  };
  expect(await store.lock('section.lock')).toEqual(held('(60|59)'));
  const ago = (ms: number) => new Date(Date.now() - ms);
  await utimes(file, ago(50_000), ago(50_000));
  expect(await store.lock('section.lock')).toEqual(held('(10|9)'));
  await utimes(file, ago(61_000), ago(61_000));
  expect((await store.lock('section.lock')).taken).toBe(true);
});

/** Whether this user may run a program as process 1 of a container would run. */
const hasContainers = spawnSync('unshare', ['-fp', 'true']).status === 0;

test.runIf(hasContainers)('containers on one folder do not hold a lock at once', async () => {
  const contend = () =>
    lockHolder(
      `import { openWritableStore } from '${path.resolve('dist/shards/store/open-store.js')}';`,
      '(await openWritableStore(process.argv[1]))',
      folder,
      {},
      ['unshare', '-fp', '--kill-child'],
    );
  const holders = [contend(), contend()];
  onTestFinished(() => void holders.map((holder) => holder.kill('SIGKILL')));
  const outputs = await Promise.all(holders.map(({ stdout }) => once(stdout, 'data')));
  expect(outputs.map(String).sort()).toEqual(['false', 'true']);
  const refused = { taken: false, owner: expect.stringMatching(/^process 1 on ./) };
  expect(await store.lock('section.lock')).toEqual(refused);
  const ended = holders.map((holder) => once(holder, 'exit'));
  for (const holder of holders) holder.kill('SIGKILL');
  await Promise.all(ended);
  const lapsed = new Date(Date.now() - 61_000);
  await utimes(path.join(folder, 'section.lock'), lapsed, lapsed);
  expect((await store.lock('section.lock')).taken).toBe(true);
});

test('a store whose lock was taken over while it was stopped writes and removes nothing more', async () => {
  const file = path.join(folder, 'section.lock');
  await store.putContent(ref.name, bytes);
  const now = vi.spyOn(performance, 'now');
  const lock = await store.lock('section.lock');
  await writeFile(file, `${unseenName()} held`);
  now.mockReturnValue(performance.now() + 61_000);
  for (const change of [() => store.putContent('kind/more', bytes), () => store.remove(ref.name)]) {
    await expect(change()).rejects.toMatchObject({ failure: 'conflict', object: 'section.lock' });
  }
  // The lock that it has lost is not removed, but is another's.
  if (lock.taken) await lock.release();
  expect(await readFile(file, 'utf8')).toBe(`${unseenName()} held`);
  await store.remove(ref.name);
  now.mockRestore();
});

test('a name that leads out of the folder is refused for reading, writing and removing', async () => {
  const inner = await ofThisTest(new FolderStore(path.join(folder, 'inner')));
  await writeFile(path.join(folder, 'outside'), 'kept');
  for (const name of ['../outside', 'kind/../../outside', '..']) {
    const refused = { failure: 'unavailable', message: expect.stringMatching(/out of the store/) };
    await expect(inner.readWhole(name)).rejects.toMatchObject(refused);
    await expect(inner.readRange({ ...ref, name, bytes: 4 }, 0, 4)).rejects.toMatchObject(refused);
    await expect(inner.putContent(name, bytes)).rejects.toMatchObject(refused);
    await expect(inner.remove(name)).rejects.toMatchObject(refused);
  }
  expect(await readFile(path.join(folder, 'outside'), 'utf8')).toBe('kept');
  await inner.putContent('kind/a..b', bytes);
});

test('temporary files of a killed build are leftovers, however deep', async () => {
  await mkdir(path.join(store.scratch, 'tta-build-a'), { recursive: true });
  for (const name of ['old', 'tta-build-a/new'])
    await writeFile(path.join(store.scratch, name), '');
  const left = (await store.leftovers('')).map(({ name }) => name);
  expect(left.sort()).toEqual(['.build-scratch/old', '.build-scratch/tta-build-a/new']);
});

test('a lock being moved into place is a leftover once its process has died', async () => {
  const dead = endedName();
  const halfOf = (of: string) => `.sweep-lock.${of}.01234567-89ab-4def-8123-456789abcdef.tmp`;
  for (const of of [dead, runningName(process.ppid), unseenName()]) {
    await writeFile(path.join(folder, halfOf(of)), '');
  }
  expect((await store.leftovers('')).map(({ name }) => name)).toEqual([halfOf(dead)]);
});
