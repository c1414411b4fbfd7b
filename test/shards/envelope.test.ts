import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { crc32c } from '../../shards/codec/crc32c.ts';
import { stemSum } from '../../shards/codec/object-name.ts';
import { ShardError, StoreError, type StoreFailure } from '../../shards/errors.ts';
import {
  checkedSection,
  envelopeContent,
  FORMAT_VERSION,
  HEADER_READ_BYTES,
  readEnvelope,
  SELF_CHECKED,
  sectionOf,
  writeEnvelope,
} from '../../shards/store/envelope.ts';
import { bufferBody, putBodyOf } from '../../shards/store/put-body.ts';
import { checkRecordedHash, isAsRecorded, readVerified } from '../../shards/store/recorded-hash.ts';
import type { ObjectRef, ObjectStat, Store, WritableStore } from '../../shards/store/store.ts';
import { ObjectHead } from '../../shards/store/stored-rows.ts';
import { forAll } from '../support/for-all.ts';

const letters = fc.string({ unit: fc.constantFrom(...'ABCDXYZ'), minLength: 4, maxLength: 4 });
const bytes = fc.uint8Array({ maxLength: 40 });
const sections = fc.uniqueArray(fc.record({ tag: letters, bytes }), {
  maxLength: 4,
  selector: ({ tag }) => tag,
});

/** The part and the message of the `ShardError` that a read throws. */
function faultOf(read: () => unknown): { part: string; problem: string } {
  try {
    read();
  } catch (error) {
    if (error instanceof ShardError) return { part: error.part, problem: error.message };
    throw error;
  }
  throw new Error('nothing is wrong');
}

describe('an envelope', () => {
  test('has the documented layout: the header, then sections on boundaries of eight bytes', () =>
    forAll(60, letters, sections, (kind, list) => {
      const whole = Buffer.from(writeEnvelope(kind, list));
      const headerBytes = 24 + 32 * list.length + 4;
      expect(whole.toString('latin1', 0, 8)).toBe('TTASHARD');
      expect([whole.readUInt16LE(8), whole.readUInt16LE(10)]).toEqual([
        FORMAT_VERSION,
        list.length,
      ]);
      expect(whole.toString('latin1', 12, 16)).toBe(kind);
      expect([whole.readUInt32LE(16), whole.readUInt32LE(20)]).toEqual([headerBytes, 0]);
      let next = headerBytes;
      for (const [i, { tag, bytes: content }] of list.entries()) {
        next += (8 - (next % 8)) % 8;
        const at = 24 + 32 * i;
        expect(whole.toString('latin1', at, at + 4)).toBe(tag);
        expect(whole.readUInt32LE(at + 4)).toBe(crc32c(content));
        expect([whole.readBigUInt64LE(at + 8), whole.readBigUInt64LE(at + 16)]).toEqual([
          BigInt(next),
          BigInt(content.length),
        ]);
        expect(whole.readBigUInt64LE(at + 24)).toBe(0n);
        expect(whole.subarray(next, next + content.length).equals(content)).toBe(true);
        next += content.length;
      }
      expect(whole.length).toBe(Math.ceil(next / 8) * 8);
      expect(whole.readUInt32LE(headerBytes - 4)).toBe(crc32c(whole.subarray(0, headerBytes - 4)));
    }));

  test('returns its sections, and has the same bytes when its rows are written separately', () =>
    forAll(60, letters, sections, bytes, async (kind, list, rows) => {
      const all = [...list, { tag: SELF_CHECKED, bytes: rows }];
      const whole = writeEnvelope(kind, all);
      const content = envelopeContent(kind, list, putBodyOf(rows), 0);
      expect(content.bytes).toBe(whole.length);
      expect(await bufferBody(content)).toEqual(whole);
      const envelope = readEnvelope('x', whole, whole.length, kind);
      expect(envelope.kind).toBe(kind);
      for (const { tag, bytes: own } of all) {
        expect(checkedSection('x', envelope, tag, whole)).toEqual(own);
      }
      expect(sectionOf('x', envelope, SELF_CHECKED).crc).toBe(0);
      // A section can also be read from only the part of the object that holds it.
      const { offset } = sectionOf('x', envelope, SELF_CHECKED);
      const part = checkedSection('x', envelope, SELF_CHECKED, whole.subarray(offset), offset);
      expect(part).toEqual(rows);
    }));

  const some = [
    { tag: 'AAAA', bytes: Uint8Array.of(1, 2, 3) },
    { tag: 'BBBB', bytes: Uint8Array.of(4, 5, 6, 7, 8, 9, 10, 11, 12) },
  ];

  test('is refused with a changed bit in its header, or with one in a section once that section is read', () => {
    const whole = writeEnvelope('KIND', some);
    const { headerBytes, sections: found } = readEnvelope('x', whole, whole.length);
    for (let at = 0; at < whole.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const damaged = whole.slice();
        damaged[at] ^= 1 << bit;
        if (at < headerBytes) {
          expect(faultOf(() => readEnvelope('x', damaged, whole.length, 'KIND')).part).toBe(
            'header',
          );
          continue;
        }
        const own = found.find(({ offset, bytes: length }) => {
          return at >= offset && at < offset + length;
        });
        const envelope = readEnvelope('x', damaged, whole.length, 'KIND');
        for (const { tag } of found) {
          const read = () => checkedSection('x', envelope, tag, damaged);
          if (tag === own?.tag) expect(faultOf(read).part).toBe(tag);
          else expect(read()).toHaveLength(some.find((one) => one.tag === tag)!.bytes.length);
        }
      }
    }
  });

  test('that is cut short is refused wherever it is cut', () => {
    const whole = writeEnvelope('KIND', some);
    const { headerBytes, sections: found } = readEnvelope('x', whole, whole.length);
    const end = found[1].offset + found[1].bytes;
    for (let length = 0; length < headerBytes; length++) {
      const { part, problem } = faultOf(() =>
        readEnvelope('x', whole.subarray(0, length), whole.length),
      );
      expect([part, problem]).toEqual(['header', expect.stringContaining('truncated')]);
    }
    for (let length = headerBytes; length < end; length++) {
      const head = whole.subarray(0, headerBytes);
      const { part, problem } = faultOf(() => readEnvelope('x', head, length));
      const cut = found.find(({ offset, bytes: own }) => offset + own > length)!;
      const says = `truncated: ends at ${cut.offset + cut.bytes} of ${length}`;
      expect([part, problem]).toEqual([cut.tag, expect.stringContaining(says)]);
    }
    expect(readEnvelope('x', whole.subarray(0, headerBytes), end).sections).toEqual(found);
    const envelope = readEnvelope('x', whole, whole.length);
    const part = whole.subarray(0, end - 1);
    expect(faultOf(() => checkedSection('x', envelope, 'BBBB', part)).problem).toContain(
      'truncated',
    );
  });

  test('of another program, version or kind, or without a section, is refused with the reason', () => {
    const whole = writeEnvelope('KIND', some);
    const reading = (change: (bytes: Uint8Array) => void, kind = 'KIND') => {
      const changed = whole.slice();
      change(changed);
      return faultOf(() => readEnvelope('x', changed, whole.length, kind)).problem;
    };
    expect(reading((of) => of.set([0x50, 0x4b]))).toContain('not a shard of this service');
    const newer = FORMAT_VERSION + 1;
    expect(reading((of) => of.set([newer & 255, newer >> 8], 8))).toContain(
      `format version ${newer}; this program reads version ${FORMAT_VERSION}`,
    );
    expect(reading(() => {}, 'ELSE')).toContain('is a "KIND", not a "ELSE"');
    const envelope = readEnvelope('x', whole, whole.length);
    expect(faultOf(() => sectionOf('x', envelope, 'CCCC'))).toEqual({
      part: 'CCCC',
      problem: expect.stringContaining('section is missing'),
    });
  });
});

/** A store of one object in memory, which records the ranges that are read. */
function storeOf(whole: Uint8Array) {
  const reads: [offset: number, length: number][] = [];
  const readRange = async (_: ObjectRef, offset: number, length: number) => {
    reads.push([offset, length]);
    return whole.slice(offset, offset + length);
  };
  return { reads, store: { readRange } as Partial<Store> as Store };
}

test.each([
  [100, 1],
  [HEADER_READ_BYTES - 96, 1],
  [HEADER_READ_BYTES - 95, 2],
  [5_000, 2],
])('a head with a section of %i bytes takes %i reads up to the rows', async (length, times) => {
  const before = [{ tag: 'AAAA', bytes: new Uint8Array(length).fill(7) }];
  const rows = { tag: SELF_CHECKED, bytes: new Uint8Array(3_000).fill(9) };
  const whole = writeEnvelope('KIND', [...before, rows], stemSum('x'));
  const { store, reads } = storeOf(whole);
  const ref = { name: 'x', bytes: whole.length, sha256: '' };
  const { bytes: head, length: headBytes } = await ObjectHead.read(store, ref, 'KIND');
  const { offset } = sectionOf('x', readEnvelope('x', whole, whole.length), SELF_CHECKED);
  expect(headBytes).toBe(offset);
  expect(head.length).toBeGreaterThanOrEqual(offset);
  expect(Buffer.from(head.subarray(0, offset)).equals(whole.subarray(0, offset))).toBe(true);
  expect(reads).toHaveLength(times);
  await expect(ObjectHead.read(store, ref, 'ELSE')).rejects.toThrow('is a "KIND"');
});

describe('an object read whole', () => {
  const MEGABYTE = 2 ** 20;
  const refOf = (whole: Uint8Array): ObjectRef => ({
    name: 'some/object',
    bytes: whole.length,
    sha256: createHash('sha256').update(whole).digest('hex'),
  });

  test.each([0, 1, MEGABYTE, MEGABYTE + 1, 5 * MEGABYTE])(
    'of %i bytes matches its recorded hash, read at once or range by range',
    async (length) => {
      const whole = new Uint8Array(length).map((_, i) => (i * 31) >> 3);
      const { store, reads } = storeOf(whole);
      expect((await readVerified(store, refOf(whole))).length).toBe(length);
      reads.length = 0;
      await checkRecordedHash(store, refOf(whole));
      const most = 4 * MEGABYTE;
      expect(reads.reduce((sum, [, read]) => sum + read, 0)).toBe(length);
      expect(reads).toHaveLength(Math.max(1, Math.ceil(length / most)));
      expect(Math.max(...reads.map(([, read]) => read))).toBeLessThanOrEqual(most);
    },
  );

  test('is refused by both checks if any byte differs', async () => {
    const whole = new Uint8Array(MEGABYTE + 5).fill(3);
    const ref = refOf(whole);
    for (const at of [0, MEGABYTE - 1, MEGABYTE, MEGABYTE + 4]) {
      const other = whole.slice();
      other[at] ^= 1;
      const { store } = storeOf(other);
      const says = `is ${refOf(other).sha256}; the manifest says ${ref.sha256}`;
      await expect(readVerified(store, ref)).rejects.toThrow(says);
      await expect(checkRecordedHash(store, ref)).rejects.toThrow(says);
    }
  });

  const ref = refOf(Uint8Array.of(1, 2, 3));
  const failing = (failure: StoreFailure) => new StoreError(failure, ref.name, failure);
  test.each<[boolean, string, ObjectStat | null, Uint8Array | Error]>([
    [true, 'its hash is recorded', { bytes: 3, sha256: ref.sha256 }, failing('unavailable')],
    [false, 'another is recorded', { bytes: 3, sha256: '00' }, failing('unavailable')],
    [true, 'it is read', { bytes: 3, sha256: null }, Uint8Array.of(1, 2, 3)],
    [false, 'it is there in part', { bytes: 2, sha256: null }, Uint8Array.of(1, 2, 3)],
    [false, 'it is missing', null, Uint8Array.of(1, 2, 3)],
    [false, 'it is damaged', { bytes: 3, sha256: null }, Uint8Array.of(1, 2, 4)],
    [false, 'it has gone', { bytes: 3, sha256: null }, failing('missing')],
    [false, 'it has changed', { bytes: 3, sha256: null }, failing('changed')],
  ])('is as recorded: %s where %s', async (expected, _, stat, content) => {
    expect(await isAsRecorded(writable(stat, content), ref)).toBe(expected);
  });

  test('that cannot be read passes on the failure, since it may be as recorded or not', async () => {
    for (const error of [failing('unavailable'), new Error('something else')]) {
      const store = writable({ bytes: 3, sha256: null }, error);
      await expect(isAsRecorded(store, ref)).rejects.toBe(error);
    }
  });

  function writable(stat: ObjectStat | null, content: Uint8Array | Error): WritableStore {
    const store: Partial<WritableStore> = {
      stat: async () => stat,
      readRange: async (_, offset, length) => {
        if (content instanceof Error) throw content;
        return content.slice(offset, offset + length);
      },
    };
    return store as WritableStore;
  }
});
