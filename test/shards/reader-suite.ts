import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StoreError, type StoreFailure } from '../../shards/errors.ts';
import { checkRecordedHash, readVerified } from '../../shards/store/recorded-hash.ts';
import type { ObjectRef, Store, WritableStore } from '../../shards/store/store.ts';

/** A kind of store that `readerSuite` checks. */
export interface ReadableKind {
  readonly kind: string;
  /** Makes an empty store; returns its writer, and a function that opens it as a reader. */
  make(): Promise<{ writer: WritableStore; open(): Store | Promise<Store> }>;
}

export const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i % 251);

export const refOf = (name: string, content: Uint8Array): ObjectRef => ({
  name,
  bytes: content.length,
  sha256: createHash('sha256').update(content).digest('hex'),
});

export async function failure(promise: Promise<unknown>): Promise<StoreFailure> {
  const error = await promise.then(
    () => expect.fail('it succeeded'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StoreError);
  return (error as StoreError).failure;
}

/** The contract of every kind of store for readers. */
export function readerSuite({ kind, make }: ReadableKind): void {
  describe(`a reader of ${kind}`, () => {
    let writer: WritableStore;
    let reader: Store;
    beforeEach(async () => {
      const made = await make();
      writer = made.writer;
      reader = await made.open();
    });
    afterEach(async () => {
      await Promise.all([reader.close(), writer.close()]);
    });

    const ref = refOf('kind/object.tta', bytes);

    test('a range returns the bytes that were put, in full or not at all', async () => {
      await writer.putContent(ref.name, bytes);
      const ranges = Array.from({ length: 50 }, (_, i) => [i * 13, 1 + i * 7] as const);
      const read = await Promise.all(
        ranges.map(([at, length]) => reader.readRange(ref, at, length)),
      );
      read.forEach((range, i) => {
        const [at, length] = ranges[i];
        expect(Buffer.from(range).equals(bytes.subarray(at, at + length))).toBe(true);
      });
      expect(await failure(reader.readRange(ref, 990, 11))).toBe('changed');
    });

    test('ranges of all sizes are complete, up to the object’s end', async () => {
      const large = Uint8Array.from({ length: 3_000_000 }, (_, i) => i % 251);
      const largeRef = refOf('kind/large.tta', large);
      await writer.putContent(largeRef.name, large);
      for (const length of [0, 1, 4095, 4096, 4097, 65_536, 65_537, 1_000_000, 3_000_000]) {
        const range = await reader.readRange(largeRef, large.length - length, length);
        expect(Buffer.from(range).equals(large.subarray(large.length - length))).toBe(true);
      }
      const whole = await readVerified(reader, largeRef);
      // The bytes are aligned, so that numbers of any width can be viewed in them.
      expect(new Float64Array(whole.buffer, whole.byteOffset, 1)).toHaveLength(1);
      await checkRecordedHash(reader, largeRef);
    });

    test('reports an object of an unexpected size, and a missing one', async () => {
      for (const length of [0, 1]) {
        expect(await failure(reader.readRange(ref, 0, length))).toBe('missing');
      }
      expect(await failure(reader.readWhole('latest.json'))).toBe('missing');
      expect(await reader.stat(ref.name)).toBe(null);
      await writer.putContent(ref.name, bytes.subarray(1));
      for (const [at, length] of [
        [0, 0],
        [0, 1],
        [999, 1],
      ]) {
        expect(await failure(reader.readRange(ref, at, length))).toBe('changed');
      }
      expect((await reader.stat(ref.name))?.bytes).toBe(999);
    });

    test('an empty object is read, and reported as intact', async () => {
      const empty = refOf('kind/empty', new Uint8Array(0));
      await writer.putContent(empty.name, new Uint8Array(0));
      expect(await reader.readRange(empty, 0, 0)).toHaveLength(0);
      await checkRecordedHash(reader, empty);
      expect((await reader.readWhole(empty.name)).bytes).toHaveLength(0);
    });

    test('a replaced mutable object is read in its new state, with another identity', async () => {
      const seen = new Set<string>();
      let identity: string | null = null;
      for (const text of ['one', 'two', 'three']) {
        identity = await writer.putConditional('latest.json', Buffer.from(text), identity);
        const read = await reader.readWhole('latest.json');
        expect(Buffer.from(read.bytes).toString()).toBe(text);
        seen.add(read.identity);
      }
      expect(seen.size).toBe(3);
    });

    test('many concurrent reads all succeed, each with its own bytes', async () => {
      const names = Array.from({ length: 20 }, (_, i) => `kind/object-${i}`);
      const contents = names.map((_, i) => Uint8Array.from(bytes, (byte) => (byte + i) % 256));
      await Promise.all(names.map((name, i) => writer.putContent(name, contents[i])));
      const reads = Array.from({ length: 120 }, (_, k) => k);
      await Promise.all(
        reads.map(async (k) => {
          const content = contents[k % names.length];
          const range = await reader.readRange(refOf(names[k % names.length], content), k, 100);
          expect(Buffer.from(range).equals(content.subarray(k, k + 100))).toBe(true);
        }),
      );
    });
  });
}
