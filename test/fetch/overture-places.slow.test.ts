import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { FeatureCollection, Point } from 'geojson';
import { parquetMetadata } from 'hyparquet';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { FetchFolder } from '../../builder/fetch/fetch-folder.ts';
import { Http } from '../../builder/fetch/http.ts';
import { fetchOverturePlaces } from '../../builder/fetch/overture-places.ts';
import { silent } from '../../builder/progress.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { forAll } from '../support/for-all.ts';
import { Mirror } from './mirror.ts';
import { overtureFile, type Place } from './overture-file.ts';
import { scratchFolders } from './scratch-folders.ts';

const BOX: BoundingBox = { minLon: -76.7, minLat: 39.2, maxLon: -76.5, maxLat: 39.4 };
const PREFIX = '/release/2025-10-22.0/theme=places/type=place';
/** Bytes of the tail of a file, which has its footer and is read first. */
const FOOTER_BYTES = 512 * 1024;
const folderPath = scratchFolders();
let mirror: Mirror;
let http: Http;

beforeAll(() => {
  http = new Http({ idleMs: 2_000, retryMs: 2, namedHosts: ['127.0.0.1'] });
});
afterAll(() => http.close());
beforeEach(async () => {
  mirror = await Mirror.start();
  return () => mirror.close();
});

const place = (id: string, lon: number, lat: number): Place => ({
  id,
  name: `Shop ${id}`,
  category: 'grocery_store',
  lon,
  lat,
});

/** `count` places on a line of latitude, from west to east. */
const row = (id: string, count: number, fromLon: number, toLon: number, lat: number): Place[] =>
  Array.from({ length: count }, (_, i) =>
    place(`${id}-${i}`, fromLon + ((toLon - fromLon) * (i + 0.5)) / count, lat),
  );

async function fetchPlaces(boxes: readonly BoundingBox[] = [BOX], root = folderPath()) {
  const folder = await FetchFolder.open(root);
  try {
    const session = { http, folder, progress: silent };
    const path = await fetchOverturePlaces(mirror.url, null, boxes, session);
    return JSON.parse(readFileSync(path, 'utf8')) as FeatureCollection<Point>;
  } finally {
    await folder.close();
  }
}

const ids = ({ features }: FeatureCollection) => features.map(({ properties }) => properties?.id);

test('places within the box arrive as GeoJSON, with Overture’s names', async () => {
  mirror.put(
    `${PREFIX}/part-00000.zstd.parquet`,
    overtureFile([place('a', -76.6, 39.3), place('b', -76.8, 39.3)], { rowsPerGroup: 10 }),
  );
  expect(await fetchPlaces()).toEqual({
    type: 'FeatureCollection',
    features: [
      {
        type: 'Feature',
        geometry: { type: 'Point', coordinates: [-76.6, 39.3] },
        properties: {
          id: 'a',
          names: { primary: 'Shop a' },
          categories: { primary: 'grocery_store', alternate: ['shop', 'grocery_store_2'] },
          confidence: 0.75,
          addresses: [
            { freeform: 'a Light St', locality: 'Baltimore', postcode: '21230', region: 'MD' },
          ],
          brand: { names: { primary: 'Shop a Inc' } },
        },
      },
    ],
  });
});

test('no places make an empty collection', async () => {
  mirror.put(`${PREFIX}/a.parquet`, overtureFile([place('a', 2, 48)], { rowsPerGroup: 10 }));
  expect((await fetchPlaces()).features).toEqual([]);
});

test('reads only the row groups that meet the county', async () => {
  const rowsPerGroup = 8_000;
  const groups = [
    row('west', rowsPerGroup, -120, -119, 39.3),
    row('here', rowsPerGroup, -76.69, -76.51, 39.3),
    row('north', rowsPerGroup, -76.69, -76.51, 45),
    row('east', rowsPerGroup, 2, 3, 39.3),
  ];
  const file = overtureFile(groups.flat(), { rowsPerGroup });
  const far = overtureFile(groups[3], { rowsPerGroup });
  mirror.put(`${PREFIX}/a.parquet`, file);
  mirror.put(`${PREFIX}/b.parquet`, far);
  expect(ids(await fetchPlaces())).toEqual(groups[1].map(({ id }) => id));

  const readsOf = (name: string) =>
    mirror.gets(`${PREFIX}/${name}`).map(({ range }) => range!.match(/\d+/g)!.map(Number));
  const [tail, ...reads] = readsOf('a.parquet');
  expect(tail).toEqual([file.length - FOOTER_BYTES, file.length - 1]);
  const offsets = parquetMetadata(file).row_groups.map(({ columns: [{ meta_data }] }) =>
    Number(meta_data?.dictionary_page_offset ?? meta_data?.data_page_offset),
  );
  expect(offsets[2]).toBeLessThan(tail[0]);
  expect(reads.length).toBeGreaterThan(0);
  for (const [from, to] of reads) {
    expect(from).toBeGreaterThanOrEqual(offsets[1]);
    expect(to).toBeLessThan(offsets[2]);
  }
  expect(readsOf('b.parquet')).toHaveLength(1);
});

test('reads a group without statistics and checks its places', async () => {
  const places = [...row('here', 20, -76.69, -76.51, 39.3), ...row('far', 20, 2, 3, 48)];
  mirror.put(`${PREFIX}/a.parquet`, overtureFile(places, { rowsPerGroup: 20, statistics: false }));
  expect(ids(await fetchPlaces())).toHaveLength(20);
});

test('of two counties far apart, reads neither places nor row groups between them', async () => {
  const west: BoundingBox = { ...BOX, minLon: -118.6, maxLon: -118 };
  const rowsPerGroup = 8_000;
  const groups = [
    row('west', rowsPerGroup, -118.5, -118.1, 39.3),
    row('between', rowsPerGroup, -96, -95, 39.3),
    row('here', rowsPerGroup, -76.69, -76.51, 39.3),
    // Beyond what is read with the footer.
    row('east', rowsPerGroup, 2, 3, 39.3),
    row('east', rowsPerGroup, 2, 3, 39.3),
  ];
  const file = overtureFile(groups.flat(), { rowsPerGroup });
  mirror.put(`${PREFIX}/a.parquet`, file);
  const found = ids(await fetchPlaces([BOX, west]));
  expect(found).toEqual([...groups[0], ...groups[2]].map(({ id }) => id));
  const offsets = parquetMetadata(file).row_groups.map(({ columns: [{ meta_data }] }) =>
    Number(meta_data?.dictionary_page_offset ?? meta_data?.data_page_offset),
  );
  const [tail, ...reads] = mirror
    .gets(`${PREFIX}/a.parquet`)
    .map(({ range }) => range!.match(/\d+/g)!.map(Number));
  expect(offsets[3]).toBeLessThan(tail[0]);
  for (const [from, to] of reads) expect(to < offsets[1] || from >= offsets[2]).toBe(true);
});

test('uses the newest release from all pages of the listing', async () => {
  mirror.pageSize = 2;
  const put = (release: string, name: string, id: string) =>
    mirror.put(
      `/release/${release}/theme=places/type=place/${name}`,
      overtureFile([place(id, -76.6, 39.3)], { rowsPerGroup: 1 }),
    );
  put('2025-09-24.0', 'a.parquet', 'old');
  for (const name of ['a', 'b', 'c', 'd & "e"']) put('2025-10-22.0', `${name}.parquet`, name);
  mirror.put('/release/2025-10-22.0/theme=places/type=place/_SUCCESS', '');
  expect(ids(await fetchPlaces())).toEqual(['a', 'b', 'c', 'd & "e"']);
});

test('a second fetch reads the listing only; other boxes or files are read again', async () => {
  const root = folderPath();
  mirror.put(`${PREFIX}/a.parquet`, overtureFile([place('a', -76.6, 39.3)], { rowsPerGroup: 1 }));
  const first = await fetchPlaces([BOX], root);
  mirror.takeSent();
  expect(await fetchPlaces([BOX], root)).toEqual(first);
  expect(mirror.gets(`${PREFIX}/a.parquet`)).toEqual([]);
  mirror.put(`${PREFIX}/b.parquet`, overtureFile([place('b', -76.6, 39.3)], { rowsPerGroup: 1 }));
  expect(ids(await fetchPlaces([BOX], root))).toEqual(['a', 'b']);
  expect(ids(await fetchPlaces([{ ...BOX, maxLon: -76.65 }], root))).toEqual([]);
});

test('retries a failed range; a file replaced during reading is an error', async () => {
  const path = `${PREFIX}/a.parquet`;
  mirror.put(path, overtureFile([place('a', -76.6, 39.3)], { rowsPerGroup: 1 }));
  mirror.fail(path, { status: 503 }, { cutAfter: 10 });
  expect(ids(await fetchPlaces())).toEqual(['a']);
  mirror.fail(path, { status: 412 });
  await expect(fetchPlaces()).rejects.toThrow(/a\.parquet: was replaced during the download/);
  mirror.fail(path, 'ignore-range');
  await expect(fetchPlaces()).rejects.toThrow(/a\.parquet: .*does not support range requests/);
});

test('reports a missing bucket, release or Parquet file with the address', async () => {
  await expect(fetchPlaces()).rejects.toThrow(/release\/: has no releases/);
  mirror.put(`${PREFIX}/a.txt`, '');
  await expect(fetchPlaces()).rejects.toThrow(
    /type=place\/: has no Parquet files.*--overture-release/,
  );
  mirror.put(`${PREFIX}/a.parquet`, 'a page of text');
  await expect(fetchPlaces()).rejects.toThrow(/a\.parquet: cannot be read as Parquet/);
});

test('whatever the groups, returns exactly the places within the boxes', async () => {
  const lon = fc.double({ min: -77, max: -76.2, noNaN: true });
  const lat = fc.double({ min: 39, max: 39.6, noNaN: true });
  await forAll(
    50,
    fc.array(fc.tuple(lon, lat), { minLength: 1, maxLength: 40 }),
    fc.integer({ min: 1, max: 40 }),
    fc.boolean(),
    async (points, rowsPerGroup, pageIndex) => {
      const places = points.map(([x, y], i) => place(`p${i}`, x, y));
      mirror.put(`${PREFIX}/a.parquet`, overtureFile(places, { rowsPerGroup, pageIndex }));
      const within = places.filter(
        (p) => p.lon >= -76.7 && p.lon <= -76.5 && p.lat >= 39.2 && p.lat <= 39.4,
      );
      expect(ids(await fetchPlaces())).toEqual(within.map(({ id }) => id));
    },
  );
});
