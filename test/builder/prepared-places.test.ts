import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { placesNear, writePlaces } from '../../builder/prepare/places.ts';
import { silent } from '../../builder/progress.ts';
import { Receipts } from '../../builder/receipts/receipts.ts';
import { writeShapefile } from '../../infra/demo/shapefile-writer.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { boxRing } from '../support/rings.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { text } from '../transit/small-city.ts';

const folder = folderOfEachTest();

/** A file of places, each a box: last digit of its GEOID, west, south, east, north. */
async function placesFile(
  boxes: readonly (readonly [number, number, number, number, number])[],
): Promise<string> {
  const file = path.join(folder, 'places.zip');
  await writeShapefile(file, {
    name: 'tl_99_place',
    fields: ['GEOID', 'NAME', 'INTPTLAT', 'INTPTLON'].map(text),
    records: () =>
      boxes.map(([digit, ...box]) => ({
        polygon: [boxRing(...box).reverse()],
        values: [`991000${digit}`, `Place ${digit}`, `${box[1]}`, `${box[0]}`],
      })),
  });
  return file;
}

async function prepare(file: string) {
  const store = await ofThisTest(new FolderStore(path.join(folder, 'store')));
  const [receipts, scratch] = [new Receipts(store), path.join(folder, 'scratch')];
  await mkdir(scratch);
  const area = { minLon: 0, minLat: 0, maxLon: 2, maxLat: 2 };
  const about = { paths: [file], area, keyOf: () => 'files', receipts, scratch };
  const prepared = await writePlaces({ ...about, store, progress: silent });
  return { prepared, near: (box: BoundingBox) => placesNear(store, prepared, box) };
}

test('a unit sees the census places whose boxes intersect its own, each once, in order', async () => {
  const { prepared, near: placesIn } = await prepare(
    await placesFile([
      // Across nine cells; in one; in the same one, next to the queried area; and beyond all
      // blocks.
      [3, 0.3, 0.3, 0.9, 0.9],
      [1, 0.55, 0.55, 0.6, 0.6],
      [2, 0.52, 0.52, 0.53, 0.53],
      [4, 7, 7, 8, 8],
    ]),
  );
  expect(Object.keys(prepared)).toHaveLength(9);
  const near = await placesIn({ minLon: 0.54, minLat: 0.54, maxLon: 0.8, maxLat: 0.8 });
  expect(near.map(({ geoid }) => geoid)).toEqual(['9910001', '9910003']);
  expect(near[0]).toEqual({
    geoid: '9910001',
    name: 'Place 1',
    lon: 0.55,
    lat: 0.55,
    box: { minLon: 0.55, minLat: 0.55, maxLon: 0.6, maxLat: 0.6 },
    area: { polygons: [[[...boxRing(0.55, 0.55, 0.6, 0.6)].reverse()]] },
  });
});

test('a place that is given twice is refused, by its record', async () => {
  const file = await placesFile([
    [1, 0, 0, 0.1, 0.1],
    [1, 1, 1, 1.1, 1.1],
  ]);
  await expect(prepare(file)).rejects.toThrow(/places.zip: record 2: place 9910001 appears twice/);
});
