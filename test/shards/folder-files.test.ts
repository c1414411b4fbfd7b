import fsSync from 'node:fs';
import fs, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { FolderReader } from '../../shards/store/folder-reader.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { openStore, openWritableStore } from '../../shards/store/open-store.ts';
import { ownProcessName } from '../../shards/store/process-name.ts';
import {
  bufferBody,
  concatBodies,
  fileBody,
  type PutBody,
  putBodyOf,
} from '../../shards/store/put-body.ts';
import { forAll } from '../support/for-all.ts';
import { reusedName } from '../support/process-names.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { ofEachTest, ofThisTest } from '../support/test-resources.ts';
import { bytes, failure, refOf } from './reader-suite.ts';

const folder = folderOfEachTest();
const store = ofEachTest(() => new FolderStore(folder));
const ref = refOf('kind/object.tta', bytes);

/** Replaces a function of a built-in module until the test ends. */
function replaced<Module extends object, Name extends keyof Module>(
  module: Module,
  name: Name,
  by: (original: Module[Name]) => Module[Name],
): void {
  const original = module[name];
  module[name] = by(original);
  syncBuiltinESMExports();
  onTestFinished(() => {
    module[name] = original;
    syncBuiltinESMExports();
  });
}

/** Counts the files that are opened from now on, and tracks those that are not closed yet. */
function watchedFiles() {
  const watched = { opened: 0, open: new Set<FileHandle>() };
  replaced(fs, 'open', (original) => async (...args) => {
    const handle = await original(...args);
    watched.opened++;
    watched.open.add(handle);
    const close = handle.close.bind(handle);
    handle.close = () => {
      if (!watched.open.delete(handle)) expect.fail('it was closed twice');
      return close();
    };
    return handle;
  });
  return watched;
}

/** Replaces `performance.now` with a clock that only the test advances. */
function stoppedClock() {
  const clock = { nowMs: performance.now() };
  const now = vi.spyOn(performance, 'now').mockImplementation(() => clock.nowMs);
  onTestFinished(() => now.mockRestore());
  return clock;
}

describe('an open file', () => {
  const first = async (reader: FolderReader) => (await reader.readRange(ref, 0, 1))[0];

  test('is used by any number of reads, and closed once after the last of them', () => {
    const step = fc.record({
      does: fc.constantFrom('read', 'read', 'read', 'replace', 'remove', 'end all'),
      which: fc.nat(3),
    });
    const watched = watchedFiles();
    return forAll(30, fc.array(step, { maxLength: 40 }), async (steps) => {
      const own = new FolderStore(await fs.mkdtemp(path.join(folder, 'store-')));
      const contents = Array.from({ length: 4 }, (_, i) => Buffer.alloc(1000, `${i} `));
      const names = contents.map((_, i) => `kind/${i}`);
      const isThere = new Set<number>();
      let reads: Promise<unknown>[] = [];
      for (const { does, which } of steps) {
        const object = refOf(names[which], contents[which]);
        if (does === 'read') {
          const isKnown = isThere.has(which);
          const read = own.readRange(object, which, 100);
          const right = contents[which].subarray(which, which + 100);
          // Objects that are replaced meanwhile have the same content.
          if (isKnown) reads.push(read.then((range) => expect(right.equals(range)).toBe(true)));
          else expect(await failure(read)).toBe('missing');
        } else {
          await Promise.all(reads);
          reads = [];
        }
        if (does === 'remove') {
          await own.remove(object.name);
          isThere.delete(which);
        }
        if (does === 'replace') {
          await own.remove(object.name);
          await own.putContent(object.name, contents[which]);
          isThere.add(which);
        }
        if (does === 'end all') expect(watched.open.size).toBeLessThanOrEqual(isThere.size);
      }
      const last = Promise.all(reads);
      await own.close();
      await last;
      expect(watched.open.size).toBe(0);
    });
  });

  test('is one of at most 256', async () => {
    const names = Array.from({ length: 300 }, (_, i) => `kind/${i}`);
    await fs.mkdir(path.join(folder, 'kind'));
    for (const name of names) fsSync.writeFileSync(path.join(folder, name), bytes);
    const watched = watchedFiles();
    for (const name of names) await store.readRange({ ...ref, name }, 0, 1);
    expect([watched.opened, watched.open.size]).toEqual([300, 256]);
    await store.close();
    expect(watched.open.size).toBe(0);
  });

  test('is reopened once, halfway through its lifetime, while reads continue', async () => {
    await store.putContent(ref.name, Uint8Array.from(bytes).fill(7, 0, 1));
    const reader = await ofThisTest(new FolderReader(folder, 600_000));
    const [watched, clock] = [watchedFiles(), stoppedClock()];
    for (let i = 0; i < 20; i++) expect(await first(reader)).toBe(7);
    clock.nowMs += 299_999;
    expect(await first(reader)).toBe(7);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(watched.opened).toBe(1);
    await store.putContent(ref.name, bytes);
    const before = watched.opened;
    clock.nowMs += 1;
    const reads = await Promise.all(Array.from({ length: 20 }, () => first(reader)));
    expect(reads).toEqual(reads.map(() => 7));
    await expect.poll(() => first(reader)).toBe(bytes[0]);
    expect(watched.opened).toBe(before + 1);
  });

  test('stays in use if its object is gone when it is due to be reopened', async () => {
    await store.putContent(ref.name, bytes);
    const reader = await ofThisTest(new FolderReader(folder, 600_000));
    const clock = stoppedClock();
    await first(reader);
    await fs.rm(path.join(folder, ref.name));
    clock.nowMs += 400_000;
    for (let i = 0; i < 5; i++) {
      expect(await first(reader)).toBe(bytes[0]);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });

  test('is not a stale one after its object was replaced while it was being reopened', async () => {
    await store.putContent(ref.name, Uint8Array.from(bytes).fill(7, 0, 1));
    const reader = await ofThisTest(new FolderStore(folder));
    const clock = stoppedClock();
    await first(reader);
    const held: (() => void)[] = [];
    replaced(fs, 'open', (original) => async (...args) => {
      const handle = await original(...args);
      if (args[1] === 'r' && held.length === 0) {
        await new Promise<void>((resolve) => held.push(resolve));
      }
      return handle;
    });
    clock.nowMs += 4_000;
    expect(await first(reader)).toBe(7);
    await expect.poll(() => held.length).toBe(1);
    await reader.putContent(ref.name, bytes);
    held[0]();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await first(reader)).toBe(bytes[0]);
  });
});

test('small reads are synchronous, except for the 32 that follow a slow one', async () => {
  const large = refOf('kind/large.tta', Buffer.alloc(32_769, 'large'));
  await store.putContent(large.name, Buffer.alloc(32_769, 'large'));
  const clock = stoppedClock();
  let [atOnce, takesMs] = [0, 1];
  replaced(
    fsSync,
    'readSync',
    (original) =>
      ((...args: Parameters<typeof original>) => {
        atOnce++;
        clock.nowMs += takesMs;
        return original(...args);
      }) as typeof original,
  );
  /** Makes `times` reads, and returns how many of them are synchronous. */
  const reads = async (times: number, length: number) => {
    const before = atOnce;
    for (let i = 0; i < times; i++) {
      expect(await store.readRange(large, 0, length)).toHaveLength(length);
    }
    return atOnce - before;
  };
  expect(await reads(50, 32_768)).toBe(50);
  expect(await reads(5, 32_769)).toBe(0);
  expect(await reads(5, 1)).toBe(5);
  takesMs = 1.001;
  expect(await reads(1, 1)).toBe(1);
  takesMs = 0;
  expect(await reads(31, 1)).toBe(0);
  expect(await reads(1, 32_769)).toBe(0);
  expect(await reads(40, 1)).toBe(40);
});

describe('an error', () => {
  /** Every operation, and the functions of the file system that may fail in it. */
  const OPERATIONS: readonly (readonly [
    (on: FolderStore) => Promise<unknown>,
    (keyof typeof fs)[],
  ])[] = [
    [(on) => on.readRange(ref, 0, 1), ['open']],
    [(on) => on.readWhole(ref.name), ['readFile']],
    [(on) => on.stat(ref.name), ['stat']],
    [(on) => on.list('kind/'), ['readdir', 'stat']],
    [(on) => on.topNames(), ['readdir']],
    [(on) => on.leftovers(''), ['readdir']],
    [(on) => on.remove(ref.name), ['rm']],
    [(on) => on.putContent(ref.name, bytes.subarray(1)), ['mkdir', 'open', 'rename']],
    [
      (on) => on.putConditional('latest.json', bytes, null),
      ['mkdir', 'writeFile', 'readFile', 'open'],
    ],
    [(on) => on.lock('section.lock'), ['mkdir', 'link', 'writeFile']],
  ];
  const CODES = [
    ['EACCES', 'refused', 'permission denied'],
    ['EPERM', 'refused', 'permission denied'],
    ['EROFS', 'refused', 'permission denied'],
    ['ENOSPC', 'full', 'the disk is full: free some space and run again'],
    ['EDQUOT', 'full', 'the disk is full: free some space and run again'],
    ['ENOTDIR', 'unavailable', 'is a file, or leads through one; a store needs a folder'],
    ['EIO', 'unavailable', 'the disk says EIO'],
  ] as const;

  test.each(CODES)('%s of any operation is %s: %s', async (code, meaning, words) => {
    await store.putContent(ref.name, bytes);
    const cause = Object.assign(new Error('the disk says EIO'), { code });
    for (const [run, functions] of OPERATIONS) {
      for (const name of functions) {
        const original = fs[name];
        Object.assign(fs, { [name]: async () => Promise.reject(cause) });
        syncBuiltinESMExports();
        const error = await run(new FolderStore(folder)).catch((reason: unknown) => reason);
        Object.assign(fs, { [name]: original });
        syncBuiltinESMExports();
        expect(error).toMatchObject({ failure: meaning, cause });
        const { object, message } = error as { object: string; message: string };
        expect(object === folder || object.startsWith(`${folder}/`)).toBe(true);
        expect(message).toBe(`${object}: ${words}`);
      }
    }
    // The folder has the object as before, and nothing else.
    expect(await fs.readdir(folder, { recursive: true })).toEqual(['kind', ref.name]);
    expect(Buffer.from(await store.readRange(ref, 0, 1000)).equals(bytes)).toBe(true);
  });

  test('names a file that is missing, or is not as its manifest records', async () => {
    const said = (run: Promise<unknown>) => run.catch(({ message }: Error) => message);
    const file = path.join(folder, ref.name);
    expect(await said(store.readRange(ref, 0, 1))).toBe(`${file}: no such object`);
    expect(await said(store.readWhole(ref.name))).toBe(`${file}: no such object`);
    await store.putContent(ref.name, bytes);
    expect(await said(new FolderReader(folder).readRange({ ...ref, bytes: 1001 }, 0, 1))).toBe(
      `${ref.name}: has 1000 bytes; its manifest says 1001: build the release again`,
    );
    expect(await said(store.readRange(ref, 999, 2))).toBe(`${ref.name}: has no 2 bytes at 999`);
    expect(await failure(store.stat(`${ref.name}/below`))).toBe('unavailable');
    expect(await failure(store.putContent(`${ref.name}/below`, bytes))).toBe('unavailable');
    expect(await store.stat('kind')).toBeNull();
    expect(await failure(store.readWhole('kind'))).toBe('unavailable');
    await fs.writeFile(path.join(folder, 'plain'), '');
    await expect(store.putContent('plain/below', bytes)).rejects.toMatchObject({
      failure: 'unavailable',
      message: `${folder}/plain/below: is a file, or leads through one; a store needs a folder`,
    });
    await store.remove('plain');
    // A folder is in the place of a mutable object, whose lock is free again after the failure.
    await fs.mkdir(path.join(folder, 'latest.json'));
    expect(await failure(store.putConditional('latest.json', bytes, null))).toBe('unavailable');
    expect((await fs.readdir(folder)).sort()).toEqual(['kind', 'latest.json']);
    expect((await store.list('')).map(({ name }) => name)).toEqual([]);
    const lock = await store.lock('other.json.lock');
    await expect(store.putConditional('other.json', bytes, null)).rejects.toMatchObject({
      failure: 'conflict',
      message: `other.json: is being replaced by process ${process.pid}`,
    });
    if (lock.taken) await lock.release();
    await expect(store.putConditional('other.json', bytes, 'x')).rejects.toMatchObject({
      failure: 'conflict',
      message: 'other.json: was replaced by another process in the meantime',
    });
  });

  test('in content that breaks off half-way leaves the previous object, and nothing else', async () => {
    await store.putContent(ref.name, bytes);
    const broken: PutBody = {
      bytes: 500,
      async *chunks() {
        yield bytes.subarray(0, 100);
        throw Object.assign(new Error('the other disk'), { code: 'EIO' });
      },
    };
    await expect(store.putContent(ref.name, broken)).rejects.toMatchObject({
      failure: 'unavailable',
      message: expect.stringMatching(/the other disk/),
    });
    expect(await fs.readdir(path.join(folder, 'kind'))).toEqual(['object.tta']);
    expect(Buffer.from((await store.readWhole(ref.name)).bytes).equals(bytes)).toBe(true);
  });
});

test('content is synced to the disk before it is renamed into place', async () => {
  const order: string[] = [];
  replaced(fs, 'open', (original) => async (...args) => {
    const handle = await original(...args);
    const sync = handle.sync.bind(handle);
    handle.sync = async () => {
      order.push(`sync ${(await handle.stat()).size}`);
      await sync();
    };
    return handle;
  });
  replaced(fs, 'rename', (original) => async (...args) => {
    order.push('rename');
    await original(...args);
  });
  await store.putContent(ref.name, bytes);
  expect(order).toEqual(['sync 1000', 'rename']);
});

test('content of a file, in pieces of a MiB, is compared with an object, and leaves no file open', async () => {
  const whole = Buffer.alloc(2 ** 21 + 5, 'some bytes of no power of two');
  const file = path.join(folder, 'source');
  await fs.writeFile(file, whole);
  const body = concatBodies([fileBody(file, whole.length), putBodyOf(bytes)]);
  const pieces: number[] = [];
  for await (const { length } of body.chunks()) pieces.push(length);
  expect(pieces).toEqual([2 ** 20, 2 ** 20, 5, 1000]);
  const both = Buffer.concat([whole, bytes]);
  expect(both.equals(await bufferBody(body))).toBe(true);
  const watched = watchedFiles();
  expect(await store.putContent('kind/both', body)).toBe('written');
  expect(await store.putContent('kind/both', body)).toBe('present');
  expect(both.equals(await fs.readFile(path.join(folder, 'kind/both')))).toBe(true);
  for (const at of [0, 2 ** 20, both.length - 1]) {
    const other = Buffer.from(both).fill(both[at] ^ 1, at, at + 1);
    await fs.writeFile(path.join(folder, 'kind/both'), other);
    expect(await store.putContent('kind/both', body)).toBe('written');
  }
  expect(watched.open.size).toBe(0);
});

test('names that merely begin like those of locks or half-written files are names of objects', async () => {
  const uuid = '01234567-89ab-4def-8123-456789abcdef';
  const names = [
    `a.${uuid}.tmp.tta`,
    `a.lock.${ownProcessName()}.${uuid}.tmp.tta`,
    'a.lock.0123456789abcdef.lock.tta',
    'a.lock.tta',
    'alock',
  ];
  for (const name of names) await store.putContent(`kind/${name}`, bytes);
  await store.putContent('kind/b.lock', bytes);
  await store.putContent('kind/-lock', bytes);
  expect((await store.list('kind/')).map(({ name }) => name)).toEqual(
    names.map((name) => `kind/${name}`).sort(),
  );
  await fs.mkdir(store.scratch);
  await fs.writeFile(path.join(store.scratch, 'of a build'), '');
  expect(await store.leftovers('kind/')).toEqual([]);
  expect((await store.leftovers('')).map(({ name }) => name)).toEqual([
    '.build-scratch/of a build',
  ]);
});

describe('a lock file', () => {
  test.each(['', '0 x', '1 x', 'no number', `${reusedName(4194305)} x`])(
    'that contains "%s" belongs to no live process, and is taken over under a lock of its own',
    async (content) => {
      const file = path.join(folder, 'section.lock');
      await fs.writeFile(file, content);
      const linked: string[] = [];
      replaced(fs, 'link', (original) => async (from, to) => {
        linked.push(path.basename(String(to)));
        await original(from, to);
      });
      const lock = await store.lock('section.lock');
      expect(lock.taken).toBe(true);
      // If the owner of this second lock dies, the file is a leftover.
      const succession = /^section\.lock\.[0-9a-f]{16}\.lock$/;
      expect(linked).toEqual(['section.lock', expect.stringMatching(succession)]);
      expect(await store.lock('section.lock')).toEqual({
        taken: false,
        owner: `process ${process.pid}`,
      });
      // Releasing a lock that another process has removed is no error.
      await fs.rm(file);
      if (lock.taken) await lock.release();
      expect(await fs.readdir(folder)).toEqual([]);
    },
  );

  test('of another user’s process counts as held', async () => {
    await fs.writeFile(path.join(folder, 'section.lock'), `${reusedName(4194305)} x`);
    for (const [code, taken] of [
      ['EPERM', false],
      ['ESRCH', true],
    ] as const) {
      const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
        throw Object.assign(new Error(code), { code });
      });
      expect((await store.lock('section.lock')).taken).toBe(taken);
      kill.mockRestore();
    }
  });

  test('that cannot be read is an error, not a lock', async () => {
    await fs.mkdir(path.join(folder, 'section.lock'));
    expect(await failure(store.lock('section.lock'))).toBe('unavailable');
    expect(await fs.readdir(folder)).toEqual(['section.lock']);
  });
});

test('scratch files lie in the folder of a store, but are not part of the store', async () => {
  expect(path.dirname(store.scratch)).toBe(folder);
  await fs.mkdir(store.scratch);
  await store.putContent(ref.name, bytes);
  expect(await store.topNames()).toEqual(['kind']);
  expect(await store.presignedUrl()).toBeNull();
  expect(await new FolderStore(path.join(folder, 'none')).topNames()).toEqual([]);
});

test('a location is a folder, a bucket, or a server, which is read-only', async () => {
  expect(await openStore(folder)).not.toHaveProperty('putContent');
  expect(await openWritableStore(folder)).toBeInstanceOf(FolderStore);
  for (const location of ['s3://bucket/a', 'https://host.example/a']) {
    const opened = await ofThisTest(openStore(location));
    expect([opened.location, 'putContent' in opened]).toEqual([location, false]);
  }
  expect(await ofThisTest(openWritableStore('s3://bucket/a'))).toHaveProperty('putContent');
  await expect(openWritableStore('https://host.example/a')).rejects.toMatchObject({
    failure: 'unavailable',
    message: expect.stringMatching(/^https:\/\/host\.example\/a: this store is read-only; give/),
  });
  for (const open of [openStore, openWritableStore]) {
    await expect(open('gs://bucket')).rejects.toMatchObject({
      failure: 'unavailable',
      object: 'gs://bucket',
    });
  }
});
