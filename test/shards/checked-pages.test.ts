import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ShardError, StoreError } from '../../shards/errors.ts';
import { CheckedPages, pageSumsOf } from '../../shards/pmtiles/checked-pages.ts';
import type { PutBody } from '../../shards/store/put-body.ts';
import type { ObjectRef } from '../../shards/store/store.ts';
import { forAll } from '../support/for-all.ts';
import { UncheckedObjects } from '../support/unchecked-objects.ts';

const PAGE = 2048;

let store: UncheckedObjects;
beforeAll(() => {
  store = UncheckedObjects.open();
});
afterAll(() => store.close());

const randomBytes = (length: number) =>
  Uint8Array.from({ length }, () => Math.floor(Math.random() * 256));

/** A body of the bytes in chunks of `length`, which need not align with pages. */
function inChunks(bytes: Uint8Array, length: number): PutBody {
  return {
    bytes: bytes.length,
    async *chunks() {
      for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
    },
  };
}

async function open(bytes: Uint8Array, sumsOf = bytes, chunk = 777) {
  const ref = store.add(bytes);
  const sums = store.add(await pageSumsOf(inChunks(sumsOf, chunk)));
  return { ref, pages: await CheckedPages.open(store, ref, sums) };
}

const lengths = fc.constantFrom(0, 1, 5, PAGE - 1, PAGE, PAGE + 1, 3 * PAGE, 5 * PAGE + 123);

test('any range of sound bytes is returned as written', () =>
  forAll(100, lengths, fc.nat(), fc.nat(), fc.nat(5000), async (length, from, to, chunk) => {
    const bytes = randomBytes(length);
    const { ref, pages } = await open(bytes, bytes, chunk + 1);
    const [start, end] = [from % (length + 1), to % (length + 1)].sort((a, b) => a - b);
    const range = await pages.readRange(ref, start, end - start);
    expect(Buffer.from(range).equals(bytes.subarray(start, end))).toBe(true);
  }));

test('a flipped byte fails every range that contains it, and none that ends in an earlier page', async () => {
  const bytes = randomBytes(5 * PAGE + 123);
  await forAll(
    100,
    fc.nat(bytes.length - 1),
    fc.integer({ min: 1, max: 255 }),
    async (at, mask) => {
      const flipped = bytes.slice();
      flipped[at] ^= mask;
      const { ref, pages } = await open(flipped, bytes);
      const failing = pages.readRange(ref, at, 1);
      await expect(failing).rejects.toThrow(ShardError);
      await expect(failing).rejects.toThrow(`${ref.name}: bytes from ${at - (at % PAGE)}: `);
      await expect(pages.readRange(ref, 0, bytes.length)).rejects.toThrow(
        'build the release again',
      );
      const before = await pages.readRange(ref, 0, at - (at % PAGE));
      expect(Buffer.from(before).equals(bytes.subarray(0, before.length))).toBe(true);
    },
  );
});

test('detects valid pages that have swapped places', async () => {
  const bytes = randomBytes(4 * PAGE);
  const swapped = Uint8Array.from(bytes);
  swapped.set(bytes.subarray(PAGE, 2 * PAGE), 2 * PAGE);
  swapped.set(bytes.subarray(2 * PAGE, 3 * PAGE), PAGE);
  const { ref, pages } = await open(swapped, bytes);
  await expect(pages.readRange(ref, PAGE, 10)).rejects.toThrow(ShardError);
  await expect(pages.readRange(ref, 2 * PAGE, 10)).rejects.toThrow(ShardError);
  expect((await pages.readRange(ref, 0, PAGE)).length).toBe(PAGE);
});

test('refuses checksums of another length, damaged checksums, and ranges beyond the end', async () => {
  const bytes = randomBytes(PAGE);
  await expect(open(bytes, randomBytes(PAGE + 1))).rejects.toThrow(ShardError);
  const sums = await pageSumsOf(inChunks(bytes, 100));
  const ref: ObjectRef = store.add(bytes);
  const recorded = store.add(sums);
  for (let at = 0; at < sums.length; at++) {
    const flipped = sums.slice();
    flipped[at] ^= 1;
    const { name } = store.add(flipped);
    const opening = CheckedPages.open(store, ref, { ...recorded, name });
    await expect(opening).rejects.toThrow(`${name}: hash: `);
  }
  const { ref: own, pages } = await open(bytes);
  await expect(pages.readRange(own, PAGE - 1, 2)).rejects.toThrow(StoreError);
});
