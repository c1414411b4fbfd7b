import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ScratchFile } from '../../shards/store/scratch-file.ts';
import { forAll } from '../support/for-all.ts';
import { folderOfThisTest } from '../support/temporary-folder.ts';

/** Sizes at which the buffer fills, overflows, or is bypassed. */
const MIB = 2 ** 20;
const size = fc.oneof(
  fc.nat(50),
  fc.constantFrom(MIB / 2, MIB - 50, MIB - 1, MIB, MIB + 1, 2 * MIB + 3),
);
const step = fc.record({ append: size, readFrom: fc.double({ min: 0, max: 1, noNaN: true }) });

test('returns what was appended, from any place, also between appends', async () => {
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
