import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isAsRecorded } from '../../shards/store/recorded-hash.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import { bytes, failure, refOf } from './reader-suite.ts';

/** A kind of store that can be written to. */
export interface WritableKind {
  readonly kind: string;
  /** Makes an empty store; returns its user-facing address. */
  make(): Promise<string>;
  open(location: string): WritableStore | Promise<WritableStore>;
  /**
   * Starts a process that acquires `section.lock`, prints whether it got it, and never releases it.
   */
  holder(location: string): ChildProcessByStdio<null, Readable, null>;
  /** How long a lock may outlive its owner, plus a margin. */
  readonly lapsesMs: number;
}

const ref = refOf('kind/object.tta', bytes);

const text = async (of: WritableStore, name: string) =>
  Buffer.from((await of.readWhole(name)).bytes).toString();

/** The contract of every kind of store for publishers. */
export function writerSuite({ kind, make, open, holder, lapsesMs }: WritableKind): void {
  describe(`a writer of ${kind}`, () => {
    let location: string;
    let store: WritableStore;
    /** Another writer, as in another process. */
    let other: WritableStore;
    beforeEach(async () => {
      location = await make();
      store = await open(location);
      other = await open(location);
    });
    afterEach(async () => {
      await Promise.all([store.close(), other.close()]);
    });

    test('a range of an object of another size, or of a missing one, is an error', async () => {
      expect(await failure(store.readRange(ref, 0, 1))).toBe('missing');
      expect(await failure(store.readWhole('latest.json'))).toBe('missing');
      await store.putContent(ref.name, bytes);
      await store.readRange(ref, 0, 1);
      await store.putContent(ref.name, bytes.subarray(1));
      expect(await failure(store.readRange(ref, 0, 1))).toBe('changed');
      await store.remove(ref.name);
      expect(await failure(store.readRange(ref, 0, 1))).toBe('missing');
      await store.remove(ref.name);
    });

    test('content is put once, and replaces other content under its name', async () => {
      expect(await store.putContent(ref.name, bytes)).toBe('written');
      expect(await other.putContent(ref.name, bytes)).toBe('present');
      for (const damaged of [bytes.subarray(0, 10), Uint8Array.from(bytes).fill(9, 500, 501)]) {
        expect(await other.putContent(ref.name, damaged)).toBe('written');
        expect(await isAsRecorded(other, ref)).toBe(false);
        expect(await store.putContent(ref.name, bytes)).toBe('written');
        expect(await isAsRecorded(store, ref)).toBe(true);
      }
      const puts = [store, other].flatMap((each) => [1, 2, 3].map((n) => ({ each, n })));
      await Promise.all(puts.map(({ each }) => each.putContent('kind/raced', bytes)));
      expect(Buffer.from(await store.readRange({ ...ref, name: 'kind/raced' }, 0, 1000))).toEqual(
        Buffer.from(bytes),
      );
      expect((await store.list('kind/')).map(({ name }) => name)).toEqual([ref.name, 'kind/raced']);
    });

    test('an object is as recorded only if its size and hash match', async () => {
      expect(await store.stat(ref.name)).toBe(null);
      expect(await isAsRecorded(store, ref)).toBe(false);
      await store.putContent(ref.name, bytes);
      const known = await store.stat(ref.name);
      expect(known?.bytes).toBe(1000);
      expect([null, ref.sha256]).toContain(known?.sha256);
      expect(await isAsRecorded(store, ref)).toBe(true);
      expect(await isAsRecorded(store, { ...ref, bytes: 999 })).toBe(false);
      expect(await isAsRecorded(store, { ...ref, sha256: 'f'.repeat(64) })).toBe(false);
    });

    test('of writers that race to create or replace an object, one wins and the others get a conflict', async () => {
      let expected: string | null = null;
      for (const round of [1, 2, 3]) {
        const outcomes = await Promise.allSettled(
          Array.from({ length: 10 }, (_, i) =>
            (i % 2 === 0 ? store : other).putConditional(
              'latest.json',
              Buffer.from(`writer ${i} in round ${round}`),
              expected,
            ),
          ),
        );
        const winners = outcomes.flatMap((outcome, i) =>
          outcome.status === 'fulfilled' ? [i] : [],
        );
        expect(winners).toHaveLength(1);
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected') expect(outcome.reason.failure).toBe('conflict');
        }
        expect(await text(store, 'latest.json')).toBe(`writer ${winners[0]} in round ${round}`);
        const identity = (await store.readWhole('latest.json')).identity;
        expect(outcomes[winners[0]]).toEqual({ status: 'fulfilled', value: identity });
        expected = identity;
      }
      expect(await failure(store.putConditional('latest.json', bytes, null))).toBe('conflict');
    });

    test('lists objects under a prefix by name, with sizes and times', async () => {
      const begunMs = Date.now();
      for (const name of ['b/2', 'b/1', 'a/1']) await store.putContent(name, bytes);
      await store.putContent('b/1', bytes.subarray(1));
      const lock = await store.lock('b/3.lock');
      const listed = await other.list('b/');
      expect(listed.map(({ name, bytes: size }) => [name, size])).toEqual([
        ['b/1', 999],
        ['b/2', 1000],
      ]);
      // The store's clock may differ slightly from this machine's.
      for (const { modifiedMs } of listed) {
        expect(Math.abs(modifiedMs - begunMs)).toBeLessThan(60_000);
      }
      expect(await store.list('b/1')).toEqual(listed.slice(0, 1));
      expect(await store.list('none/')).toEqual([]);
      const tops = await store.topNames();
      for (const name of ['a', 'b']) expect(tops).toContain(name);
      if (lock.taken) await lock.release();
    });

    test('a lock has one holder until it is released, or the holder has died', async () => {
      const mine = await store.lock('section.lock');
      expect(mine.taken).toBe(true);
      expect(await other.lock('section.lock')).toMatchObject({ taken: false });
      expect((await other.lock('another.lock')).taken).toBe(true);
      if (mine.taken) await mine.release();

      const child = holder(location);
      const [said] = await once(child.stdout, 'data');
      expect(String(said)).toBe('true');
      const refused = await store.lock('section.lock');
      expect(refused).toEqual({ taken: false, owner: expect.stringContaining(`${child.pid}`) });
      child.kill('SIGKILL');
      await once(child, 'exit');
      await new Promise((resolve) => setTimeout(resolve, lapsesMs));

      for (let round = 0; round < 5; round++) {
        const takers = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? store : other));
        const locks = await Promise.all(takers.map((each) => each.lock('section.lock')));
        const taken = locks.filter((lock) => lock.taken);
        expect(taken).toHaveLength(1);
        await taken[0].release();
      }
      expect(await store.leftovers('')).toEqual([]);
    });
  });
}
