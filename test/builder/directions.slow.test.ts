import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { collectGarbage } from '../../builder/publish/collect-garbage.ts';
import type { Direction } from '../../shards/release/manifest.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { buildPlain } from '../support/build-plain.ts';
import { faultsIn } from '../support/faults.ts';
import { openProxy } from '../support/proxy-harness.ts';
import { storeContents } from '../support/store-contents.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { ofTests, ofThisTest } from '../support/test-resources.ts';
import { avenue } from '../transit/avenue.ts';
import { blockGeoid, writeSmallCity } from '../transit/small-city.ts';

const COUNTIES = ['99001', '99003'];
const FAR_FUTURE = new Date('2099-01-01T00:00:00Z');
const folder = folderOfTests();
let inputs: { osm: string[]; blocks: string[] };
const store = ofTests(() => new FolderStore(path.join(folder, 'store')));

/** An avenue of four blocks, alternating between two counties. */
beforeAll(async () => {
  const city = avenue([1_000, 1_500, 2_000, 2_500], [1_200]);
  const geoidOf = (block: number) => blockGeoid(block).replace(/^\d{5}/, COUNTIES[block % 2]);
  inputs = await writeSmallCity(folder, city, geoidOf);
});

const build = (directions: readonly Direction[], into = store) =>
  buildPlain({ ...inputs, directions }, into);

const reachTo = () => readdir(path.join(store.location, 'reach-to'));

test('a release built without direction to has no objects for it, and states its directions', async () => {
  const { manifest, searched } = await build(['from']);
  expect(searched).toEqual(COUNTIES);
  expect(manifest.directions).toEqual(['from']);
  for (const { objects, reach } of Object.values(manifest.counties)) {
    expect(Object.keys(objects)).not.toContain('reach-to');
    expect(reach).toEqual({ from: COUNTIES, to: [] });
  }
  expect(JSON.stringify(manifest.assumptions)).not.toContain('direction_to');
  expect(existsSync(path.join(store.location, 'reach-to'))).toBe(false);
  expect(await faultsIn(store)).toEqual([]);
});

test('a release of one direction is served; the other is reported as unavailable, by name and uncharged', async () => {
  const proxy = await ofThisTest(openProxy(store.location));
  const meta = (await proxy.get('/v1/isochrone/meta')).json();
  expect(meta.directions).toEqual(['from']);
  const { key } = await proxy.customer({ tokens: 100 });
  const ask = (direction: string) =>
    proxy.get(
      `/v1/isochrone?block=${blockGeoid(0)}&minutes=30&format=blocks&direction=${direction}`,
      key,
    );
  const to = await ask('to');
  expect([to.statusCode, to.json().type]).toEqual([
    404,
    expect.stringMatching(/\/direction-not-available$/),
  ]);
  expect(to.json().detail).toContain('it has from');
  const from = await ask('from');
  expect(from.json().reachable_blocks).toBe(4);
  // 10 for a contour, and nothing for the refusal before it.
  expect(from.headers['x-tokens-remaining']).toBe('90');
});

test('a release with both directions reuses the rest and equals a fresh build', async () => {
  const { manifest, searched } = await build(['from', 'to']);
  expect(searched).toEqual([]);
  expect(manifest.directions).toEqual(['from', 'to']);
  expect(manifest.assumptions.direction_to).toContain('transpose');
  expect(await faultsIn(store)).toEqual([]);
  const anew = new FolderStore(path.join(folder, 'anew'));
  await build(['to', 'from'], anew);
  await anew.close();
  expect(await storeContents(store.location)).toMatchObject(await storeContents(anew.location));
});

test('going back to one direction builds nothing, and garbage collection removes the other', async () => {
  const before = await storeContents(store.location);
  const { searched } = await build(['from']);
  expect(searched).toEqual([]);
  const after = await storeContents(store.location);
  expect(Object.keys(after)).toEqual(Object.keys(before));
  expect(await reachTo()).toHaveLength(2);

  const { remove } = await collectGarbage(
    store,
    { keep: 0, graceHours: 0, dryRun: false },
    FAR_FUTURE,
  );
  expect(remove.map(({ name }) => name.replace(/-[0-9a-f]{16,}\.\w+$/, '')).sort()).toEqual([
    ...COUNTIES.map((county) => `access/${county}`),
    'manifests/x',
    'plans/99001',
    // Prepared for builders of that plan.
    ...COUNTIES.flatMap((county) => [`prepared/${county}-outlines`, `prepared/${county}-points`]),
    'prepared/map-detail-744893',
    'prepared/osm',
    'prepared/osm-744893',
    'prepared/osm-744894',
    ...COUNTIES.map((county) => `reach-to/${county}`),
    ...COUNTIES.map((county) => `receipts/access-${county}`),
    'receipts/blocks',
    'receipts/join',
    'receipts/osm',
    // The releases with one direction and with both have a receipt each.
    ...['receipts/part-99001', 'receipts/part-99001'],
    'receipts/plan',
    ...COUNTIES.map((county) => `receipts/reach-to-${county}`),
    // Regions and parts are needed only to join them with others again.
    'receipts/region-99001',
    'regions/99001',
    'regions/part-99001',
  ]);
  expect([await reachTo(), await faultsIn(store)]).toEqual([[], []]);
  const { searched: again } = await build(['from', 'to']);
  expect([again, await faultsIn(store)]).toEqual([[], []]);
});
