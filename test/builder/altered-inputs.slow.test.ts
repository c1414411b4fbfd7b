import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { buildRelease } from '../../builder/build.ts';
import { type CensusBlock, readBlocks } from '../../builder/census/blocks.ts';
import { BuildError } from '../../builder/errors.ts';
import { silent } from '../../builder/progress.ts';
import { dateFeeds, outlineFeeds } from '../../builder/transit/date-feeds.ts';
import { COUNTIES } from '../../infra/demo/census-ids.ts';
import { planCity } from '../../infra/demo/city-plan.ts';
import { gtfsTables } from '../../infra/demo/gtfs-tables.ts';
import { type GtfsTable, writeGtfs } from '../../infra/demo/gtfs-writer.ts';
import { streetNames } from '../../infra/demo/names.ts';
import { writeShapefile } from '../../infra/demo/shapefile-writer.ts';
import { blockLayer } from '../../infra/demo/tiger-layers.ts';
import { planTransit } from '../../infra/demo/transit-plan.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { readFeeds } from '../support/read-feeds.ts';
import { storeContents } from '../support/store-contents.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { avenue } from '../transit/avenue.ts';
import { busFeed, busLine } from '../transit/bus-town.ts';
import { Dice } from '../transit/dice.ts';
import { writeFeed } from '../transit/gtfs-text.ts';
import { writeSmallCity } from '../transit/small-city.ts';

/** Positions of an archive's first time stamp and first name. */
const TIME_STAMP = 10;
const FIRST_NAME = 30;
const plan = planCity({ blocks: 500, seed: 1 });

/** 2026-03-11, as days since 1970. */
const NEAR = Date.UTC(2026, 2, 11) / 86_400_000;

const folder = folderOfTests();
const at = (name: string) => path.join(folder, name);

type GtfsRow = GtfsTable['rows'] extends Iterable<infer Row> ? Row : never;

/** Some blocks of the demo city. */
async function smallTiger(): Promise<string> {
  const layer = blockLayer(plan, COUNTIES[0]);
  const records = () => [...layer.records()].slice(0, 5);
  await writeShapefile(at('tiger.zip'), { ...layer, records });
  return at('tiger.zip');
}

/** End of the calendars: reading two years of them, thousands of times, takes a third longer. */
const LAST_DAY = '20260831';

/** Every table of the demo city, with a few of its trips and the stops of one line. */
async function smallGtfs(): Promise<string> {
  const tables = gtfsTables(plan, planTransit(plan, streetNames(plan)));
  const tripOf = ({ file, columns }: GtfsTable) =>
    ['trips.txt', 'stop_times.txt'].includes(file) ? columns.indexOf('trip_id') : -1;
  const trips = tables.find(({ file }) => file === 'trips.txt')!;
  const ids = [...trips.rows].map((row) => row[tripOf(trips)]);
  const kept = new Set(ids.filter((id) => /^(M-WEEKDAY-0-08|B2-WEEKDAY-0)/.test(String(id))));
  const isKept = (table: GtfsTable, row: GtfsRow) =>
    table.file === 'stops.txt'
      ? /^(M|B2)/.test(String(row[0]))
      : tripOf(table) < 0 || kept.has(row[tripOf(table)]);
  const shortened = ({ columns }: GtfsTable, row: GtfsRow) => {
    const end = columns.indexOf('end_date');
    return end < 0 ? row : row.with(end, LAST_DAY);
  };
  const some = tables.map((table) => {
    const rows = [...table.rows].filter((row) => isKept(table, row));
    return { ...table, rows: rows.map((row) => shortened(table, row)) };
  });
  await writeGtfs(at('gtfs.zip'), some);
  return at('gtfs.zip');
}

const digest = (value: unknown) =>
  createHash('sha256')
    .update(
      JSON.stringify(value, (_, v) => {
        if (v instanceof Map) return [...v];
        return ArrayBuffer.isView(v) ? Array.from(v as Int32Array) : v;
      }),
    )
    .digest('hex');

/** Digests of everything a build reads from a file. */
const readTiger = async (file: string) => {
  const blocks: CensusBlock[] = [];
  for await (const block of readBlocks(file, new Map(), () => {})) blocks.push(block);
  return digest(blocks);
};
const readGtfs = async (file: string) => {
  const { transit, facts } = await readFeeds(
    await dateFeeds(await outlineFeeds([file], { asked: null, near: NEAR })),
  );
  return digest([transit, facts.map(({ sha256: _, ...reported }) => reported)]);
};

/** Files read concurrently, since a read waits more than it computes. */
const AT_ONCE = 8;

/** One of this many successive bytes is flipped, a different one in each run. */
const ONE_OF = 12;

/**
 * Flips one bit of a file at a time, all over it; the result must be unchanged or refused. Returns
 * the number of flips, and of those that made no difference.
 */
async function flipEach(file: string, read: (file: string) => Promise<string>) {
  const seed = Math.floor(Math.random() * 2 ** 32);
  const dice = new Dice(seed);
  const whole = await readFile(file);
  const before = await read(file);
  const count = Math.floor(whole.length / ONE_OF);
  const flips = Array.from({ length: count }, (_, i) => ({
    byte: i * ONE_OF + dice.below(ONE_OF),
    bit: dice.below(8),
  })).values();
  let unnoticed = 0;
  const flipInTurn = async () => {
    // The altered file keeps its name, which is part of the release.
    const altered = path.join(await mkdtemp(at('altered-')), path.basename(file));
    for (const { byte, bit } of flips) {
      const where = `seed ${seed}: bit ${bit} of byte ${byte} of ${whole.length}`;
      await writeFile(altered, flipped(whole, byte, bit));
      const result = await read(altered).catch((error: unknown) => error);
      if (typeof result === 'string') {
        expect(result, where).toBe(before);
        unnoticed++;
      } else {
        expectAdvice(result, altered, where);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, flipInTurn));
  return { count, unnoticed };
}

function flipped(whole: Buffer, byte: number, bit: number): Buffer {
  const bytes = Buffer.from(whole);
  bytes[byte] ^= 1 << bit;
  return bytes;
}

/** Expects a one-line error that names the file, the problem, and the remedy. */
function expectAdvice(error: unknown, file: string, where: string): void {
  expect(error, where).toBeInstanceOf(BuildError);
  const { message } = error as BuildError;
  expect(message, where).toContain(`${path.basename(file)}: `);
  expect(message, where).toMatch(/^[^\n]+[;:?] [^\n]+$/);
}

/** Share of bytes that may make no difference: timestamps, attributes, unused tables. */
const MAX_UNNOTICED = 1 / 3;

test('flipping any byte of the census blocks gives an error or the same blocks', async () => {
  const { count, unnoticed } = await flipEach(await smallTiger(), readTiger);
  expect(unnoticed).toBeLessThan(count * MAX_UNNOTICED);
});

test('flipping any byte of a feed gives an error or the same timetable', async () => {
  const { count, unnoticed } = await flipEach(await smallGtfs(), readGtfs);
  expect(unnoticed).toBeLessThan(count * MAX_UNNOTICED);
});

test('flipping any byte of a feed with sizes before its entries gives an error or the same timetable', async () => {
  const feed = await writeFeed(at('sizes.zip'), busFeed({}, busLine().slice(0, 3)));
  const { count, unnoticed } = await flipEach(feed, readGtfs);
  expect(unnoticed).toBeLessThan(count * MAX_UNNOTICED);
});

test('a build of altered inputs publishes nothing, or the same objects', async () => {
  const {
    osm,
    blocks: [blocks],
  } = await writeSmallCity(folder, avenue([1_000, 9_160], [1_000]));
  const gtfs = await writeFeed(at('bus.zip'), busFeed());
  const objectsOf = async (store: string, inputs: { blocks: string; gtfs: string }) => {
    const opened = new FolderStore(at(store));
    const request = { osm, blocks: [inputs.blocks], gtfs: [inputs.gtfs], counties: [] };
    try {
      await buildRelease({ ...request, release: 'r', tiles: false }, opened, silent);
    } finally {
      await opened.close();
    }
    const objects = Object.entries(await storeContents(at(store)));
    return objects.filter(([name]) => !/^(manifests|latest)/.test(name));
  };
  const whole = await objectsOf('whole', { blocks, gtfs });
  expect(whole.length).toBeGreaterThan(5);
  await mkdir(at('altered'));
  for (const [name, file] of Object.entries({ blocks, gtfs })) {
    const bytes = await readFile(file);
    const altered = path.join(at('altered'), path.basename(file));
    const build = async (byte: number) => {
      await writeFile(altered, flipped(bytes, byte, 0));
      return objectsOf(`${name}-${byte}`, { blocks, gtfs, [name]: altered });
    };
    expect(await build(TIME_STAMP)).toEqual(whole);
    const nameEnd = FIRST_NAME + bytes.readUInt16LE(FIRST_NAME - 4);
    const inDirectory = bytes.lastIndexOf(bytes.subarray(FIRST_NAME, nameEnd));
    for (const byte of [FIRST_NAME, nameEnd + 20, inDirectory]) {
      const error = await build(byte).catch((thrown: unknown) => thrown);
      expectAdvice(error, altered, `byte ${byte}`);
      expect(existsSync(at(`${name}-${byte}/latest.json`))).toBe(false);
    }
  }
});
