import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { concatBodies, type PutBody, putBodyOf } from '../../shards/store/put-body.ts';
import type { Lock, Store, WritableStore } from '../../shards/store/store.ts';
import { forAll } from '../support/for-all.ts';
import { failure, refOf } from './reader-suite.ts';

/** A kind of store that `storeModel` checks. */
export interface ModelledKind {
  readonly kind: string;
  /** Makes an empty store; returns it, and a function that opens it as a reader. */
  make(): Promise<{ store: WritableStore; open(): Store | Promise<Store> }>;
}

const NAMES = [
  'latest.json',
  'area/1',
  'area/10',
  'area/b/3',
  'b-1',
  // The order of these two by bytes of UTF-8 differs from that of JavaScript.
  "b/😀 it's (é) +~*!",
  'b/！',
];
const PREFIXES = ['', 'a', 'area/', 'area/1', 'area/b/', 'b', 'b/', 'none'];
const LOCKS = ['area/2.lock', '.a-lock'];
/** Contents: empty, of one byte, two of equal length, and one too large to be read at once. */
const CONTENTS = [
  Buffer.alloc(0),
  Buffer.from('x'),
  Buffer.from('twelve bytes'),
  Buffer.from('Twelve bytes'),
  Buffer.alloc(100_000, 'some bytes of no power of two'),
];

const name = fc.constantFrom(...NAMES);
const content = fc.nat(CONTENTS.length - 1);
const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const step = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(fc.constant('put' as const), name, content, fc.nat(3)) },
  { weight: 4, arbitrary: fc.tuple(fc.constant('replace' as const), name, content, fc.nat(5)) },
  { weight: 4, arbitrary: fc.tuple(fc.constant('read' as const), name, share, share) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('list' as const), fc.constantFrom(...PREFIXES)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('remove' as const), name) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('lock' as const), fc.constantFrom(...LOCKS)) },
);

/** The content in several chunks. */
const inChunks = (whole: Buffer, chunks: number): PutBody =>
  concatBodies(
    Array.from({ length: chunks }, (_, i) => {
      const [from, to] = [i, i + 1].map((at) => Math.floor((at * whole.length) / chunks));
      return putBodyOf(whole.subarray(from, to));
    }),
  );

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Compares a store with a map in memory, step by step. */
export function storeModel({ kind, make }: ModelledKind, runs: number): void {
  test(`${kind} holds what was put there last, whatever is put, replaced, removed, read and locked`, () =>
    forAll(runs, fc.array(step, { minLength: 30, maxLength: 40, size: 'max' }), async (steps) => {
      const { store, open } = await make();
      const held = new Map<string, Buffer>();
      const everPut = new Set<string>();
      const identities = new Map<Buffer, string>();
      const locks = new Map<string, Extract<Lock, { taken: true }>>();
      const begunMs = Date.now();

      const put = async (to: string, whole: Buffer, chunks: number) => {
        const isThere = held.get(to)?.equals(whole) ?? false;
        const body = chunks === 0 ? Uint8Array.from(whole) : inChunks(whole, chunks);
        expect(await store.putContent(to, body)).toBe(isThere ? 'present' : 'written');
        held.set(to, whole);
        everPut.add(to.split('/')[0]);
      };

      const replace = async (to: string, whole: Buffer, before: Buffer | undefined) => {
        const expected = before === undefined ? null : (identities.get(before) ?? '"never"');
        const there = held.get(to);
        everPut.add(to.split('/')[0]);
        const replacing = store.putConditional(to, whole, expected);
        if (before === there && (there === undefined || identities.has(there))) {
          identities.set(whole, await replacing);
          held.set(to, whole);
          expect((await store.readWhole(to)).identity).toBe(identities.get(whole));
        } else {
          expect(await failure(replacing)).toBe('conflict');
        }
      };

      const read = async (from: string, at: number, upTo: number) => {
        const there = held.get(from);
        const ref = refOf(from, there ?? CONTENTS[2]);
        const offset = Math.floor(at * ref.bytes);
        const length = Math.floor(upTo * (ref.bytes - offset + 1));
        const wrong = { ...ref, bytes: ref.bytes + 1 };
        if (there === undefined) {
          expect(await store.stat(from)).toBeNull();
          expect(await failure(store.readRange(ref, offset, length))).toBe('missing');
          expect(await failure(store.readWhole(from))).toBe('missing');
          return;
        }
        const range = await store.readRange(ref, offset, length);
        expect(there.subarray(offset, offset + length).equals(range)).toBe(true);
        expect(there.equals((await store.readWhole(from)).bytes)).toBe(true);
        const stat = await store.stat(from);
        expect(stat?.bytes).toBe(there.length);
        expect([null, sha256(there)]).toContain(stat?.sha256);
        expect(await failure(store.readRange(ref, offset, ref.bytes - offset + 1))).toBe('changed');
        if (at > 0.7) expect(await failure(other(wrong, offset, length))).toBe('changed');
      };

      const list = async (prefix: string) => {
        const found = await store.list(prefix);
        const expected = [...held].filter(
          ([key]) => key.startsWith(prefix) && !key.slice(prefix.length).includes('/'),
        );
        expect(found.map(({ name, bytes }) => [name, bytes])).toEqual(
          expected.map(([key, { length }]) => [key, length]).sort(([a], [b]) => (a < b ? -1 : 1)),
        );
        for (const { modifiedMs } of found) {
          expect(Math.abs(modifiedMs - begunMs)).toBeLessThan(60_000);
        }
        const tops = await store.topNames();
        const present = [...held.keys()].map((key) => key.split('/')[0]);
        expect(tops).toEqual(expect.arrayContaining(present));
        expect([...everPut, 'area', '.a-lock']).toEqual(expect.arrayContaining(tops));
        expect(await store.leftovers(prefix)).toEqual([]);
      };

      const lock = async (of: string) => {
        const mine = locks.get(of);
        if (mine) {
          const owner = expect.stringMatching(new RegExp(`^process ${process.pid}\\b`));
          expect(await store.lock(of)).toEqual({ taken: false, owner });
          await mine.release();
          locks.delete(of);
        } else {
          const taken = await store.lock(of);
          if (!taken.taken) expect.fail(`${of} is held by ${taken.owner}`);
          locks.set(of, taken);
          await list(of.slice(0, of.lastIndexOf('/') + 1));
        }
      };

      /** Reads as a process that has just opened the store. */
      const other = async (...range: Parameters<Store['readRange']>) => {
        const reader = await open();
        try {
          return await reader.readRange(...range);
        } finally {
          await reader.close();
        }
      };

      for (const each of steps) {
        if (each[0] === 'put') await put(each[1], CONTENTS[each[2]], each[3]);
        if (each[0] === 'replace') {
          // Most replacements expect the content that is there, others any content.
          const there = held.get(each[1]);
          await replace(each[1], CONTENTS[each[2]], each[3] > 1 ? there : CONTENTS[each[3]]);
        }
        if (each[0] === 'read') await read(each[1], each[2], each[3]);
        if (each[0] === 'list') await list(each[1]);
        if (each[0] === 'lock') await lock(each[1]);
        if (each[0] === 'remove') {
          await store.remove(each[1]);
          held.delete(each[1]);
        }
      }
      for (const mine of locks.values()) await mine.release();
      for (const [key, whole] of held) {
        expect(whole.equals(await other(refOf(key, whole), 0, whole.length))).toBe(true);
      }
      await store.close();
    }));
}
