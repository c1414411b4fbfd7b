import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { tileIdToZxy, zxyToTileId } from 'pmtiles';
import { expect, test } from 'vitest';
import { ShardError } from '../../shards/errors.ts';
import { PmtilesArchive } from '../../shards/pmtiles/archive.ts';
import { type TileAddress, tileId } from '../../shards/pmtiles/tile-id.ts';
import { PmtilesWriter } from '../../shards/pmtiles/writer.ts';
import { bufferBody } from '../../shards/store/put-body.ts';
import { ScratchFile } from '../../shards/store/scratch-file.ts';
import type { ObjectRef } from '../../shards/store/store.ts';
import { CountingStore } from '../support/counting-store.ts';
import { forAll } from '../support/for-all.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { ofTests } from '../support/test-resources.ts';
import { ARCHIVE_FACTS, libraryArchive } from './archive-source.ts';

const folder = folderOfTests();
const store = ofTests(() => new CountingStore(folder));

const tileOf = (text: string) => gzipSync(text);

async function write(tiles: readonly (readonly [TileAddress, Uint8Array])[]): Promise<Uint8Array> {
  const spill = new ScratchFile(path.join(folder, 'scratch'));
  try {
    const writer = new PmtilesWriter(spill);
    for (const [tile, bytes] of tiles) writer.add(tile, bytes);
    return await bufferBody(writer.finish(ARCHIVE_FACTS));
  } finally {
    spill.close();
  }
}

async function put(bytes: Uint8Array): Promise<ObjectRef> {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const ref = { name: `tiles/${sha256}.pmtiles`, bytes: bytes.length, sha256 };
  await store.putContent(ref.name, bytes);
  return ref;
}

test('a tile’s id is the one the PMTiles library computes', async () => {
  await forAll(
    100,
    fc.nat(20),
    fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    (z, at) => {
      const first = (4 ** z - 1) / 3;
      const [, x, y] = tileIdToZxy(first + Math.floor(at * 4 ** z));
      expect(tileId({ z, x, y })).toBe(zxyToTileId(z, x, y));
    },
  );
  expect(() => tileId({ z: 3, x: 8, y: 0 })).toThrow(RangeError);
});

test('any set of tiles is read back, by the PMTiles library and by us, and no other tile', async () => {
  const address = fc
    .nat(5)
    .chain((z) => fc.record({ z: fc.constant(z), x: fc.nat(2 ** z - 1), y: fc.nat(2 ** z - 1) }));
  const tiles = fc.uniqueArray(fc.tuple(address, fc.nat(4)), {
    selector: ([tile]) => tileId(tile),
  });
  await forAll(40, tiles, fc.array(address), async (kept, others) => {
    const content = new Map(kept.map(([tile, n]) => [tileId(tile), `content ${n}`]));
    const bytes = await write(kept.map(([tile, n]) => [tile, tileOf(`content ${n}`)]));
    const library = libraryArchive(bytes);
    const ours = await PmtilesArchive.open(store, await put(bytes));
    for (const tile of [...kept.map(([tile]) => tile), ...others]) {
      const expected = content.get(tileId(tile));
      const theirs = await library.getZxy(tile.z, tile.x, tile.y);
      expect(theirs && Buffer.from(theirs.data).toString()).toBe(expected);
      const own = await ours.tile(tile);
      expect(own ? gunzipSync(own).toString() : undefined).toBe(expected);
    }
  });
});

test('the input order of tiles does not change a byte', async () => {
  const tiles = Array.from({ length: 500 }, (_, i): [TileAddress, Uint8Array] => [
    { z: 10, x: i % 25, y: Math.floor(i / 25) },
    tileOf(`tile ${i % 90}`),
  ]);
  const bytes = await write(tiles);
  expect(await write([...tiles].reverse())).toEqual(bytes);
});

test('equal tiles are stored once, and neighbours among them are one entry', async () => {
  const all = Array.from({ length: 4 ** 7 }, (_, i): [TileAddress, Uint8Array] => [
    { z: 7, x: i % 128, y: Math.floor(i / 128) },
    tileOf(i === 7000 ? 'land' : 'sea'),
  ]);
  const bytes = await write(all);
  const { header } = await PmtilesArchive.open(store, await put(bytes));
  expect([header.addressedTiles, header.tileEntries, header.tileContents]).toEqual([16_384, 3, 2]);
  expect(header.tiles.bytes).toBe(tileOf('land').length + tileOf('sea').length);
  expect(bytes.length).toBeLessThan(1000);
});

test('a tile given twice is refused', async () => {
  const tile = { z: 3, x: 1, y: 1 };
  await expect(
    write([
      [tile, tileOf('a')],
      [tile, tileOf('b')],
    ]),
  ).rejects.toThrow(RangeError);
  await expect(
    write([
      [tile, tileOf('a')],
      [tile, tileOf('a')],
    ]),
  ).rejects.toThrow(RangeError);
});

test('the library reads the archive’s metadata as written', async () => {
  const bytes = await write([[{ z: 0, x: 0, y: 0 }, tileOf('world')]]);
  const library = libraryArchive(bytes);
  const header = await library.getHeader();
  expect(header).toMatchObject({
    specVersion: 3,
    clustered: true,
    internalCompression: 2,
    tileCompression: 2,
    tileType: 1,
    minZoom: 0,
    maxZoom: 14,
    minLon: -77.1234567,
    minLat: 39,
    maxLon: -76,
    maxLat: 40.5,
    centerZoom: 7,
  });
  expect(await library.getMetadata()).toMatchObject({
    name: 'Some tiles',
    attribution: 'nobody',
    vector_layers: [{ id: 'bands', fields: { minutes: 'Number' }, minzoom: 0, maxzoom: 14 }],
  });
  const ours = await PmtilesArchive.open(store, await put(bytes));
  expect(await ours.metadata()).toEqual(await library.getMetadata());
  expect(ours.header.bounds).toEqual(ARCHIVE_FACTS.bounds);
});

test('a truncated, foreign or damaged archive is an error that names it', async () => {
  const bytes = await write([
    [{ z: 5, x: 3, y: 3 }, tileOf('x')],
    [{ z: 5, x: 9, y: 3 }, tileOf('y')],
  ]);
  const broken = async (change: (bytes: Uint8Array) => Uint8Array) => {
    const ref = await put(change(bytes.slice()));
    const reading = async () => {
      const archive = await PmtilesArchive.open(store, ref);
      await archive.metadata();
      await archive.tile({ z: 5, x: 3, y: 3 });
    };
    const error = await reading().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ShardError);
    expect((error as ShardError).object).toBe(ref.name);
  };
  await broken((b) => b.subarray(0, 100));
  await broken((b) => b.subarray(0, b.length - 1));
  await broken((b) => b.fill(0, 0, 4));
  await broken((b) => b.fill(2, 7, 8));
  await broken((b) => b.fill(1, 97, 98));
  await broken((b) => b.fill(0xff, 127, 140));
  await broken((b) => b.fill(0xff, 24, 32));
});

test('a scratch file is removed when it is closed', async () => {
  const spill = new ScratchFile(path.join(folder, 'scratch'));
  const large = Buffer.alloc(3 << 20, 7);
  const at = [Buffer.from('a'), large, Buffer.from('b')].map((bytes) => spill.append(bytes));
  expect(Buffer.from(spill.read(at[2], 1)).toString()).toBe('b');
  expect(large.equals(spill.read(at[1], large.length))).toBe(true);
  expect(Buffer.from(spill.read(at[0], 1)).toString()).toBe('a');
  spill.close();
  expect(await readdir(folder)).not.toContain('scratch');
});
