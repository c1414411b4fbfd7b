import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { BuildRequest } from '../../builder/build-request.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { writeHgt } from '../elevation/rasters.ts';
import { buildPlain } from '../support/build-plain.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { avenue, avenueFeed } from '../transit/avenue.ts';
import { busLine, STOPS } from '../transit/bus-town.ts';
import { AGENCY } from '../transit/feed-records.ts';
import { writeFeed } from '../transit/gtfs-text.ts';
import { blockGeoid, writeSmallCity } from '../transit/small-city.ts';

type Inputs = Pick<BuildRequest, 'osm' | 'blocks' | 'gtfs' | 'pois' | 'serviceDate' | 'elevation'>;

const folder = folderOfTests();
let builds = 0;
let usual: Inputs;
let versions: Record<string, string>;
const at = (...parts: string[]) => path.join(folder, ...parts);

beforeAll(async () => {
  usual = {
    ...(await writeSmallCity(folder, avenue([1_000, 9_160], [1_000]))),
    serviceDate: '2026-03-11',
    gtfs: [await writeFeed(at('a.zip'), feed('A')), await writeFeed(at('b.zip'), feed('B'))],
    pois: [await listOf('libraries', 'usual')],
  };
  versions = await versionsOf(usual);
});

/** A feed that differs from others by its agency, publisher and id only. */
const feed = (agency: string) =>
  avenueFeed(STOPS, busLine(), {
    'agency.txt': [{ ...AGENCY, agency_name: agency }],
    'feed_info.txt': [{ feed_publisher_name: agency, feed_id: agency, feed_lang: 'en' }],
  });

async function listOf(type: string, name: string): Promise<string> {
  const file = at(`${type}-${name}.geojson`);
  const properties = { id: `${type} ${name}`, type, name };
  const geometry = { type: 'Point', coordinates: [-76.59, 39.3] };
  const features = [{ type: 'Feature', geometry, properties }];
  await writeFile(file, JSON.stringify({ type: 'FeatureCollection', features }));
  return file;
}

async function versionsOf(inputs: Inputs): Promise<Record<string, string>> {
  const store = new FolderStore(at(`store-${builds++}`));
  const { manifest } = await buildPlain(inputs, store);
  await store.close();
  return Object.fromEntries(
    manifest.components.map(({ component, version }) => [component, version]),
  );
}

/** The components whose version differs from the one with the usual inputs. */
async function changedBy(changes: Partial<Inputs>): Promise<string[]> {
  const changed = await versionsOf({ ...usual, ...changes });
  return Object.keys(versions).filter((component) => changed[component] !== versions[component]);
}

test('each component has a version of its own', () => {
  expect(Object.keys(versions).sort()).toEqual(
    ['blocks', 'parks', 'pois', 'road_network', 'transit_network'].sort(),
  );
  expect(new Set(Object.values(versions)).size).toBe(5);
});

test('the same inputs under other names and in another order give the same versions', async () => {
  await mkdir(at('elsewhere'));
  const moved = async (file: string) => {
    const target = at('elsewhere', path.basename(file));
    await rename(file, target);
    return target;
  };
  const gtfs = (await Promise.all(usual.gtfs!.map(moved))).reverse();
  const pois = await Promise.all(usual.pois!.map(moved));
  usual = { ...usual, gtfs, pois };
  expect(await changedBy({})).toEqual([]);
});

test('another extract changes the road network, stations, places and parks', async () => {
  await mkdir(at('more'));
  const { osm } = await writeSmallCity(at('more'), avenue([1_000, 9_160], [1_000, 3_000]));
  expect(await changedBy({ osm })).toEqual(['road_network', 'transit_network', 'pois', 'parks']);
});

test('a polygon beside an extract, by which it was cut, changes what another extract changes', async () => {
  await mkdir(at('cut'));
  const { osm } = await writeSmallCity(at('cut'), avenue([1_000, 9_160], [1_000]));
  expect(await changedBy({ osm })).toEqual([]);
  const box = ['-77 39', '-76 39', '-76 40', '-77 40'];
  await writeFile(
    osm[0].replace('.osm.pbf', '.poly'),
    ['city', '1', ...box, 'END', 'END', ''].join('\n'),
  );
  expect(await changedBy({ osm })).toEqual(['road_network', 'transit_network', 'pois', 'parks']);
});

test('another feed changes the transit network, and places, which include some stops', async () => {
  const gtfs = [usual.gtfs![0], await writeFeed(at('c.zip'), feed('C'))];
  expect(await changedBy({ gtfs })).toEqual(['transit_network', 'pois']);
});

test('another day of the same feeds changes the transit network and places', async () => {
  expect(await changedBy({ serviceDate: '2026-03-12' })).toEqual(['transit_network', 'pois']);
});

test('another list of places changes places, and parks where it lists any', async () => {
  expect(await changedBy({ pois: [await listOf('libraries', 'other')] })).toEqual(['pois']);
  const parks = [...usual.pois!, await listOf('parks_small', 'other')];
  expect(await changedBy({ pois: parks })).toEqual(['pois', 'parks']);
});

test('elevation data changes the road network, and other data changes it again', async () => {
  const withHeights = (metres: number) => ({
    elevation: [writeHgt(folder, 39, -77, () => metres)],
  });
  expect(await changedBy(withHeights(1))).toEqual(['road_network']);
  const { road_network: one } = await versionsOf({ ...usual, ...withHeights(1) });
  const { road_network: other } = await versionsOf({ ...usual, ...withHeights(2) });
  expect(other).not.toBe(one);
});

test('other blocks change blocks only', async () => {
  await mkdir(at('tract'));
  const inAnotherTract = (block: number) => blockGeoid(block).replace('000100', '000200');
  const { blocks } = await writeSmallCity(
    at('tract'),
    avenue([1_000, 9_160], [1_000]),
    inAnotherTract,
  );
  expect(await changedBy({ blocks })).toEqual(['blocks']);
});

test('without feeds there is no transit network, and the places differ', async () => {
  const without = await versionsOf({ ...usual, gtfs: [], serviceDate: undefined });
  expect(Object.keys(without)).not.toContain('transit_network');
  expect(without.pois).not.toBe(versions.pois);
  expect([without.road_network, without.parks, without.blocks]).toEqual([
    versions.road_network,
    versions.parks,
    versions.blocks,
  ]);
});
