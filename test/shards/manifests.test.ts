import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import type { Manifest } from '../../shards/release/manifest.ts';
import { readManifest } from '../../shards/release/manifests.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { releaseIn } from '../support/release-in.ts';
import { folderOfTests } from '../support/temporary-folder.ts';

const folder = folderOfTests();

/** County codes, so many that their manifest is too long for one step of parsing. */
const CODES = Array.from({ length: 300 }, (_, i) => String(10_001 + 2 * i));

/** A manifest of many counties, all copies of one county of the demo city. */
async function manyCounties(): Promise<Manifest> {
  const store = new FolderStore(inject('demoStore'));
  const { manifest } = await releaseIn(store);
  await store.close();
  const [county] = Object.values(manifest.counties);
  const counties = Object.fromEntries(CODES.map((code) => [code, county]));
  return JSON.parse(JSON.stringify({ ...manifest, counties }));
}

/** Stores the manifest under its content-hashed name, and reads it back. */
async function stored(manifest: Manifest) {
  const bytes = Buffer.from(JSON.stringify(manifest));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const name = `manifests/many-${sha256.slice(0, 16)}.json`;
  await mkdir(path.join(folder, 'manifests'), { recursive: true });
  await writeFile(path.join(folder, name), bytes);
  const store = new FolderStore(folder);
  try {
    return await readManifest(store, name);
  } finally {
    await store.close();
  }
}

test('a manifest of many counties is read as it was written', async () => {
  const manifest = await manyCounties();
  const read = await stored(manifest);
  expect(JSON.stringify(read.manifest)).toBe(JSON.stringify(manifest));
});

test.each<[string, (manifest: Manifest) => unknown, RegExp]>([
  [
    'a number in a county',
    ({ counties }) => Object.assign(counties[CODES[299]], { population: -1 }),
    /: counties\.10599\.population: /,
  ],
  [
    'a hash in a county',
    ({ counties }) => Object.assign(counties[CODES[7]].objects.pois, { sha256: 'none' }),
    /: counties\.10015\.objects\.pois\.sha256: /,
  ],
  [
    'an unknown member of a county',
    ({ counties }) => Object.assign(counties[CODES[0]], { colour: 'red' }),
    /: counties\.10001: .*colour/,
  ],
  [
    'a county that is none',
    ({ counties }) => Object.assign(counties, { [CODES[5]]: null }),
    /: counties\.10011: /,
  ],
  [
    'the code of a county',
    ({ counties }) => Object.assign(counties, { '123': counties[CODES[0]] }),
    /: counties\.123: /,
  ],
  [
    'a list of counties',
    (manifest) => Object.assign(manifest, { counties: Object.values(manifest.counties) }),
    /: counties: is not an object/,
  ],
  [
    'a county without its weights',
    (manifest) => Object.assign(manifest, { weights: [] }),
    /: weights: need an object in every county/,
  ],
  [
    'another format, whatever its counties are',
    (manifest) => Object.assign(manifest, { format: 1, counties: { '10001': {} } }),
    /: format: is not \d+: another version of the program made it; build the release again/,
  ],
])('an error names the member: %s', async (_, damage, expected) => {
  const manifest = await manyCounties();
  damage(manifest);
  await expect(stored(manifest)).rejects.toThrow(expected);
});
