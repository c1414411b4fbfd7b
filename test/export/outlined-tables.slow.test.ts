import { execFile } from 'node:child_process';
import { copyFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, inject, test } from 'vitest';
import { exportRelease } from '../../builder/export/export-release.ts';
import { tableNamesIn } from '../../builder/export/tables.ts';
import { silent } from '../../builder/progress.ts';
import type { ExportFormat } from '../../shards/release/exported-table.ts';
import type { Release } from '../../shards/release/release.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { ensureDebianPackage } from '../support/debian.ts';
import { releaseIn } from '../support/release-in.ts';
import { tableReaders } from '../support/table-readers.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { tta } from '../support/tta.ts';

const COUNTY = '99001';
const TABLES = ['blocks', 'nearest_wide', 'places'];
const run = promisify(execFile);
const folder = folderOfTests();
const at = (name: string) => path.join(folder, name);

let release: Release;
let python: string;

const fileOf = (table: string, extension: string) =>
  at(
    table === 'places'
      ? `release=demo/table=places/places.${extension}`
      : `release=demo/table=${table}/state=99/county=${COUNTY}.${extension}`,
  );

beforeAll(async () => {
  await ensureDebianPackage('gdal-bin', 'ogr2ogr');
  python = await tableReaders();
  release = await releaseIn(new FolderStore(inject('demoStore')));
  for (const format of ['parquet', 'geojson', 'gpkg-ready'] satisfies ExportFormat[]) {
    const request = { tables: TABLES, counties: [COUNTY], format };
    await exportRelease(release, request, new FolderStore(folder), silent);
  }
  for (const table of TABLES) {
    await copyFile(fileOf(table, 'geojson'), at(`${table}.geojson`));
    await copyFile(fileOf(table, 'fgb'), at(`${table}.fgb`));
    await run('ogr2ogr', ['-f', 'GPKG', at(`${table}.gpkg`), fileOf(table, 'fgb')]);
  }
});

test('GDAL reads the contents of GeoParquet from GeoJSON, FlatGeobuf and the GeoPackage made of it', async () => {
  const names = TABLES.flatMap((table) => ['geojson', 'fgb', 'gpkg'].map((e) => `${table}.${e}`));
  const parquet = TABLES.map((table) => fileOf(table, 'parquet'));
  const script = 'test/export/read_layers.py';
  const { stdout } = await run(python, [script, ...parquet, ...names.map(at)]);
  const layers = JSON.parse(stdout);
  expect(Object.keys(layers)).toEqual(names);
  const { blocks } = release.county(COUNTY)!;
  for (const name of names) {
    const rows = name.startsWith('places') ? 2 : blocks;
    expect(layers[name], name).toMatchObject({ crs: 4326, different: [], rows });
    if (!name.endsWith('.geojson')) expect(layers[name].kinds).toEqual(['MultiPolygon']);
  }
});

test('a GeoPackage has the types of the columns', async () => {
  const { stdout } = await run('ogrinfo', ['-so', at('nearest_wide.gpkg'), 'nearest_wide']);
  expect(stdout).toContain('Geometry: Multi Polygon');
  expect(stdout).toMatch(/^geoid: String/m);
  expect(stdout).toMatch(/^population: Integer /m);
  expect(stdout).toMatch(/^land_area_m2: Real/m);
  expect(stdout).toMatch(/^walk_linked: Integer\(Boolean\)/m);
  expect(stdout.match(/^(walk|bike|transit)_\w+: Real/gm)).toHaveLength(
    release.manifest.modes.length * release.taxonomy.leafIds.length,
  );
});

test('a collection of features states release, licence, attribution and citation', async () => {
  const collection = JSON.parse(await readFile(fileOf('blocks', 'geojson'), 'utf8'));
  expect(collection).toMatchObject({
    type: 'FeatureCollection',
    name: 'blocks',
    release: 'demo',
    licence: 'public domain',
    attribution: 'none; the city is fictional, and all its data are invented',
    citation: expect.stringContaining(release.version),
  });
  const [{ properties }] = collection.features;
  expect(Object.keys(properties).slice(0, 2)).toEqual(['geoid', 'population']);
});

test('the command exports the tables that have outlines, and with threads the same bytes', async () => {
  const out = at('by-threads');
  const flags = ['export', '--store', inject('demoStore'), '--county', COUNTY, '--out', out];
  for (const format of ['geojson', 'gpkg-ready']) {
    expect(await tta(...flags, '--format', format, '--workers', '2')).toMatchObject({ code: 0 });
  }
  expect([...tableNamesIn('geojson')].sort()).toEqual(TABLES);
  for (const table of TABLES) {
    for (const extension of ['geojson', 'fgb']) {
      const file = fileOf(table, extension);
      const other = path.join(out, path.relative(folder, file));
      expect((await readFile(other)).equals(await readFile(file)), file).toBe(true);
    }
  }
  expect(await tta('export', 'verify', out)).toMatchObject({ code: 0 });
});
