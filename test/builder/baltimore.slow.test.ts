import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { classify } from '../../builder/destinations/classify.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { Matrix } from '../../shards/matrix/matrix.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { verifyRelease } from '../../shards/verify/verify-release.ts';
import { readWithOsmium } from '../osm/opl.ts';
import { BALTIMORE_BLOCKS, BALTIMORE_OSM } from '../support/baltimore.ts';
import { baltimoreStore } from '../support/baltimore-release.ts';
import { ensureDebianPackage } from '../support/debian.ts';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';
import { folderOfTests } from '../support/temporary-folder.ts';

/** The area where the street data claims to be complete. */
const BOX = [-76.6081, 39.2586, -76.5288, 39.3065];
/** Blocks per request. */
const BATCH = 125;

const folder = folderOfTests();
let proxy: ProxyHarness;

beforeAll(async () => {
  await cp(await baltimoreStore(), path.join(folder, 'store'), { recursive: true });
  proxy = await openProxy(path.join(folder, 'store'));
});
afterAll(() => proxy?.close());

test('the manifest counts shops and amenities without a type, as osmium counts them', () => {
  const elements = readWithOsmium(BALTIMORE_OSM).filter(({ type }) => type !== 'relation');
  const reported = proxy.releases.current.manifest.unmapped_values;
  expect(reported.length).toBeGreaterThan(30);
  for (const { key, value, elements: count } of reported) {
    const untyped = elements.filter(
      ({ tags }) =>
        (tags.get(key) ?? '').split(';').includes(value) &&
        classify(new Map([...tags].filter(([key]) => key !== 'name')), null).length === 0,
    );
    expect([key, value, count]).toEqual([key, value, untyped.length]);
  }
  expect(reported).toContainEqual({ key: 'shop', value: 'chemist', elements: 1 });
});

test('the release covers all 10,025 blocks: routed ones with times, the rest with none', async () => {
  const { key } = await proxy.customer({ tokens: 1e9 });
  const release = proxy.releases.current;
  const county = release.county('24510')!;
  const index = await release.index(county);
  expect([county.blocks, county.population]).toEqual([10_025, 585_708]);
  const geoids = Array.from(index.geoids, geoidFromNumber);
  const mayHaveRows = (i: number) => {
    const [lon, lat] = [index.lon[i] / 1e6, index.lat[i] / 1e6];
    const covered = lon >= BOX[0] && lon <= BOX[2] && lat >= BOX[1] && lat <= BOX[3];
    return covered && index.landArea(i) !== 0;
  };
  const isTime = ({ travel_time: minutes }: { travel_time: number }) =>
    minutes >= 1 && minutes <= 30 && Math.abs(minutes * 10 - Math.round(minutes * 10)) < 1e-9;
  let withRows = 0;
  for (let first = 0; first < index.count; first += BATCH) {
    const origins = geoids.slice(first, first + BATCH);
    const response = await proxy.post('/v1/blocks/summary', key, { origins });
    expect(response.statusCode).toBe(200);
    const { results, blocks, errors, truncated } = response.json();
    const geoidsOf = (named: readonly { geoid: string }[]) => named.map(({ geoid }) => geoid);
    expect([...geoidsOf(blocks), ...geoidsOf(errors)].sort()).toEqual(origins);
    expect(truncated).toEqual([]);
    expect(errors.filter(({ type }: { type: string }) => type !== 'no-block-data')).toEqual([]);
    expect(results.filter((row: { travel_time: number }) => !isTime(row))).toEqual([]);
    const timed = new Set(geoidsOf(results));
    expect(origins.filter((geoid) => timed.has(geoid))).toEqual(
      origins.filter((_, i) => mayHaveRows(first + i)),
    );
    withRows += timed.size;
  }
  expect(withRows).toBe(county.routable_blocks);
  expect(withRows).toBe(1_709);
});

test('a row takes at most three bytes, everything included', async () => {
  const { pois } = proxy.releases.current.county('24510')!.objects;
  const store = new FolderStore(path.join(folder, 'store'));
  const matrix = await Matrix.open(store, pois);
  let rows = 0;
  for await (const { modes } of matrix.rows()) {
    for (const { targets } of modes) rows += targets.length;
  }
  await store.close();
  expect(rows).toBeGreaterThan(1_000_000);
  expect(pois.bytes / rows).toBeLessThan(3);
});

test('verify passes the release, and detects one flipped byte in any object', async () => {
  const faultsNow = async () => {
    const again = await openProxy(path.join(folder, 'store'));
    const faults: string[] = [];
    for await (const fault of verifyRelease(again.releases.current, () => {})) {
      faults.push(fault.object);
    }
    await again.close();
    return faults;
  };
  expect(await faultsNow()).toEqual([]);
  const { objects } = proxy.releases.current.county('24510')!;
  const names = Object.values(objects).map(({ name }) => name);
  const flipOneByteOfEach = async () => {
    for (const name of names) {
      const file = path.join(folder, 'store', name);
      const bytes = await readFile(file);
      bytes[Math.floor(bytes.length / 2)] ^= 1;
      await writeFile(file, bytes);
    }
  };
  await flipOneByteOfEach();
  expect(await faultsNow()).toEqual(expect.arrayContaining(names));
  await flipOneByteOfEach();
});

test('GDAL reads the block polygons, including by bounding box through the index', async () => {
  await ensureDebianPackage('gdal-bin', 'ogrinfo');
  const { blocks } = proxy.releases.current.county('24510')!.objects;
  const file = path.join(folder, 'store', blocks.name);
  const ogr = async (source: string, ...args: string[]) => {
    const sql = `SELECT COUNT(*) AS n, SUM(${source === file ? 'population' : 'POP20'}) AS people FROM "${args[0]}"`;
    const { stdout } = await promisify(execFile)('ogrinfo', [
      '-q',
      ...args.slice(1),
      '-sql',
      sql,
      source,
    ]);
    return /n \(Integer.*?\) = (\d+)\s+people \(.*?\) = ([\d.]+)/s
      .exec(stdout)!
      .slice(1)
      .map(Number);
  };
  const tiger = `/vsizip/${BALTIMORE_BLOCKS}/tl_24510_tabblock20.shp`;
  for (const box of [[], ['-spat', '-76.6', '39.27', '-76.58', '39.29']]) {
    const ours = await ogr(file, 'blocks_24510', ...box);
    expect(ours).toEqual(await ogr(tiger, 'tl_24510_tabblock20', ...box));
    expect(ours[0]).toBeGreaterThan(100);
  }
});
