import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { buildRelease } from '../../builder/build.ts';
import type { BuildRequest } from '../../builder/build-request.ts';
import { readBlocks } from '../../builder/census/blocks.ts';
import { BuildError } from '../../builder/errors.ts';
import { type ShapefileField, writeShapefile } from '../../infra/demo/shapefile-writer.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { avenue } from '../transit/avenue.ts';
import { busFeed } from '../transit/bus-town.ts';
import { writeFeed } from '../transit/gtfs-text.ts';
import {
  BLOCK_FIELDS,
  blockGeoid,
  pointAt,
  squareAround,
  writeSmallCity,
} from '../transit/small-city.ts';

const folder = folderOfTests();
let osm: string;
let blocks: string;
let gtfs: string;
const at = (name: string) => path.join(folder, name);
beforeAll(async () => {
  ({
    osm: [osm],
    blocks: [blocks],
  } = await writeSmallCity(folder, avenue([1_000, 9_160], [1_000])));
  gtfs = await writeFeed(at('bus.zip'), busFeed());
});

/** Runs a build that must be refused; returns the message, and whether any search had started. */
async function refusal(
  request: Partial<BuildRequest>,
): Promise<{ line: string; searched: boolean }> {
  const store = new FolderStore(at('store'));
  const stages: string[] = [];
  const progress = {
    start: (stage: string) => {
      stages.push(stage);
      return { at: () => {}, finish: () => {} };
    },
    note: () => {},
  };
  const inputs = { osm: [osm], blocks: [blocks], counties: [], release: 'x', tiles: false };
  const error = await buildRelease({ ...inputs, ...request }, store, progress).catch((e) => e);
  expect(error).toBeInstanceOf(BuildError);
  expect(error.message).not.toContain('\n');
  expect(await store.list('latest')).toEqual([]);
  await store.close();
  return { line: error.message, searched: stages.includes('search') };
}

test('a folder without tables is not a feed', async () => {
  await mkdir(at('empty'));
  const { line } = await refusal({ gtfs: [at('empty')] });
  expect(line).toContain('empty: has no agency.txt');
});

test('a service day without any trips is refused, with the period that has service', async () => {
  const { line } = await refusal({ gtfs: [gtfs], serviceDate: '1999-01-04' });
  expect(line).toMatch(
    /^no feed has service on 1999-01-04; the nearest day with service is 2026-01-01, of those from 2026-01-01 to 2026-12-31$/,
  );
});

test('a places shapefile of the wrong kind is refused before the searches', async () => {
  const { line, searched } = await refusal({ places: [blocks] });
  expect(line).toContain(`${blocks}: record 1 has no 7-digit GEOID`);
  expect(searched).toBe(false);
});

test('a shapefile is refused with the name of its missing companion file', async () => {
  await writeFile(at('half.shp'), '');
  const { line } = await refusal({ places: [at('half.shp')] });
  expect(line).toContain(at('half.dbf'));
});

/** Reads blocks with these attributes; returns what is said of them. */
async function saidOfBlocks(
  fields: readonly ShapefileField[],
  records: readonly (readonly (string | number)[])[],
): Promise<string[]> {
  const file = at(`blocks-${randomUUID()}.zip`);
  await writeShapefile(file, {
    name: 'tl_2020_99001_tabblock20',
    fields,
    records: () =>
      records.map((values, i) => {
        const point = pointAt(1_000 + 100 * i, 40);
        const facts = [blockGeoid(i), `+${point.lat.toFixed(7)}`, point.lon.toFixed(7), ...values];
        return { polygon: [squareAround(point, 1e-4)], values: facts };
      }),
  });
  const said: string[] = [];
  for await (const { geoid } of readBlocks(file, new Map(), (line) => said.push(line))) {
    expect(geoid).toBeGreaterThan(0);
  }
  return said;
}

const [geoid, lat, lon, land, , population] = BLOCK_FIELDS;

test('blocks without a population or a land area are used, with a warning that counts them', async () => {
  expect(await saidOfBlocks([geoid, lat, lon, land], [[10_000], [10_000]])).toEqual([
    expect.stringMatching(/^WARNING: .*: no population \(no column POP20 with numbers\): people/),
  ]);
  const some = [
    [10_000, 7],
    ['', 7],
    [10_000, 'many'],
    [10_000, '-1'],
    [10_000, '1e99'],
  ];
  const said = await saidOfBlocks([geoid, lat, lon, land, population], some);
  expect(said.sort()).toEqual([
    expect.stringMatching(/^WARNING: .*: no land area for 1 of 5 blocks \(no valid ALAND20, first/),
    expect.stringMatching(
      /^WARNING: .*: no population for 3 of 5 blocks \(no valid POP20, first in record 3\)/,
    ),
  ]);
  expect(await saidOfBlocks([geoid, lat, lon, land, population], [[10_000, 0]])).toEqual([]);
});

test.each(['39:18:00', '0x10', '91', 'north', '1e1'])(
  'a block at latitude %s is refused',
  async (text) => {
    const file = at('latitude.zip');
    await writeShapefile(file, {
      name: 'blocks',
      fields: BLOCK_FIELDS,
      records: () => [
        {
          polygon: [squareAround(pointAt(1_000, 40), 1e-4)],
          values: [blockGeoid(0), text, '-76.6', 10_000, 0, 7],
        },
      ],
    });
    const { line } = await refusal({ blocks: [file] });
    expect(line).toContain(`${file}: record 1 (block ${blockGeoid(0)}) has no valid INTPTLAT20`);
  },
);

test('a memory limit that nothing fits in is refused, with the amount needed', async () => {
  const { line } = await refusal({ memory: 10e6 });
  expect(line).toMatch(
    /this build needs about \d+ MiB but may use only 9; allow more with --memory/,
  );
});
