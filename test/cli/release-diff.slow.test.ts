import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { VectorTile } from '@mapbox/vector-tile';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { PbfReader } from 'pbf';
import { PMTiles } from 'pmtiles';
import { beforeAll, expect, inject, test } from 'vitest';
import { findManifest } from '../../builder/publish/promote-release.ts';
import { openNamed } from '../../shards/release/named-releases.ts';
import { ReleaseCache } from '../../shards/release/release-cache.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { changedDemo } from '../support/changed-demo.ts';
import { exportedLines } from '../support/exported-lines.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { commandsOfTests } from '../support/tta.ts';

const folder = folderOfTests();
const runIn = commandsOfTests();
let store: string;

/** The differing rows of the exported tables of both releases, as text. */
let expected: readonly string[];
let libraries: number | undefined;

async function valuesOf(label: string): Promise<{
  values: Map<string, number>;
  linked: Map<string, boolean>;
}> {
  const opened = new FolderStore(store);
  const name = await findManifest(opened, label);
  const release = await openNamed(opened, name, new ReleaseCache(2 ** 28));
  const tables = await exportedLines(release, ['nearest', 'access', 'blocks']);
  libraries = release.taxonomy.idOf('libraries');
  await opened.close();
  const values = new Map<string, number>();
  for (const { geoid, mode, dest_type_id, dest_type, minutes } of tables.get('nearest')!) {
    values.set(`${geoid},${mode},${dest_type_id},${dest_type},,`, Number(minutes));
  }
  for (const { geoid, of, direction, mode, minutes, count } of tables.get('access')!) {
    if (direction === 'from') values.set(`${geoid},${mode},,,${of},${minutes}`, Number(count));
  }
  const linked = new Map<string, boolean>();
  for (const { geoid, walk_linked, bike_linked } of tables.get('blocks')!) {
    for (const mode of ['walk', 'transit']) linked.set(`${geoid},${mode}`, walk_linked === 'true');
    linked.set(`${geoid},bike`, bike_linked === 'true');
  }
  return { values, linked };
}

beforeAll(async () => {
  store = await changedDemo(inject('demoCity'));
  const [before, after] = [await valuesOf('before'), await valuesOf('after')];
  const rows: string[] = [];
  for (const key of new Set([...before.values.keys(), ...after.values.keys()])) {
    const [geoid, mode] = key.split(',');
    const [was, is] = [before.values.get(key), after.values.get(key)];
    const isKnown = [before, after].every(({ linked }) => linked.get(`${geoid},${mode}`));
    if (was === is || !isKnown) continue;
    const difference =
      was === undefined || is === undefined ? '' : Math.round(10 * (is - was)) / 10;
    rows.push(`${key},${was ?? ''},${is ?? ''},${difference}`);
  }
  expected = rows.sort();
});

const diff = (...args: string[]) => runIn({}, 'release', 'diff', '--store', store, ...args);
const out = (name: string) => path.join(folder, name);

test('every difference of the exported tables is a row, and nothing else', async () => {
  const { code, stdout } = await diff(
    'before',
    'after',
    '--format',
    'csv',
    '--out',
    out('all.csv'),
  );
  expect([code, stdout.split('\n')[0]]).toEqual([
    0,
    `${out('all.csv')}: ${expected.length.toLocaleString('en-US')} rows that differ`,
  ]);
  const [head, ...rows] = (await readFile(out('all.csv'), 'utf8')).trimEnd().split('\r\n');
  expect(head).toBe('geoid,mode,dest_type_id,dest_type,of,minutes,before,after,difference');
  expect(rows.toSorted()).toEqual(expected);
  expect(expected.length).toBeGreaterThan(5_000);
  expect(expected.filter((row) => /,transit,,,type:\d+,(15|30),/.test(row)).length).toBeGreaterThan(
    100,
  );
});

test('counts of POIs are named by type, in features and in words', async () => {
  const pair = ['--from', 'before', '--to', 'after'];
  const selection = [...pair, '--of', 'type:libraries', '--minutes', '30', '--mode', 'transit'];
  const { stdout } = await diff(...selection, '--out', out('libraries.geojson'));
  const { features } = JSON.parse(await readFile(out('libraries.geojson'), 'utf8'));
  const own = expected.filter((row) => /^\d+,transit,,,type:\d+,30,/.test(row));
  const ofType = own.filter((row) => row.split(',')[4] === `type:${libraries}`);
  expect(features.map(({ properties }: { properties: object }) => properties)).toEqual(
    ofType.map((row) => {
      const [geoid, , , , , , ...values] = row.split(',');
      const [before, after, difference] = values.map(Number);
      return {
        geoid,
        'transit_type:libraries_30_before': before,
        'transit_type:libraries_30_after': after,
        'transit_type:libraries_30_difference': difference,
      };
    }),
  );
  expect(features.length).toBeGreaterThan(0);
  expect(stdout).toMatch(/\n {2}number of libraries within 30 minutes by transit: 0 people gain/);
  const beyond = await diff(
    ...pair,
    '--minutes',
    '45',
    '--mode',
    'transit',
    '--out',
    out('45.csv'),
  );
  expect(beyond.code).toBe(0);
  const rows = (await readFile(out('45.csv'), 'utf8')).trimEnd().split('\r\n').slice(1);
  expect(rows.toSorted()).toEqual(
    expected.filter((row) => /^\d+,transit,(\d+,\w+,,|,,[a-z_]+,45),/.test(row)),
  );
});

test('the format is that of the extension; Parquet has the rows of CSV; options select types, modes and areas', async () => {
  const selection = ['--type', 'cinemas', '--mode', 'walk', '--area', '99001'];
  const names = ['--from', 'before', '--to', 'after'];
  await diff(...names, ...selection, '--out', out('some.csv'));
  const { stdout } = await diff(...names, ...selection, '--out', out('some.parquet'));
  const file = await asyncBufferFromFile(out('some.parquet'));
  const rows = await parquetReadObjects({ file, compressors });
  const texts = rows.map((row) =>
    Object.values(row)
      .map((value) => value ?? '')
      .join(','),
  );
  const own = expected.filter((row) => /^99001\d{10},walk,\d+,cinemas,/.test(row));
  expect(texts.toSorted()).toEqual(own);
  expect((await readFile(out('some.csv'), 'utf8')).trimEnd().split('\r\n').slice(1)).toEqual(texts);
  expect(stdout).toMatch(/minutes on foot to the nearest of cinemas: 0 people gain five/);
  expect(stdout).toMatch(/by county:\n {2}Meridian County, XA \(99001\): minutes on foot/);
  expect(stdout).toMatch(/by group:\n {2}\w+: minutes on foot/);
  expect(stdout).toContain('noise: The census of 2020');
  const counts = await diff(...names, '--of', 'jobs', '--area', '99001', '--out', out('jobs.csv'));
  expect(counts.stdout).toMatch(/ [\d,]{5,} → [\d,]{5,} on average \(/);
});

test('GeoJSON and tiles have a feature for each block that differs', async () => {
  const selection = ['--from', 'before', '--to', 'after', '--type', 'cinemas', '--mode', 'walk'];
  await diff(...selection, '--format', 'geojson', '--out', out('blocks.geojson'));
  const { features } = JSON.parse(await readFile(out('blocks.geojson'), 'utf8'));
  const own = expected.filter((row) => /^\d+,walk,\d+,cinemas,/.test(row));
  const properties = own.map((row) => {
    const [geoid, , , , , , ...values] = row.split(',');
    const [before, after, difference] = values.map((text) => (text === '' ? null : Number(text)));
    return {
      geoid,
      walk_cinemas_before: before,
      walk_cinemas_after: after,
      walk_cinemas_difference: difference,
    };
  });
  expect(features.map((feature: { properties: object }) => feature.properties)).toEqual(properties);
  expect(features.every(({ geometry }: { geometry: object }) => geometry !== null)).toBe(true);

  await diff(...selection, '--format', 'pmtiles', '--out', out('blocks.pmtiles'));
  const bytes = await readFile(out('blocks.pmtiles'));
  const archive = new PMTiles({
    getKey: () => 'blocks',
    getBytes: async (offset, length) => ({
      data: new Uint8Array(bytes.subarray(offset, offset + length)).buffer,
    }),
  });
  const { minLon, minLat, maxLon, maxLat, maxZoom, minZoom } = await archive.getHeader();
  for (const zoom of [minZoom, maxZoom]) {
    const side = 2 ** zoom;
    const x = (lon: number) => Math.floor(((lon + 180) / 360) * side);
    const y = (lat: number) =>
      Math.floor((0.5 - Math.asinh(Math.tan((lat * Math.PI) / 180)) / (2 * Math.PI)) * side);
    const found = new Map<string, object>();
    for (let column = x(minLon); column <= x(maxLon); column++) {
      for (let row = y(maxLat); row <= y(minLat); row++) {
        const tile = await archive.getZxy(zoom, column, row);
        if (!tile) continue;
        const { changes } = new VectorTile(new PbfReader(new Uint8Array(tile.data))).layers;
        for (let i = 0; i < changes.length; i++) {
          const { properties: had } = changes.feature(i);
          found.set(String(had.geoid), had);
        }
      }
    }
    const present = properties.map((had) =>
      Object.fromEntries(Object.entries(had).filter(([, value]) => value !== null)),
    );
    expect([...found.values()].toSorted(byGeoid)).toEqual(present);
  }
});

function byGeoid(a: object, b: object): number {
  const [one, other] = [a, b].map((had) => String((had as { geoid: unknown }).geoid));
  return one < other ? -1 : 1;
}

test('minutes are those of counts, each once and ascending', async () => {
  const pair = ['--from', 'before', '--to', 'after'];
  const counts = [...pair, '--of', 'type:libraries', '--mode', 'transit'];
  await diff(...counts, '--minutes', '15,30', '--out', out('ascending.csv'));
  await diff(...counts, '--minutes', '30,15,30', '--out', out('twice.csv'));
  expect(await readFile(out('twice.csv'), 'utf8')).toBe(
    await readFile(out('ascending.csv'), 'utf8'),
  );
  const times = [...pair, '--type', 'libraries', '--minutes', '30', '--out', out('times.csv')];
  expect(await diff(...times)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--minutes: applies only to what is counted; add --of'),
  });
});

test('a release does not differ from itself; without two, or with an unknown one, the command says so', async () => {
  const same = await diff('--from', 'after', '--to', 'after', '--out', out('none.parquet'));
  expect(same.stdout).toContain('0 rows that differ');
  expect(same.stdout).toContain('all: nobody gains or loses five minutes or five percent');
  expect(await diff('--from', 'after', '--out', out('none.csv'))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('name two releases: --from and --to'),
  });
  const unknown = await diff('--from', 'never', '--to', 'after', '--out', out('none.csv'));
  expect(unknown.stderr).toMatch(
    /this store has no release "never"; it has after-\w{16}, before-\w{16}\n/,
  );
  const type = ['--from', 'before', '--to', 'after', '--type', 'cows', '--out', out('none.csv')];
  expect((await diff(...type)).stderr).toMatch(
    /--type: release before-\w+ has no destination type cows/,
  );
});
