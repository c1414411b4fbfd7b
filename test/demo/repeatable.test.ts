import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { hashes, writtenCity } from './written-city.ts';

async function hashesOf(blocks: number, seed: number): Promise<Record<string, string>> {
  const { out, files } = await writtenCity(blocks, seed);
  try {
    for (const folder of await readdir(out)) {
      const left = (await readdir(path.join(out, folder))).filter((name) => name.endsWith('.part'));
      expect(left).toEqual([]);
    }
    return await hashes(files);
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

test('the same seed and size make the same bytes, in any time zone', async () => {
  const zone = process.env.TZ;
  try {
    process.env.TZ = 'UTC';
    const first = await hashesOf(600, 3);
    process.env.TZ = 'Asia/Tokyo';
    expect(await hashesOf(600, 3)).toEqual(first);
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
});

test('another seed makes another city, in every file', async () => {
  const one = await hashesOf(600, 3);
  const other = await hashesOf(600, 4);
  for (const [file, hash] of Object.entries(one)) expect(other[file], file).not.toBe(hash);
});
