import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readInputList } from '../../builder/fetch/fetch-folder.ts';
import { hashes, writtenCity } from './written-city.ts';

async function hashesOf(blocks: number, seed: number): Promise<Record<string, string>> {
  const { out, files } = await writtenCity(blocks, seed);
  try {
    const left = await readdir(out, { recursive: true });
    expect(left.filter((name) => /\.part$|-lock$/.test(name))).toEqual([]);
    // `tta build --inputs` takes the files of the city, and no others.
    const { osm, blocks, places, weights, addresses, gtfs } = await readInputList(out);
    const listed = [osm, blocks, places, weights, addresses, gtfs.map(({ file }) => file)].flat();
    const written = Object.values(files).flat();
    expect(new Set(listed.map((file) => path.join(out, file)))).toEqual(new Set(written));
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
