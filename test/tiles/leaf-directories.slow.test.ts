import { createHash } from 'node:crypto';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { PmtilesArchive } from '../../shards/pmtiles/archive.ts';
import { PmtilesWriter } from '../../shards/pmtiles/writer.ts';
import { bufferBody } from '../../shards/store/put-body.ts';
import { ScratchFile } from '../../shards/store/scratch-file.ts';
import { CountingStore } from '../support/counting-store.ts';
import { folderOfThisTest } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { ARCHIVE_FACTS, libraryArchive } from './archive-source.ts';

const TILES = 100_000;

test('many tiles: leaf directories, one read to open, one per tile, one per leaf the first time', async () => {
  const folder = await folderOfThisTest();
  const store = await ofThisTest(new CountingStore(folder));
  const spill = new ScratchFile(path.join(folder, 'scratch'));
  const writer = new PmtilesWriter(spill);
  const side = 448;
  const at = (i: number) => ({ z: 14, x: 4700 + (i % side), y: 6200 + Math.floor(i / side) });
  // Random lengths: directories of them do not compress much.
  const textOf = (i: number) => `${i} ${'x'.repeat((Math.imul(i, 0x9e3779b1) >>> 16) % 400)}`;
  for (let i = 0; i < TILES; i++) writer.add(at(i), gzipSync(textOf(i), { level: 0 }));
  const bytes = await bufferBody(writer.finish(ARCHIVE_FACTS));
  spill.close();
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const ref = { name: 'tiles/large.pmtiles', bytes: bytes.length, sha256 };
  await store.putContent(ref.name, bytes);
  const archive = await PmtilesArchive.open(store, ref);
  const { root, leaves, tileEntries } = archive.header;
  expect(root.offset + root.bytes).toBeLessThanOrEqual(16_384);
  expect(leaves.bytes).toBeGreaterThan(100_000);
  expect(tileEntries).toBe(TILES);

  const library = libraryArchive(bytes);
  const header = await library.getHeader();
  expect([header.numAddressedTiles, header.numTileContents]).toEqual([TILES, TILES]);
  for (let i = 0; i < TILES; i += 53) {
    expect(gunzipSync((await archive.tile(at(i)))!).toString()).toBe(textOf(i));
    const theirs = await library.getZxy(at(i).z, at(i).x, at(i).y);
    expect(Buffer.from(theirs!.data).toString()).toBe(textOf(i));
  }
  expect(await archive.tile({ z: 14, x: 4699, y: 6200 })).toBeNull();
  expect(await archive.tile({ z: 13, x: 2400, y: 3100 })).toBeNull();

  const again = await PmtilesArchive.open(store, ref);
  store.reads = [];
  await Promise.all([again.tile(at(7)), again.tile(at(7)), again.tile(at(7))]);
  expect(store.reads).toHaveLength(4);
  await again.tile(at(7));
  expect(store.reads).toHaveLength(5);
});
