import { existsSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { asyncBufferFromFile, parquetMetadata, parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readPoiFiles } from '../../builder/destinations/from-files.ts';
import { FetchFolder } from '../../builder/fetch/fetch-folder.ts';
import { Http } from '../../builder/fetch/http.ts';
import { fetchOverturePlaces } from '../../builder/fetch/overture-places.ts';
import { silent } from '../../builder/progress.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { forAll } from '../support/for-all.ts';
import { Mirror } from './mirror.ts';
import { overtureFile, type Place, placeFile, placesIn, putOverture } from './overture-file.ts';
import { scratchFolders } from './scratch-folders.ts';

const BOX: BoundingBox = { minLon: -76.7, minLat: 39.2, maxLon: -76.5, maxLat: 39.4 };
const LABEL = '2026-08-19.0';
const COLLECTION = `/${LABEL}/places/place/collection.json`;
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

const put = (files: readonly (readonly Place[])[], rowsPerGroup = 10, more = {}) =>
  putOverture(mirror, { label: LABEL, files }, { rowsPerGroup, ...more });

/** Fetches the places, and returns the paths of the files. */
async function fetchPlaces(boxes: readonly BoundingBox[] = [BOX], root = folderPath()) {
  const folder = await FetchFolder.open(root);
  try {
    const session = { http, folder, progress: silent };
    const names = await fetchOverturePlaces(mirror.url, null, boxes, session);
    return names.map((name) => folder.path(name));
  } finally {
    await folder.close();
  }
}

/** The names of the POIs that a build of the box reads from files. */
async function poisIn(files: readonly string[]): Promise<string[]> {
  const names: string[] = [];
  for await (const { destination } of readPoiFiles(files, BOX, silent))
    names.push(destination.name);
  return names.sort();
}

test('of the files of a release, only those whose box meets the area are touched', async () => {
  put([[place('here', -76.6, 39.3)], [place('far', 2, 48)], [place('north', -76.6, 45)]]);
  const files = await fetchPlaces();
  expect(await placesIn(files)).toEqual(['here']);
  for (const far of [1, 2]) expect(mirror.gets(placeFile(LABEL, far))).toEqual([]);
  expect(files.map((file) => path.basename(file))).toEqual(['overture-00000.parquet']);
});

test('the places of a file keep their values, without the columns that no build reads', async () => {
  put([[place('a', -76.6, 39.3), place('b', -76.65, 39.25)]]);
  const [file] = await fetchPlaces();
  const read = async (from: Parameters<typeof parquetReadObjects>[0]['file']) =>
    parquetReadObjects({ file: from });
  const bytes = mirror.served(placeFile(LABEL, 0)).bytes;
  const original = await read(Uint8Array.from(bytes).buffer);
  const kept = await read(await asyncBufferFromFile(file));
  expect(original[0]).toHaveProperty('websites');
  expect(kept).toEqual(original.map(({ websites: _, ...rest }) => rest));
  expect(await poisIn([file])).toEqual(['Shop a', 'Shop b']);
});

test('only row groups that meet a box are read, and of them no unused column', async () => {
  const rowsPerGroup = 8_000;
  const groups = [
    row('west', rowsPerGroup, -120, -119, 39.3),
    row('here', rowsPerGroup, -76.69, -76.51, 39.3),
    row('north', rowsPerGroup, -76.69, -76.51, 45),
    row('east', rowsPerGroup, 2, 3, 39.3),
  ];
  put([groups.flat()], rowsPerGroup);
  const found = await placesIn(await fetchPlaces());
  expect(found).toEqual(groups[1].map(({ id }) => id));
  const file = overtureFile(groups.flat(), { rowsPerGroup });
  const [tail, ...reads] = mirror
    .gets(placeFile(LABEL, 0))
    .map(({ range }) => range!.match(/\d+/g)!.map(Number));
  expect(tail).toEqual([file.length - FOOTER_BYTES, file.length - 1]);
  const wanted = parquetMetadata(Uint8Array.from(file).buffer).row_groups[1].columns;
  const ranges = wanted.map(({ meta_data }) => {
    const from = Number(meta_data!.dictionary_page_offset ?? meta_data!.data_page_offset);
    return {
      path: meta_data!.path_in_schema[0],
      from,
      to: from + Number(meta_data!.total_compressed_size),
    };
  });
  const read = (at: number) => reads.some(([from, to]) => from <= at && at <= to);
  expect(reads.length).toBeGreaterThan(0);
  for (const [from, to] of reads) {
    expect(from).toBeGreaterThanOrEqual(ranges[0].from);
    expect(to).toBeLessThan(ranges.at(-1)!.to);
  }
  for (const { path: column, from } of ranges)
    expect([column, read(from)]).toEqual([column, column !== 'websites']);
});

test('a group without statistics is kept, and its places elsewhere are left out by the build', async () => {
  put([[...row('here', 20, -76.69, -76.51, 39.3), ...row('far', 20, 2, 3, 48)]], 20, {
    statistics: false,
  });
  const files = await fetchPlaces();
  expect(await placesIn(files)).toHaveLength(40);
  expect(await poisIn(files)).toHaveLength(20);
});

test('an interrupted fetch continues with the file at which it stopped; a second one reads no file', async () => {
  const root = folderPath();
  put([[place('a', -76.6, 39.3)], [place('b', -76.6, 39.35)], [place('c', -76.55, 39.3)]]);
  mirror.fail(placeFile(LABEL, 1), { status: 404 });
  await expect(fetchPlaces([BOX], root)).rejects.toThrow(/part-00001.*not found/);
  mirror.takeSent();
  const files = await fetchPlaces([BOX], root);
  expect(await placesIn(files)).toEqual(['a', 'b', 'c']);
  expect(mirror.gets(placeFile(LABEL, 0))).toEqual([]);
  mirror.takeSent();
  expect(await fetchPlaces([BOX], root)).toEqual(files);
  for (const file of [0, 1, 2]) expect(mirror.gets(placeFile(LABEL, file))).toEqual([]);
  // Other boxes, a changed file and a damaged copy are read again.
  expect(await placesIn(await fetchPlaces([{ ...BOX, maxLon: -76.56 }], root))).toEqual(['a', 'b']);
  put([[place('new', -76.6, 39.3)], [place('b', -76.6, 39.35)]]);
  mirror.takeSent();
  expect(await placesIn(await fetchPlaces([{ ...BOX, maxLon: -76.56 }], root))).toEqual([
    'new',
    'b',
  ]);
  expect(mirror.gets(placeFile(LABEL, 1))).toEqual([]);
});

test('a file that is replaced while it is read, and a cut transfer, leave no copy behind', async () => {
  const root = folderPath();
  put([[place('a', -76.6, 39.3)]]);
  const file = placeFile(LABEL, 0);
  mirror.fail(file, { status: 412 });
  await expect(fetchPlaces([BOX], root)).rejects.toThrow(/was replaced during the download/);
  expect(existsSync(path.join(root, 'pois/overture-00000.parquet'))).toBe(false);
  mirror.fail(file, 'ignore-range');
  await expect(fetchPlaces([BOX], root)).rejects.toThrow(/does not support range requests/);
  mirror.fail(file, { status: 503 }, { cutAfter: 10 });
  expect(await placesIn(await fetchPlaces([BOX], root))).toEqual(['a']);
});

test('a transfer that is cut ten times goes on where it was cut', async () => {
  const groups = row('here', 8_000, -76.69, -76.51, 39.3);
  put([groups], groups.length);
  const file = placeFile(LABEL, 0);
  await fetchPlaces();
  const whole = mirror.takeSent();
  put([groups], groups.length);
  mirror.fail(file, ...Array.from({ length: 10 }, () => ({ cutAfter: 16 * 1024 })));
  expect(await placesIn(await fetchPlaces())).toHaveLength(groups.length);
  expect(mirror.gets(file).length).toBeGreaterThan(10);
  expect(mirror.takeSent()).toBe(whole);
});

test('bytes of another version are no part of a range, also of a server that ignores If-Match', async () => {
  mirror.put('/file', 'bytes of now');
  mirror.fail('/file', 'ignore-match');
  const read = http.range(`${mirror.url}/file`, 0, 12, '"of before"');
  await expect(read).rejects.toThrow(/was replaced during the download/);
});

test('a range is complete with its last byte, also if the connection is lost before its end', async () => {
  mirror.put('/file', 'all bytes');
  const { bytes, etag } = await http.version(`${mirror.url}/file`);
  mirror.fail('/file', 'without-end');
  const read = await http.range(`${mirror.url}/file`, 0, bytes, etag);
  expect(Buffer.from(read).toString()).toBe('all bytes');
});

test('what is not such a release is an error that names the address', async () => {
  await expect(fetchPlaces()).rejects.toThrow(/\/catalog\.json: not found \(404\)/);
  mirror.put('/catalog.json', '{"latest": "newest"}');
  await expect(fetchPlaces()).rejects.toThrow(/catalog\.json: .*is not the STAC index .*latest/);
  put([[place('a', -76.6, 39.3)]]);
  mirror.put(placeFile(LABEL, 0), 'a page of text');
  await expect(fetchPlaces()).rejects.toThrow(/part-00000.*: cannot be read as Parquet/);
  mirror.put(COLLECTION, '<html>');
  await expect(fetchPlaces()).rejects.toThrow(/collection\.json: .*is not the STAC index/);
  mirror.put(COLLECTION, '{"links": []}');
  await expect(fetchPlaces()).rejects.toThrow(
    /collection\.json: lists no files.*--overture-release/,
  );
});

test('whatever the groups, a build reads exactly the places in its area', async () => {
  const lon = fc.double({ min: -77, max: -76.2, noNaN: true });
  const lat = fc.double({ min: 39, max: 39.6, noNaN: true });
  const files = fc.array(fc.array(fc.tuple(lon, lat), { minLength: 1, maxLength: 20 }), {
    minLength: 1,
    maxLength: 3,
  });
  await forAll(
    30,
    files,
    fc.integer({ min: 1, max: 20 }),
    fc.boolean(),
    async (points, rowsPerGroup, pageIndex) => {
      const places = points.map((some, f) => some.map(([x, y], i) => place(`p${f}-${i}`, x, y)));
      put(places, rowsPerGroup, { pageIndex });
      const within = places
        .flat()
        .filter(
          (p) =>
            p.lon >= BOX.minLon &&
            p.lon <= BOX.maxLon &&
            p.lat >= BOX.minLat &&
            p.lat <= BOX.maxLat,
        );
      expect(await poisIn(await fetchPlaces())).toEqual(within.map(({ name }) => name).sort());
    },
  );
});
