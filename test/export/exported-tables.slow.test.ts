import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { parquetMetadata } from 'hyparquet';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { exportRelease } from '../../builder/export/export-release.ts';
import { TABLE_NAMES } from '../../builder/export/tables.ts';
import { attributionOf, attributionText, licenceOf } from '../../builder/export/terms.ts';
import { silent } from '../../builder/progress.ts';
import { classLabel, MAP_COLOURS } from '../../portal/map-classes.ts';
import { BAND_ENDS } from '../../shards/bands/time-bands.ts';
import type { Release } from '../../shards/release/release.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { Mirror } from '../fetch/mirror.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';
import { pythonTools } from '../support/python-tool.ts';
import { releaseIn } from '../support/release-in.ts';
import { tableReaders } from '../support/table-readers.ts';
import { folderOfTests } from '../support/temporary-folder.ts';

const COUNTY = '99001';
const SMALLER = '99003';
const run = promisify(execFile);
const folder = folderOfTests();
const proxy = proxyOfTests();
const root = path.join(folder, 'release=demo');

interface Read {
  readonly types: Readonly<Record<string, string>>;
  readonly duckdb: readonly number[];
  readonly pyarrow: readonly number[];
}

let release: Release;
let python: string;
let read: Readonly<Record<string, Read>>;

beforeAll(async () => {
  release = await releaseIn(new FolderStore(inject('demoStore')));
  const counties = release.counties.map(({ fips }) => fips);
  const request = { tables: TABLE_NAMES, counties, format: 'parquet' } as const;
  await exportRelease(release, request, new FolderStore(folder), silent);
  python = await tableReaders();
  const { stdout } = await run(python, ['test/export/read_tables.py', root, folder]);
  read = JSON.parse(stdout);
});

/** The rows of a table as DuckDB reads them, as CSV, in the order of the files. */
const rowsOf = async (table: string) =>
  (await readFile(path.join(folder, `${table}.csv`), 'utf8')).trimEnd().split('\n');

/** Where two lists first differ, or null; a diff of a million rows would take minutes. */
function firstDifference(rows: readonly string[], expected: readonly string[]) {
  const at = expected.findIndex((row, i) => row !== rows[i]);
  if (at === -1 && rows.length === expected.length) return null;
  return { at, row: rows[at], expected: expected[at], rows: rows.length, of: expected.length };
}

const get = async (url: string) => {
  const response = await proxy.get(url, proxy.key);
  expect(response.statusCode, url).toBe(200);
  return response.json();
};

const MODES = ['walk', 'bike', 'transit'] as const;
const geoidOf = (row: string) => row.slice(0, 15);
const geoids = () => rowsOf('blocks').then((rows) => rows.map(geoidOf));

/** One block in twenty-four is an origin of rows that are compared with responses. */
const EVERY = 24;
const FIRST = randomInt(EVERY);
const fromFirst = `from origin ${FIRST}`;
const origins = async () => (await geoids()).filter((_, i) => i % EVERY === FIRST);
const rowsOfOrigins = async (table: string) => {
  const compared = new Set(await origins());
  return (await rowsOf(table)).filter((row) => compared.has(geoidOf(row)));
};

describe('DuckDB reads exactly the rows that the API returns:', () => {
  test('minutes to the nearest POI of each type, one row or one column per type', async () => {
    const { destination_types } = await get('/v1/meta/destination-types');
    const leaves = destination_types.filter(({ is_leaf }: { is_leaf: boolean }) => is_leaf);
    const labels = new Map(
      leaves.map(({ dest_type_id, label }: Record<string, unknown>) => [dest_type_id, label]),
    );
    const long: string[] = [];
    const wide: string[] = [];
    for (const geoid of await origins()) {
      const { results } = await get(`/v1/blocks/${geoid}/summary`);
      const minutes = new Map<string, string>();
      for (const { dest_type_id, mode, travel_time } of results) {
        const label = `${labels.get(dest_type_id)}`;
        long.push([geoid, mode, dest_type_id, label, travel_time.toFixed(1)].join());
        minutes.set(`${mode}_${label}`, travel_time.toFixed(1));
      }
      const names = Object.keys(read.nearest_wide.types).slice(1);
      expect(names).toEqual(
        MODES.flatMap((mode) => [...labels.values()].map((l) => `${mode}_${l}`)),
      );
      wide.push([geoid, ...names.map((name) => minutes.get(name) ?? '')].join());
    }
    expect(long.length).toBeGreaterThan(50_000 / EVERY);
    expect(firstDifference(await rowsOfOrigins('nearest'), long), fromFirst).toBeNull();
    expect(firstDifference(await rowsOfOrigins('nearest_wide'), wide), fromFirst).toBeNull();
  });

  test('minutes to every POI within 30', async () => {
    const expected: string[] = [];
    for (let asked = await origins(); asked.length > 0; ) {
      const body = { origins: asked.slice(0, 250) };
      const response = (await proxy.post('/v1/blocks/pois', proxy.key, body)).json();
      for (const { geoid, mode, dest_id, travel_time } of response.results) {
        expected.push([geoid, mode, dest_id, travel_time.toFixed(1)].join());
      }
      const left = response.truncated;
      asked = [...left, ...asked.slice(250)];
    }
    expect(expected.length).toBeGreaterThan(100_000 / EVERY);
    expect(firstDifference(await rowsOfOrigins('pois'), expected), fromFirst).toBeNull();
  });

  test('minutes to every block within an hour', async () => {
    const expected: string[] = [];
    for (const geoid of await origins()) {
      for (const mode of MODES) {
        const url = `/v1/isochrone?block=${geoid}&mode=${mode}&minutes=60&format=blocks`;
        const response = await proxy.get(url, proxy.key);
        const { blocks = [] } = response.json();
        const rows = blocks.map((to: { geoid: string; travel_min: number }) =>
          [geoid, to.geoid, mode, to.travel_min].join(),
        );
        expected.push(...rows.sort());
      }
    }
    expect(expected.length).toBeGreaterThan(200_000 / EVERY);
    expect(firstDifference(await rowsOfOrigins('reach'), expected), fromFirst).toBeNull();
  });

  test('POIs', async () => {
    const exported = await rowsOf('poi_catalogue');
    expect(exported.length).toBeGreaterThan(200);
    for (const row of exported) {
      const poi = await get(`/v1/pois/${row.slice(0, row.indexOf(','))}`);
      const { street, city, state, zip } = poi.address;
      const texts = [street, city, state, zip, poi.attrs.brand ?? null];
      const shown = [
        poi.dest_id,
        poi.name,
        poi.lon,
        poi.lat,
        ...texts,
        `[${poi.type_ids.join(', ')}]`,
      ];
      expect(row).toBe(shown.map(quoted).join());
    }
  });

  test('people and jobs within reach of each block', async () => {
    const expected: string[] = [];
    const counted = `/v1/counties/${SMALLER}/access?of=people&of=jobs&direction=from&limit=1000`;
    for (let cursor = ''; ; ) {
      const { results, next_cursor } = await get(`${counted}${cursor}`);
      for (const { geoid, of, mode, minutes, count } of results) {
        expected.push([geoid, of, 'from', mode, minutes, count].join());
      }
      if (next_cursor === null) break;
      cursor = `&cursor=${encodeURIComponent(next_cursor)}`;
    }
    const rows = (await rowsOf('access')).filter(
      (row) => row.startsWith(SMALLER) && /,(people|jobs),from,/.test(row),
    );
    // The table has people first, as weights have.
    expect(firstDifference(rows.toSorted(), expected.toSorted())).toBeNull();
    expect(read.access.types.count).toBe('UINTEGER');
  });

  test('blocks, weights, places and types', async () => {
    const weights = await rowsOf('weights');
    const { weights: facts } = await get('/v1/meta/weights');
    expect(Object.keys(read.weights.types).slice(1)).toEqual(
      facts.map(({ weight }: { weight: string }) => weight),
    );
    expect(read.weights.duckdb.slice(1)).toEqual(
      facts.map(({ total }: { total: number }) => total),
    );
    for (const [i, row] of (await rowsOf('blocks')).entries()) {
      const [geoid, population, area, , , walk, bike] = row.split(',');
      const { block, unrouted = [] } = await get(`/v1/blocks/${geoid}/summary`);
      const known = [block.geoid, block.population, block.land_area_m2];
      expect([geoid, +population, +area]).toEqual(known);
      const lost = unrouted.map(({ mode }: { mode: string }) => mode);
      expect([walk, bike]).toEqual([`${!lost.includes('walk')}`, `${!lost.includes('bike')}`]);
      expect(weights[i].split(',').slice(0, 2)).toEqual([geoid, population]);
    }
    const towns = await rowsOf('places');
    expect(towns.length).toBeGreaterThan(1);
    for (const row of towns) {
      const { places } = await get(`/v1/places?q=${row.split(',')[1]}`);
      const { geoid, name, state, lon, lat } = places[0];
      expect(row).toBe([geoid, name, state, lon, lat].map(quoted).join());
    }
    const { destination_types } = await get('/v1/meta/destination-types');
    const types = destination_types.map((type: Record<string, unknown>) =>
      [type.dest_type_id, type.label, type.name, type.parent_id].map(quoted).join(),
    );
    expect(await rowsOf('types')).toEqual(types);
  });
});

const quoted = (value: unknown) => {
  if (value === null) return '';
  return /[",]/.test(`${value}`) ? `"${`${value}`.replaceAll('"', '""')}"` : `${value}`;
};

test('DuckDB and pyarrow count and sum every table alike', () => {
  expect(Object.keys(read).sort()).toEqual([...TABLE_NAMES].sort());
  for (const { duckdb, pyarrow } of Object.values(read)) {
    expect(duckdb[0]).toBeGreaterThan(0);
    // Float sums depend on their order.
    pyarrow.forEach((value, i) => {
      expect(Math.abs(value - duckdb[i])).toBeLessThanOrEqual(Math.abs(value) * 1e-10);
    });
  }
});

test('Polars, and a pyarrow from before the geometry type, read every value that DuckDB reads', async () => {
  const values = async (python: string, reader: string) => {
    const { stdout } = await run(python, ['test/export/read_values.py', reader, root, SMALLER]);
    return JSON.parse(stdout);
  };
  const expected = await values(python, 'duckdb');
  expect(Object.keys(expected).sort()).toEqual([...TABLE_NAMES].sort());
  expect(Object.keys(expected.blocks.columns)).toEqual(Object.keys(read.blocks.types));
  expect(Object.keys(expected.blocks.columns)).toContain('geometry');
  const older = await pythonTools('pyarrow==15.0.2', 'numpy==1.26.4');
  expect(await values(path.join(older, 'python'), 'pyarrow')).toEqual(expected);
  expect(await values(python, 'polars')).toEqual(expected);
});

test('GEOIDs are text, whole minutes are a byte, and tenths are a double, which compares as written', () => {
  expect(read.reach.types).toEqual({
    geoid: 'VARCHAR',
    to_geoid: 'VARCHAR',
    mode: 'VARCHAR',
    minutes: 'UTINYINT',
  });
  expect(read.pois.types).toMatchObject({ geoid: 'VARCHAR', dest_id: 'BIGINT', minutes: 'DOUBLE' });
});

test('a row of reach takes under 1 byte, a row of pois under 1.5', async () => {
  const { files } = JSON.parse(await readFile(path.join(root, 'files.json'), 'utf8'));
  const bytesPerRow = (wanted: string) => {
    const { bytes, rows } = files.find(({ table }: { table: string }) => table === wanted);
    return bytes / rows;
  };
  expect(bytesPerRow('reach')).toBeLessThan(1);
  expect(bytesPerRow('pois')).toBeLessThan(1.5);
});

test('geopandas reads the outlines of blocks and places as GDAL reads those published', async () => {
  const blocks = `${root}/table=blocks/state=99/county=${COUNTY}.parquet`;
  const layer = path.join(inject('demoStore'), release.county(COUNTY)!.objects.blocks.name);
  const places = `${root}/table=places/places.parquet`;
  const { stdout } = await run(python, ['test/export/read_areas.py', blocks, layer, places]);
  const areas = JSON.parse(stdout);
  const { blocks: length } = release.county(COUNTY)!;
  expect(areas).toMatchObject({ blocks: length, same: length, valid: true, crs: 'OGC:CRS84' });
  expect(areas.places).toEqual(['Halcyon', 'Port Meridian']);
});

describe('GeoParquet', () => {
  const newer = path.join(folder, 'geoparquet-2.0');
  const outlined = [
    `release=demo/table=blocks/state=99/county=${COUNTY}.parquet`,
    'release=demo/table=places/places.parquet',
  ];
  const checked = async (file: string) => {
    const tools = await pythonTools('geoparquet-validator==0.2.0');
    const { stdout } = await run(path.join(tools, 'geoparquet-validator'), ['check', file]);
    return stdout;
  };
  beforeAll(async () => {
    const request = {
      tables: ['blocks', 'places'],
      counties: [COUNTY],
      format: 'parquet',
    } as const;
    const out = new FolderStore(newer);
    await exportRelease(release, { ...request, geoparquet: '2.0' }, out, silent);
  });

  test('with --geoparquet 2.0, blocks and places conform to it by its validator, with outlines in a Parquet type', async () => {
    for (const file of outlined) {
      const stdout = await checked(path.join(newer, file));
      expect(stdout).toMatch(/core: \d+ pass, 0 fail, \d+ skipped: conformant/);
      expect(stdout).not.toContain('community rules');
      const { schema } = parquetMetadata((await readFile(path.join(newer, file))).buffer);
      expect(schema.find(({ name }) => name === 'geometry')?.logical_type?.type).toBe('GEOMETRY');
      expect(schema.map(({ name }) => name)).not.toContain('bbox');
    }
  });

  test('by default, blocks and places conform to 1.1, with boxes, by which geopandas and others skip rows', async () => {
    for (const file of outlined) {
      const stdout = await checked(path.join(folder, file));
      expect(stdout).toContain('rules: GeoParquet 1.1.0');
      expect(stdout).toMatch(/core: \d+ pass, 0 fail, \d+ skipped: conformant/);
      expect(stdout).toMatch(/covering: 6 pass, 0 fail, 0 skipped: conformant/);
    }
    const [boxes, others] = [folder, newer].map((root) => path.join(root, outlined[0]));
    const { stdout } = await run(python, ['test/export/read_boxes.py', boxes, others]);
    const { rows, boxed, intersecting, different } = JSON.parse(stdout);
    expect(different).toEqual([]);
    expect(rows).toBe(release.county(COUNTY)!.blocks);
    expect(boxed).toBe(intersecting);
    expect(boxed).toBeLessThan(rows);
  });
});

test('the views of views.sql have every row, in the folder and from elsewhere; the collection is valid STAC', async () => {
  const script = path.resolve('test/export/read_companions.py');
  const { stdout } = await run(python, [script, root], { cwd: root });
  const { here, there, assets, errors } = JSON.parse(stdout);
  expect(errors).toEqual([]);
  const rows = Object.entries(read).map(([table, { duckdb }]) => [table, duckdb[0]]);
  expect(here).toEqual(Object.fromEntries(rows));
  expect(there).toEqual(here);
  const sums = await readFile(path.join(root, 'SHA256SUMS'), 'utf8');
  const names = sums
    .trimEnd()
    .split('\n')
    .map((line) => line.split('  ')[1]);
  expect(assets).toEqual(names.filter((name) => name.endsWith('.parquet')));
  await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: root });
});

test('a database of the views is attached over HTTP, and reads the files beside it', async () => {
  const tools = await pythonTools('duckdb==1.5.5', 'duckdb-extension-httpfs==1.5.5');
  const other = path.join(tools, 'python');
  const script = path.resolve('test/export/attach_database.py');
  const mirror = await Mirror.start();
  try {
    await run(other, [script, 'make'], { cwd: root });
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    for (const { parentPath, name } of entries.filter((entry) => entry.isFile())) {
      const file = path.join(parentPath, name);
      mirror.put(`/${path.relative(root, file)}`, await readFile(file));
    }
    const { stdout } = await run(other, [script, mirror.url]);
    const rows = Object.entries(read).map(([table, { duckdb }]) => [table, duckdb[0]]);
    expect(JSON.parse(stdout)).toEqual(Object.fromEntries(rows));
  } finally {
    await mirror.close();
    await rm(path.join(root, 'release.duckdb'), { force: true });
  }
});

test('the QGIS styles have the classes and colours of the map', async () => {
  const files = ['blocks.qml', 'bands.qml'].map((name) => path.join(root, name));
  const { stdout } = await run(python, ['test/export/read_styles.py', ...files]);
  const { rules, styles, layers, variables } = JSON.parse(stdout);
  const { classes, beyond, stripe } = MAP_COLOURS.light;
  const [column] = Object.keys(read.nearest_wide.types).slice(1);
  expect(variables).toEqual([['column'], [column]]);
  expect(layers).toEqual(['bands']);
  for (const [found, minutes] of [
    [rules.slice(0, 6), 'attribute(@column)'],
    [styles, '"minutes"'],
  ]) {
    const expected = BAND_ENDS.map((end, i) => [
      `${classLabel(i)} min`,
      `${minutes} > ${i === 0 ? -1 : end - 5} and ${minutes} <= ${end}`,
      [classes[i]],
    ]);
    expect(found).toEqual(expected);
  }
  expect(rules.slice(6).map(([label, , colours]: unknown[]) => [label, colours])).toEqual([
    ['over 30 min', [beyond]],
    ['no street near', [beyond, stripe]],
  ]);
});

test('DuckDB and pyarrow read the rows of a batch as Parquet, nulls included', async () => {
  const body = { origins: (await geoids()).slice(0, 100), max_rows: 10_000 };
  const url = '/v1/blocks/pois';
  const accept = 'application/vnd.apache.parquet';
  const { rawPayload } = await proxy.post(url, proxy.key, body, { accept });
  const { results } = (await proxy.post(url, proxy.key, body)).json();
  expect(results.length).toBeGreaterThan(8_192);
  const file = path.join(folder, 'rows.parquet');
  await writeFile(file, rawPayload);
  const { stdout } = await run(python, ['test/export/read_rows.py', file], { maxBuffer: 1e9 });
  const expected = results.map(({ address, ...row }: Record<string, object>) => {
    const nested = Object.entries(address).map(([name, value]) => [`address_${name}`, value]);
    return { ...row, ...Object.fromEntries(nested) };
  });
  const { duckdb, pyarrow } = JSON.parse(stdout);
  expect(firstDifference(duckdb.map(stable), expected.map(stable))).toBeNull();
  expect(firstDifference(pyarrow.map(stable), expected.map(stable))).toBeNull();
  expect(expected.some((row: Record<string, unknown>) => row.address_street === null)).toBe(true);
});

const stable = (row: object) => JSON.stringify(Object.entries(row).sort());

test('ATTRIBUTION.txt names each feed, list of POIs and source of weights, and what is made from it', () => {
  const { feeds } = release.manifest;
  const poi_lists = [{ file: 'overture.geojson', sha256: 'f'.repeat(64) }];
  const listed = Object.create(release, {
    manifest: { value: { ...release.manifest, poi_lists } },
  }) as Release;
  const text = attributionText(listed);
  expect(text).toMatch(/^© OpenStreetMap contributors: nearest, .*\nU\.S\. Census Bureau, /);
  const ofOpenStreetMap = TABLE_NAMES.filter((table) => licenceOf(table, listed) === 'ODbL-1.0');
  for (const table of ofOpenStreetMap) {
    expect(text.split('\n')[0]).toMatch(new RegExp(`\\b${table}\\b`));
  }
  for (const { agency, file, service_date } of feeds) {
    expect(text).toContain(`${agency}, GTFS ${file}, ${service_date}: times by transit`);
  }
  expect(text).toMatch(/^POI list overture\.geojson \(SHA-256 f{64}\): POIs of poi_catalogue/m);
  for (const { weight, source } of release.weights.slice(1)) {
    expect(text).toContain(`${source}: ${weight} (`);
  }
  expect(attributionOf(listed)).toContain('; POI list overture.geojson; ');
});

test('a fictional city credits nobody, and its tables are free', async () => {
  const read = (name: string) => readFile(path.join(root, name), 'utf8');
  const [credits, licence] = [await read('ATTRIBUTION.txt'), await read('LICENSE.txt')];
  expect(credits).toMatch(/^Sources to credit: none; the city is fictional, /);
  expect(licence).toContain('in the public domain; the city is fictional');
  expect(JSON.parse(await read('collection.json')).license).toBe('other');
  expect(credits + licence).not.toMatch(/OpenStreetMap|Census|LODES|ODbL/);
});

test('the dictionary describes every column of every table', async () => {
  const dictionary = await readFile(path.join(root, 'DICTIONARY.md'), 'utf8');
  expect(dictionary).toContain('Travel times are in minutes on foot, by bike, by transit.');
  expect(dictionary).not.toMatch(/by walk/);
  for (const [table, { types }] of Object.entries(read)) {
    const [, section] = dictionary.split(`## ${table}\n`);
    const described = section.split('\n## ')[0].matchAll(/^\| `(\w+)` \|/gm);
    const names = [...described].map(([, name]) => name);
    expect(names).toEqual(Object.keys(types));
  }
});

test('the queries of the recipe return the results of the API', async () => {
  const script = path.resolve('test/export/run_recipe.py');
  const recipe = path.resolve('infra/docs/recipes/tables.md');
  const { stdout } = await run(python, [script, recipe, COUNTY], { cwd: root });
  const { results, printed } = JSON.parse(stdout);
  const peopleWithin15 = async (type: number, counties: readonly string[]) => {
    const body = { area: { counties }, mode: ['walk'], type: [type] };
    const { results } = (await proxy.post('/v1/coverage', proxy.key, body)).json();
    return { within: results[0].within['15'], total: results[0].total };
  };
  const all = release.counties.map(({ fips }) => fips);
  const [[[people]], best, [jobs]] = results;
  expect(people).toBe((await peopleWithin15(101, all)).within);
  expect(best).toHaveLength(10);
  for (const [geoid, count] of best) {
    const url = `/v1/blocks/${geoid}/access?of=people&mode=transit&minutes=30`;
    expect((await get(url)).results[0].count).toBe(count);
  }
  const weights = (await rowsOf('weights')).map((row) => row.split(','));
  const names = Object.keys(read.weights.types);
  const reached = new Map<string, number>();
  for (let i = 0; i < weights.length; i += 250) {
    const origins = weights.slice(i, i + 250).map(([geoid]) => geoid);
    const body = { origins, of: ['jobs'], mode: ['transit'], minutes: [30] };
    const { results } = (await proxy.post('/v1/access', proxy.key, body)).json();
    for (const { geoid, count } of results) reached.set(geoid, count);
  }
  const averages = ['people', 'hispanic', 'workers_low_wage'].map((group) => {
    const column = names.indexOf(group);
    const known = weights.filter(([geoid]) => reached.has(geoid));
    const sum = known.reduce((sum, row) => sum + Number(row[column]), 0);
    const reach = known.reduce((sum, row) => sum + Number(row[column]) * reached.get(row[0])!, 0);
    return Math.round(reach / sum);
  });
  expect(reached.size).toBeGreaterThan(500);
  expect(jobs).toEqual(averages);
  const { within, total } = await peopleWithin15(601, [COUNTY]);
  expect(printed).toMatch(new RegExp(`False +${total - within}\\nTrue +${within}\\n`));
});

test('CSV files have a header and the rows of the Parquet files', async () => {
  const tables = ['nearest_wide', 'pois', 'types'];
  const counties = release.counties.map(({ fips }) => fips);
  const out = path.join(folder, 'as-csv');
  const files = await exportRelease(
    release,
    { tables, counties, format: 'csv' },
    new FolderStore(out),
    silent,
  );
  for (const table of tables) {
    const rows: string[] = [];
    for (const { name } of files.filter((file) => file.table === table)) {
      const text = await readFile(path.join(out, name), 'utf8');
      const [header, ...lines] = text.trimEnd().split('\r\n');
      expect(header.split(',')).toEqual(Object.keys(read[table].types));
      for (const line of lines) rows.push(line);
    }
    // DuckDB always prints floats with a decimal.
    const expected = (await rowsOf(table)).map((row) => row.replaceAll(/\.0(?=,|$)/g, ''));
    expect(firstDifference(rows, expected), table).toBeNull();
  }
});
