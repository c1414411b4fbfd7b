import { existsSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bufferBody } from '../../shards/store/put-body.ts';
import { Spool } from '../../shards/store/spool.ts';
import { forAll } from '../support/for-all.ts';
import { folderOfTests } from '../support/temporary-folder.ts';

const folder = folderOfTests();

test('a spool returns what was appended, in order and repeatedly, also between appends', async () => {
  let files = 0;
  const pieces = fc.array(fc.uint8Array({ maxLength: 50 }));
  await forAll(100, pieces, pieces, fc.nat(120), async (early, late, inMemory) => {
    const file = path.join(folder, `spool-${files++}`);
    const spool = new Spool(file, inMemory);
    for (const piece of early) spool.append(piece);
    const first = Buffer.concat(early);
    expect(spool.bytes).toBe(first.length);
    expect(Buffer.from(await bufferBody(spool))).toEqual(first);
    for (const piece of late) spool.append(piece);
    const all = Buffer.concat([first, ...late]);
    for (let times = 0; times < 2; times++) {
      expect(Buffer.from(await bufferBody(spool))).toEqual(all);
    }
    spool.close();
    expect(existsSync(file)).toBe(false);
  });
});

test('a spool touches the disk only for what exceeds its memory, and leaves nothing there', () => {
  const file = path.join(folder, 'few');
  const spool = new Spool(file, 100);
  spool.append(new Uint8Array(100));
  expect(existsSync(file)).toBe(false);
  spool.append(new Uint8Array(1));
  expect(existsSync(file)).toBe(true);
  spool.close();
  expect(existsSync(file)).toBe(false);
});

test('a spool returns more than it reads at once, to the last byte', async () => {
  const spool = new Spool(path.join(folder, 'much'), 1_000);
  const pieces = [700_001, 700_001, 1_200_007, 10].map((size, i) =>
    Buffer.alloc(size, `piece ${i} of them;`),
  );
  for (const piece of pieces) spool.append(piece);
  expect(Buffer.concat(pieces).equals(await bufferBody(spool))).toBe(true);
  spool.close();
});
