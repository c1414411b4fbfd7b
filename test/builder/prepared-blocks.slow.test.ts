import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { decodeBlocks, decodePoints, encodeBlocks } from '../../builder/census/block-table.ts';
import type { CensusBlock } from '../../builder/census/blocks.ts';
import { BlockTables, writeBlocks } from '../../builder/prepare/blocks.ts';
import { type Progress, silent } from '../../builder/progress.ts';
import { Receipts } from '../../builder/receipts/receipts.ts';
import { planRelease } from '../../builder/tasks/plan-release.ts';
import { COUNTIES } from '../../infra/demo/census-ids.ts';
import { planCity } from '../../infra/demo/city-plan.ts';
import { writeShapefile } from '../../infra/demo/shapefile-writer.ts';
import { blockLayer } from '../../infra/demo/tiger-layers.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { cityOfTests } from '../demo/written-city.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { watchedFolder } from '../support/watched-folder.ts';

const city = cityOfTests(500, 3);
const folder = folderOfEachTest();

test('a block is read back exactly, whatever is unknown about it and however many rings it has', () => {
  const ring = (x: number) =>
    [
      [x, 0.1],
      [x + 0.2, 1e-17],
      [x + 1 / 3, -0.7],
      [x, 0.1],
    ] as const;
  const block = (geoid: number, facts: Partial<CensusBlock>): CensusBlock => ({
    geoid,
    county: '24510',
    population: 7,
    landArea: 12_345_678_901,
    isWater: false,
    lon: -76.1234567890123,
    lat: 39 + geoid / 7,
    area: { polygons: [[ring(0)]] },
    ...facts,
  });
  const blocks = [
    block(245_100_000_000_001, { population: null, landArea: null }),
    block(245_100_000_000_002, { landArea: 0, isWater: true, area: { polygons: [] } }),
    block(245_100_000_000_003, { area: { polygons: [[ring(1), ring(2)], [ring(3)]] } }),
  ];
  const { points, outlines } = encodeBlocks(blocks);
  const read = decodePoints('points', points, '24510');
  expect(decodeBlocks('outlines', outlines, read)).toEqual(blocks);
});

test('blocks are read once, whatever else of a release changes; a lost table is rebuilt', async () => {
  const store = new FolderStore(path.join(folder, 'store'));
  const { osm, blocks, gtfs } = city.files;
  const stages: string[] = [];
  const progress: Progress = {
    ...silent,
    start(stage, total, unit) {
      stages.push(stage);
      return silent.start(stage, total, unit);
    },
  };
  const plan = async (feeds: readonly string[]) => {
    stages.length = 0;
    const request = { osm: [osm], blocks, gtfs: feeds, counties: [] };
    const { ref } = await planRelease(request, store, progress);
    return { ref, read: stages.includes('blocks') };
  };
  const first = await plan([]);
  expect(first.read).toBe(true);
  const withFeed = await plan([gtfs]);
  expect(withFeed.ref).not.toEqual(first.ref);
  expect(withFeed.read).toBe(false);

  const [table] = await readdir(path.join(folder, 'store/prepared'));
  const file = path.join(folder, 'store/prepared', table);
  const { size } = await stat(file);
  await rm(file);
  expect(await plan([])).toEqual(first);
  await writeFile(file, Buffer.alloc(size));
  expect(await plan([])).toEqual(first);
  expect(await plan([])).toEqual({ ...first, read: false });
  await store.close();
});

test('tables are the same whether blocks were kept in memory or spilled', async () => {
  const prepare = async (name: string, heldBlocks: number) => {
    const store = new FolderStore(path.join(folder, name));
    const [scratch, receipts] = [path.join(folder, `${name}-scratch`), new Receipts(store)];
    const files = await watchedFolder(scratch);
    const about = { paths: city.files.blocks, keyOf: () => 'files', store, receipts, scratch };
    const prepared = await writeBlocks({
      ...about,
      populations: [],
      progress: silent,
      heldBlocks,
    });
    await store.close();
    return { prepared, spilled: await files.counted() };
  };
  const held = await prepare('held', 1_000);
  const laid = await prepare('laid', 60);
  expect(laid.prepared).toEqual(held.prepared);
  expect(held.spilled).toEqual({ seen: 0, left: 0 });
  expect([laid.spilled.seen > 10, laid.spilled.left]).toEqual([true, 0]);
});

test('a block that occurs in two files is refused, by its number', async () => {
  const store = new FolderStore(path.join(folder, 'store'));
  const { osm, blocks } = city.files;
  const request = { osm: [osm], blocks: [...blocks, ...blocks], counties: [] };
  await expect(planRelease(request, store, silent)).rejects.toThrow(
    /: block \d{15} appears twice; give each file only once$/,
  );
  await store.close();
});

/** Writes blocks without a column of populations. */
async function unpopulated(): Promise<{ file: string; geoids: string[] }> {
  const layer = blockLayer(planCity({ blocks: 500, seed: 3 }), COUNTIES[0]);
  const at = layer.fields.findIndex(({ name }) => name === 'POP20');
  const geoidAt = layer.fields.findIndex(({ name }) => name === 'GEOID20');
  const few = [...layer.records()].slice(0, 3);
  const file = path.join(folder, 'tl_2020_99_tabblock20.zip');
  await mkdir(folder, { recursive: true });
  await writeShapefile(file, {
    ...layer,
    fields: layer.fields.toSpliced(at, 1),
    records: () => few.map((one) => ({ ...one, values: one.values.toSpliced(at, 1) })),
  });
  return { file, geoids: few.map(({ values }) => String(values[geoidAt])) };
}

/** The populations that blocks get, by GEOID, and the notes. */
async function populationsOf(file: string, populations: readonly string[]) {
  const store = new FolderStore(path.join(folder, `store of ${populations.length}`));
  const notes: string[] = [];
  const prepared = await writeBlocks({
    paths: [file],
    populations,
    keyOf: () => 'files',
    store,
    receipts: new Receipts(store),
    scratch: folder,
    progress: { ...silent, note: (line) => notes.push(line) },
  });
  const tables = new BlockTables(store, prepared);
  const blocks = await Promise.all(tables.counties.map((county) => tables.blocks(county)));
  await store.close();
  const people = blocks.flat().map(({ geoid, population }) => [String(geoid), population] as const);
  return { people: new Map(people), notes };
}

test('blocks without a population are warned of, unless a table has it', async () => {
  const { file, geoids } = await unpopulated();
  const without = await populationsOf(file, []);
  expect([...without.people.values()]).toEqual([null, null, null]);
  expect(without.notes).toEqual([
    expect.stringContaining(`WARNING: ${file}: no population (no column POP20`),
  ]);
  const table = path.join(folder, 'people.csv');
  await writeFile(
    table,
    `name,GEOID20,POP20\r\n"a, b",${geoids[0]},12\r\nc,${geoids[1]},0\r\nd,240010001001000,5\r\n`,
  );
  const { people, notes } = await populationsOf(file, [table]);
  expect(geoids.map((geoid) => people.get(geoid))).toEqual([12, 0, null]);
  expect(notes).toEqual([
    expect.stringContaining(`WARNING: ${file}: no population for 1 of 3 blocks`),
  ]);
});

test('blocks that a table of people lacks are noted, and keep the people of their file', async () => {
  const [file] = city.files.blocks;
  const { people: own, notes: none } = await populationsOf(file, []);
  expect(none).toEqual([]);
  const [first, second, ...others] = own.keys();
  const table = path.join(folder, 'people.csv');
  await writeFile(table, `geoid,population\n${first},1234\n${second},0\n`);
  const { people, notes } = await populationsOf(file, [table]);
  expect([people.get(first), people.get(second)]).toEqual([1234, 0]);
  for (const geoid of others) expect([geoid, people.get(geoid)]).toEqual([geoid, own.get(geoid)]);
  expect(notes).toEqual([
    `${others.length} of ${own.size} blocks are not in the populations given; those of the block files are used`,
  ]);
  const whole = [...own].map((row) => row.join()).join('\n');
  await writeFile(table, `geoid,population\n${whole}\n`);
  await rm(path.join(folder, 'store of 1'), { recursive: true });
  expect(await populationsOf(file, [table])).toEqual({ people: own, notes: [] });
});

test.each([
  ['geoid,people\n24001,5\n', /line 2: "24001" is not a GEOID/],
  ['geoid,people\n240010001001,5\n', /line 2: 240010001001 is not a block \(15 digits\)/],
  ['geoid,people\n240010001001000,5\n240010001001000,6\n', /line 3: block .* appears twice/],
  ['geoid,people\n240010001001000,x\n', /line 2: people is "x", not a whole number/],
  ['geoid,jobs\n240010001001000,5\n', /has no column population; name the columns geoid and popul/],
  ['geoid,people\n240010001001000,5\n', /has no row for any of the blocks/],
  ['geoid,people\n"240010001001000"x,5\n', /line 2 has text after a closing quote; correct it/],
])('a table of people that is %j is refused', async (text, says) => {
  const { file } = await unpopulated();
  const table = path.join(folder, 'people.csv');
  await writeFile(table, text);
  const reading = populationsOf(file, [table]);
  await expect(reading).rejects.toThrow(says);
  await expect(reading).rejects.toThrow(`${table}:`);
});
