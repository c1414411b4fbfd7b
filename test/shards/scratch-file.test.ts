import fs, { existsSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { ScratchFile } from '../../shards/store/scratch-file.ts';
import { forAll } from '../support/for-all.ts';
import { folderOfThisTest } from '../support/temporary-folder.ts';

/** Bytes that the buffer of a scratch file holds. */
const MIB = 2 ** 20;
/** Sizes at which the buffer fills, overflows, or is bypassed. */
const size = fc.oneof(
  fc.nat(50),
  fc.constantFrom(MIB / 2, MIB - 50, MIB - 1, MIB, MIB + 1, 2 * MIB + 3),
);
const step = fc.record({ append: size, readFrom: fc.double({ min: 0, max: 1, noNaN: true }) });

test('a scratch file returns what was appended, from any place, also between appends', async () => {
  const file = path.join(await folderOfThisTest(), 'scratch');
  await forAll(25, fc.array(step, { minLength: 1, maxLength: 6 }), (steps) => {
    // A file of an earlier process is overwritten.
    writeFileSync(file, 'left over');
    const scratch = new ScratchFile(file);
    let plain = Buffer.alloc(0);
    for (const [i, { append, readFrom }] of steps.entries()) {
      const bytes = Buffer.alloc(append, `${i} of these bytes;`);
      expect(scratch.append(bytes)).toBe(plain.length);
      plain = Buffer.concat([plain, bytes]);
      expect(scratch.bytes).toBe(plain.length);
      const from = Math.floor(readFrom * plain.length);
      const read = scratch.read(from, Math.min(60, plain.length - from));
      expect(plain.subarray(from, from + 60).equals(read)).toBe(true);
    }
    expect(plain.equals(scratch.read(0, plain.length))).toBe(true);
    const beyond = plain.length + 1;
    expect(() => scratch.read(0, beyond)).toThrow(`${file} ends before byte ${beyond}`);
    expect(() => scratch.read(plain.length, 1)).toThrow(`ends before byte ${beyond}`);
    scratch.close();
    expect(existsSync(file)).toBe(false);
  });
});

/** Limits the bytes that one read or write transfers, until the test ends. */
function ofPieces(mostBytes: number) {
  const { writeSync, readSync } = fs;
  const calls = { writes: 0 };
  const inPieces = (original: unknown) => {
    const call = original as (fd: number, bytes: Uint8Array, ...at: number[]) => number;
    return (fd: number, bytes: Uint8Array, at: number, length: number, position: number) =>
      call(fd, bytes, at, Math.min(length, mostBytes), position);
  };
  const write = inPieces(writeSync);
  Object.assign(fs, {
    readSync: inPieces(readSync),
    writeSync: (...args: Parameters<typeof write>) => {
      calls.writes++;
      return write(...args);
    },
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    Object.assign(fs, { writeSync, readSync });
    syncBuiltinESMExports();
  });
  return calls;
}

test('a scratch file is complete on a disk that transfers any number of bytes at once', async () => {
  const calls = ofPieces(300_001);
  const scratch = new ScratchFile(path.join(await folderOfThisTest(), 'scratch'));
  let plain = Buffer.alloc(0);
  for (const size of [10, MIB - 10, 1, 2 * MIB + 7, 5]) {
    const bytes = Buffer.alloc(size, `${size} of these bytes;`);
    scratch.append(bytes);
    plain = Buffer.concat([plain, bytes]);
  }
  expect(plain.equals(scratch.read(0, plain.length))).toBe(true);
  // In pieces: a full MiB, the byte before the large append, that append, and the last bytes.
  expect(calls.writes).toBe(4 + 1 + 7 + 1);
  scratch.close();
});

test('a scratch file is written one MiB at a time, or before a read beyond what is written', async () => {
  const calls = ofPieces(Number.POSITIVE_INFINITY);
  const file = path.join(await folderOfThisTest(), 'scratch');
  const scratch = new ScratchFile(file);
  const half = Buffer.alloc(MIB / 2, 'half');
  const writesOf = (work: () => unknown) => {
    const before = calls.writes;
    work();
    return calls.writes - before;
  };
  expect(writesOf(() => scratch.append(half))).toBe(0);
  expect(writesOf(() => scratch.append(half))).toBe(0);
  expect(writesOf(() => scratch.append(half))).toBe(1);
  expect(writesOf(() => scratch.read(MIB - 10, 10))).toBe(0);
  expect(writesOf(() => scratch.read(MIB - 10, 11))).toBe(1);
  expect(writesOf(() => scratch.append(Buffer.alloc(MIB)))).toBe(0);
  expect(writesOf(() => scratch.append(Buffer.alloc(MIB + 1)))).toBe(2);
  // Another process has tidied up.
  rmSync(file);
  scratch.close();
});
