import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { Matrix } from '../../shards/matrix/matrix.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { type Surface, writeHgt } from '../elevation/rasters.ts';
import { buildPlain } from '../support/build-plain.ts';
import { releaseIn } from '../support/release-in.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { avenue } from '../transit/avenue.ts';
import { buildCity } from '../transit/built-city.ts';
import { blockGeoid, writeSmallCity } from '../transit/small-city.ts';

const folder = folderOfTests();
let builds = 0;
let inputs: { osm: string[]; blocks: string[] };
beforeAll(async () => {
  // The first block lies 1,000 m east of the first shop, the second 1,000 m west of the second.
  inputs = await writeSmallCity(folder, avenue([2_000, 8_000], [1_000, 9_000]));
});

/** A surface that climbs eastwards by `aCell` metres per cell: 4 m in 71.88 m is 5.6 %. */
const uphill =
  (aCell: number): Surface =>
  (lon) =>
    aCell * Math.round((lon + 77) * 1_200);
const GRADE = 4 / (86_259.3 / 1_200);
const tile = (surface: Surface) => [writeHgt(folder, 39, -77, surface)];

const tobler = (grade: number) => 6 * Math.exp(-3.5 * Math.abs(grade + 0.05));
/** Tenths of a minute along the avenue, plus half a minute on level ground at either end. */
const walk = (grade: number) => 10 * (1 + 12.5 * (tobler(0) / tobler(grade)));

test('times to places follow the slope in each direction; the manifest states how', async () => {
  const times = async (elevation: string[]) => {
    const built = await buildCity(path.join(folder, `city-${builds++}`), {
      ...inputs,
      gtfs: [],
      elevation,
    });
    const { assumptions } = built.release.manifest;
    const [[east, west], [bikeEast, bikeWest]] = await Promise.all(
      (['walk', 'bike'] as const).map(async (mode) => {
        const [first, second] = await built.shopTimes(mode);
        return [second.get(1)!, first.get(0)!];
      }),
    );
    await built.close();
    return { east, west, bikeEast, bikeWest, assumptions };
  };
  const level = await times([]);
  expect([level.east, level.west]).toEqual([135, 135]);
  expect(Object.keys(level.assumptions).filter((name) => name.startsWith('hills'))).toEqual([]);

  const hilly = await times(tile(uphill(4)));
  expect(Math.abs(hilly.east - walk(GRADE))).toBeLessThanOrEqual(1);
  expect(Math.abs(hilly.west - walk(-GRADE))).toBeLessThanOrEqual(1);
  // From the table: 9.6 km/h at 5 %, 8.4 at 6 %; 18 downhill. One minute is walked.
  const kmh = 9.6 - 1.2 * (100 * GRADE - 5);
  expect(Math.abs(hilly.bikeEast - 10 * (1 + 60 / kmh))).toBeLessThanOrEqual(1);
  expect(Math.abs(hilly.bikeWest - 10 * (1 + 60 / 18))).toBeLessThanOrEqual(1);
  expect(hilly.assumptions).toMatchObject({
    hills_walk: expect.stringContaining('exp(−3.5 (|grade + 0.05| − 0.05))'),
    hills_bike_kmh: expect.stringContaining('4 %: 10.1'),
    hills_sampled: expect.stringContaining('every 30 m'),
  });
});

test('level ground gives the same objects as no elevation data', async () => {
  const objects = async (elevation: string[]) => {
    const store = new FolderStore(path.join(folder, `objects-${builds++}`));
    const { manifest } = await buildPlain({ ...inputs, elevation }, store);
    await store.close();
    return manifest.counties;
  };
  expect(await objects(tile(() => 77))).toEqual(await objects([]));
});

test('a county is searched again only when the ground under its streets changes', async () => {
  const store = await ofThisTest(new FolderStore(path.join(folder, 'again')));
  const searched = async (surface: Surface | null) => {
    const elevation = surface ? tile(surface) : [];
    return (await buildPlain({ ...inputs, elevation }, store)).searched;
  };
  const here = [blockGeoid(0).slice(0, 5)];
  expect(await searched(null)).toEqual(here);
  expect(await searched(uphill(4))).toEqual(here);
  expect(await searched(uphill(4))).toEqual([]);
  expect(await searched(uphill(3))).toEqual(here);
  // A hill far north of all streets.
  expect(await searched((lon, lat) => (lat > 39.9 ? 800 : uphill(3)(lon, lat)))).toEqual([]);
  expect(await searched(null)).toEqual([]);
});

test('downhill reach exceeds that on level ground, and extends into a county out of reach on the level', async () => {
  const counties = ['99001', '99003'];
  const geoidIn = (block: number) => counties[block] + blockGeoid(block).slice(5);
  // The bike ride is 17.6 km at 18 km/h, plus a minute of pushing; on level ground it would take
  // 70 minutes.
  const towns = await writeSmallCity(folder, avenue([1_000, 18_600], [1_000]), geoidIn);
  const store = await ofThisTest(new FolderStore(path.join(folder, 'downhill')));
  const elevation = [-77, -76].map((west) =>
    writeHgt(folder, 39, west, (lon) => 8_000 - uphill(4)(lon, 39)!),
  );
  await buildPlain({ ...towns, elevation, counties: [counties[0]] }, store);
  const { manifest } = await releaseIn(store);
  const matrix = await Matrix.open(store, manifest.counties[counties[0]].objects['reach-from']);
  const { targets, times } = (await matrix.row(0))[manifest.modes.indexOf('bike')];
  const there = Array.from(targets, (target) => matrix.targets[target]).indexOf(Number(geoidIn(1)));
  expect(times[there]).toBe(60);
});

test('a build refuses elevation files without data where the streets are', async () => {
  const store = await ofThisTest(new FolderStore(path.join(folder, 'refused')));
  const elevation = [writeHgt(folder, 10, 20, () => 5)];
  await expect(buildPlain({ ...inputs, elevation }, store)).rejects.toThrow(
    /N10E020\.hgt: no elevation data where the streets are/,
  );
});
