import fc from 'fast-check';
import { expect, test } from 'vitest';
import { groundHeights, openRaster } from '../../builder/elevation/ground-heights.ts';
import { decodeHeights, encodeHeights } from '../../builder/elevation/height-cell.ts';
import type { HeightRaster } from '../../builder/elevation/height-raster.ts';
import { CellRectangle } from '../../builder/geo/cell-rectangle.ts';
import { heightsAt, writeHeights } from '../../builder/prepare/heights.ts';
import { silent } from '../../builder/progress.ts';
import { Receipts } from '../../builder/receipts/receipts.ts';
import { ThreadExecutor } from '../../builder/tasks/thread-executor.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { forAll } from '../support/for-all.ts';
import { jobsBy, keyOf } from '../support/prepared-city.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { Dice } from '../transit/dice.ts';
import { writeHgt } from './rasters.ts';

const folder = folderOfTests();

/** A raster of random heights around the corner where four cells meet, with holes. */
function raster(seed: number, isWhole: boolean): HeightRaster {
  const dice = new Dice(seed);
  const step = dice.between(0.003, 0.02);
  const side = 40;
  const heights = Float32Array.from({ length: side * side }, () => {
    const height = dice.between(-400, 4_000);
    return dice.chance(0.1) ? Number.NaN : isWhole ? Math.round(height) : height;
  });
  return {
    west: dice.between(-0.4, 0),
    north: dice.between(0, 0.4),
    stepEast: step,
    stepSouth: step,
    columns: side,
    rows: side,
    async read({ left, top, right, bottom }) {
      const rows = Array.from({ length: bottom - top }, (_, row) => (top + row) * side);
      return Float32Array.from(
        rows.flatMap((row) => [...heights.subarray(row + left, row + right)]),
      );
    },
    close: async () => {},
  };
}

test('heights in a cell are those of the files, wherever the points and the cells of files are', () =>
  forAll(60, fc.nat(), fc.boolean(), async (seed, isWhole) => {
    const dice = new Dice(seed);
    const rasters = [raster(seed + 1, isWhole), raster(seed + 2, !isWhole)];
    const { box } = CellRectangle.of({
      minLon: dice.pick([-0.1, 0.1]),
      maxLon: 0.1,
      minLat: dice.pick([-0.1, 0.1]),
      maxLat: 0.1,
    });
    const among = (low: number, high: number) =>
      Float64Array.from({ length: 300 }, (_, i) => (i === 0 ? low : dice.between(low, high)));
    const [lon, lat] = [among(box.minLon, box.maxLon), among(box.minLat, box.maxLat)];
    const bytes = await encodeHeights(rasters, box);
    const prepared = bytes === null ? [] : decodeHeights('heights', bytes);
    expect(await groundHeights(prepared, lon, lat)).toEqual(await groundHeights(rasters, lon, lat));
  }));

test('a plan has the heights of the cells with streets only, and a unit reads those of its points', async () => {
  const store = await ofThisTest(new FolderStore(`${folder}/store`));
  const tiles = [-77, -76].map((west) => writeHgt(folder, 39, west, (lon) => 1_000 * (lon + 77)));
  const cells = CellRectangle.of({ minLon: -76.1, minLat: 39.1, maxLon: -75.9, maxLat: 39.1 });
  const receipts = new Receipts(store);
  const prepared = await writeHeights({
    paths: tiles,
    cells: cells.touching(cells.box),
    keyOf,
    store,
    receipts,
    run: jobsBy(new ThreadExecutor(store, {}, silent), store, receipts),
    progress: silent,
  });
  expect(Object.keys(prepared)).toHaveLength(2);
  const rasters = await Promise.all(tiles.map(openRaster));
  const lon = Float64Array.of(-76.1, -75.9, -76, -76.3);
  const lat = new Float64Array(4).fill(39.1);
  const expected = await groundHeights(rasters, lon, lat);
  for (const one of rasters) await one.close();
  expected[3] = Number.NaN;
  expect(await heightsAt(store, prepared, lon, lat)).toEqual(expected);
});
