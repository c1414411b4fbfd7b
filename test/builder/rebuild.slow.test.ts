import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { type BuildResult, buildRelease } from '../../builder/build.ts';
import type { BuildRequest } from '../../builder/build-request.ts';
import { attributionText } from '../../builder/export/terms.ts';
import { silent } from '../../builder/progress.ts';
import { contentsOf } from '../../infra/cli/release-contents.ts';
import { statedFeeds } from '../../shards/release/feed-state.ts';
import { COUNTY_OBJECT_KINDS, type Manifest } from '../../shards/release/manifest.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { CountingStore } from '../support/counting-store.ts';
import { ROW, type RowChanges, writeCountyRow, writeTownFeed } from '../support/county-row.ts';
import { demoRequest } from '../support/demo-release.setup.ts';
import { faultsIn } from '../support/faults.ts';
import { releaseIn } from '../support/release-in.ts';
import { storeContents } from '../support/store-contents.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { tta } from '../support/tta.ts';

const folder = folderOfTests();

/** Builds into the named store and checks the release. */
async function build(
  store: string,
  request: Pick<BuildRequest, 'osm' | 'blocks'> & Partial<BuildRequest>,
): Promise<BuildResult> {
  const opened = new FolderStore(path.join(folder, store));
  try {
    const result = await buildRelease({ counties: [], release: 'r', ...request }, opened, silent);
    expect(await faultsIn(opened)).toEqual([]);
    return result;
  } finally {
    await opened.close();
  }
}

const contents = (store: string) => storeContents(path.join(folder, store));

test('the same inputs give the same bytes, in any order, on one thread or two', async () => {
  const { osm, blocks, gtfs, places, weights, addresses, release } = demoRequest(
    inject('demoCity'),
  );
  const store = path.join(folder, 'two-threads');
  const lists = { weights: weights?.toReversed(), addresses: addresses?.toReversed() };
  const inputs = { osm, blocks: blocks.toReversed(), gtfs, places, ...lists };
  const flags = Object.entries(inputs).flatMap(([kind, files = []]) => [`--${kind}`, ...files]);
  const { code } = await tta(
    'build',
    ...flags,
    '--out',
    store,
    '--release',
    release,
    '--workers',
    '2',
  );
  expect(code).toBe(0);
  const two = await storeContents(store);
  expect(Object.keys(two).length).toBeGreaterThan(20);
  expect(two).toEqual(await builtContents(inject('demoStore')));
});

/** The contents of a store without its exports. */
async function builtContents(store: string): Promise<Record<string, string>> {
  const all = Object.entries(await storeContents(store));
  return Object.fromEntries(all.filter(([name]) => !name.startsWith('exports')));
}

/** The row of counties without a change, in the store `row`. */
let row: BuildResult;
beforeAll(async () => {
  const inputs = path.join(folder, 'row-inputs');
  await mkdir(inputs);
  row = await build('row', await writeCountyRow(inputs));
  expect(row.searched).toEqual(ROW);
});

/** Builds the changed row of counties into a store that already has the unchanged row. */
async function rebuilt(
  name: string,
  changes: RowChanges,
  { tiles } = { tiles: true },
): Promise<{ before: Manifest; after: Manifest; searched: readonly string[] }> {
  const inputs = path.join(folder, `${name}-inputs`);
  await mkdir(inputs);
  await cp(path.join(folder, 'row'), path.join(folder, name), { recursive: true });
  const request = { ...(await writeCountyRow(inputs, changes)), tiles };
  const second = await build(name, request);
  // The reused objects equal those of a fresh build.
  await build(`${name}-anew`, request);
  const anew = await contents(`${name}-anew`);
  expect(await contents(name)).toMatchObject(anew);
  return { before: row.manifest, after: second.manifest, searched: second.searched };
}

/** Objects of a county that differ from before. */
function changedObjects(before: Manifest, after: Manifest, county: string): string[] {
  const [was, is] = [before, after].map(({ counties }) => counties[county].objects);
  return COUNTY_OBJECT_KINDS.filter((kind) => was[kind]?.sha256 !== is[kind]?.sha256);
}

test('no change: nothing is searched, and the manifest is the same', async () => {
  const { manifest, searched } = await build('row', await writeCountyRow(folder));
  expect(searched).toEqual([]);
  expect(manifest).toEqual(row.manifest);
});

test('people moved into a block: only its county is searched, and only people are updated, there and within reach', async () => {
  const { before, after, searched } = await rebuilt('people', { people: { 99003: 7 } });
  expect(searched).toEqual(['99003']);
  expect(changedObjects(before, after, '99003')).toEqual(['index', 'blocks', 'access']);
  for (const near of ['99001', '99005']) {
    expect(changedObjects(before, after, near)).toEqual(['access']);
  }
  expect(changedObjects(before, after, '99007')).toEqual([]);
  expect(after.counties['99003'].population).toBe(before.counties['99003'].population + 7);
  expect(after.objects['dest-ids']).toEqual(before.objects['dest-ids']);
});

test('a count changed: only the weights of that county are written again, and nothing is searched', async () => {
  const inputs = path.join(folder, 'counts-inputs');
  await mkdir(inputs);
  const row = await writeCountyRow(inputs);
  const weights = [path.join(inputs, 'shops-2024.csv')];
  const write = (more: number) =>
    writeFile(
      weights[0],
      [
        'geoid,shops',
        ...ROW.flatMap((fips, county) => shopsOf(fips, county === 1 ? more : 0)),
      ].join('\n'),
    );
  await write(0);
  const request = { ...row, weights, tiles: false };
  const { manifest: before } = await build('counts', request);
  await write(5);
  const { manifest: after, searched } = await build('counts', request);
  expect(searched).toEqual([]);
  for (const fips of ROW) {
    expect(changedObjects(before, after, fips)).toEqual(fips === '99003' ? ['weights'] : []);
  }
  expect({ ...after, counties: {}, weights: [], components: [] }).toEqual({
    ...before,
    counties: {},
    weights: [],
    components: [],
  });
  const [was, is] = [before, after].map((one) => one.weights.find((w) => w.weight === 'shops')!);
  expect(is).toEqual({ ...was, total: was.total + 5 });
});

/** Rows with the counts of the nine blocks of a county; the first count is `more` higher. */
function shopsOf(fips: string, more: number): string[] {
  return Array.from(
    { length: 9 },
    (_, i) => `${fips}000100${1000 + i},${i + (i === 0 ? more : 0)}`,
  );
}

test('a place was renamed: its county and the next are updated without a search, no others', async () => {
  const { before, after, searched } = await rebuilt(
    'shop',
    { shop: { 99001: 'Renamed' } },
    { tiles: false },
  );
  expect(searched).toEqual([]);
  expect(changedObjects(before, after, '99001')).toEqual(['pois', 'catchment', 'poi-map']);
  expect(changedObjects(before, after, '99003')).toEqual(['pois']);
  expect(changedObjects(before, after, '99005')).toEqual([]);
  expect(changedObjects(before, after, '99007')).toEqual([]);
});

test('a block’s point or a street moved: every county within an hour is updated, and the one beyond is not', async () => {
  const moved = await rebuilt('moved', { moved: { 99001: 25 } });
  expect(moved.searched).toEqual(['99001', '99003', '99005']);
  expect(changedObjects(moved.before, moved.after, '99007')).toEqual([]);
  expect(changedObjects(moved.before, moved.after, '99003')).toContain('reach-from');
  const closed = await rebuilt('closed', { closed: ['99001'] }, { tiles: false });
  expect(closed.searched).toEqual(['99001', '99003', '99005']);
  expect(changedObjects(closed.before, closed.after, '99007')).toEqual([]);
});

test('one feed of three changed: only the county that it touches is updated', async () => {
  const inputs = path.join(folder, 'feeds-inputs');
  await mkdir(inputs);
  const row = await writeCountyRow(inputs);
  const feeds = (late: number) =>
    Promise.all(
      [0, 1, 2].map((county) =>
        writeTownFeed(path.join(inputs, `${county}.zip`), county, county === 1 ? late : 0),
      ),
    );
  const first = await build('feeds', { ...row, gtfs: await feeds(0), tiles: false });
  expect(first.searched).toEqual(ROW);
  expect(first.manifest.feeds.map((feed) => feed.trips_in_window)).toEqual([12, 12, 12]);
  const second = await build('feeds', { ...row, gtfs: await feeds(2), tiles: false });
  expect(second.searched).toEqual([ROW[1]]);
});

test('the licence of a feed is stated wherever the feed is, and a change of it repeats no search', async () => {
  const inputs = path.join(folder, 'licence-inputs');
  await mkdir(inputs);
  const counties = await writeCountyRow(inputs);
  const gtfs = [0, 1].map((county) => path.join(inputs, `${county}.zip`));
  for (const [county, file] of gtfs.entries()) await writeTownFeed(file, county, 0);
  const terms = 'https://agency.example/terms';
  const licensed = (licence: string | null) =>
    build('licences', {
      ...counties,
      gtfs,
      tiles: false,
      catalogued: new Map([[gtfs[0], { publisher: 'City', licence }]]),
    });
  const before = await licensed(null);
  const after = await licensed(terms);
  expect(after.searched).toEqual([]);
  expect(before.manifest.feeds.map(({ licence }) => licence)).toEqual([null, null]);
  expect(statedFeeds(after.manifest).map(({ licence }) => licence)).toEqual([terms, null]);
  expect([...contentsOf(after.manifest, false)].filter((line) => line.includes('licence'))).toEqual(
    [
      `  publisher: ${ROW[0]} Transit; licence: ${terms}`,
      `  publisher: ${ROW[1]} Transit; licence: none stated`,
    ],
  );
  const store = new FolderStore(path.join(folder, 'licences'));
  const text = attributionText(await releaseIn(store));
  await store.close();
  expect(text).toContain(`; publisher: ${ROW[0]} Transit; licence: ${terms}\n`);
  expect(text).toContain(`; publisher: ${ROW[1]} Transit; licence: none stated\n`);
});

test('a build over its own results searches and writes nothing, and reads each object once', async () => {
  const out = path.join(folder, 'again');
  await cp(inject('demoStore'), out, { recursive: true });
  const store = new CountingStore(out);
  const written = await store.list('');
  const { searched } = await buildRelease(demoRequest(inject('demoCity')), store, silent);
  expect(searched).toEqual([]);
  // Each object is read once, to check it; the plan, its weights and addresses
  // are read again, to follow them.
  const reads = store.reads.filter(
    (name) => !/^(plans|weights|address(es|-directory))\//.test(name),
  );
  expect(reads.length).toBeGreaterThan(100);
  expect(reads.filter((name, i) => reads.indexOf(name) !== i)).toEqual([]);
  expect(await store.list('')).toEqual(written);
  await store.close();
});

test('a release that differs in its label draws no tile again, also once garbage collection has removed those that waited for their archives', async () => {
  const inputs = path.join(folder, 'row-inputs');
  await cp(path.join(folder, 'row'), path.join(folder, 'labelled'), { recursive: true });
  const waiting = async () =>
    (await readdir(path.join(folder, 'labelled/regions'))).filter((name) => /^tiles-/.test(name));
  const drawn = await waiting();
  expect(drawn.length).toBeGreaterThan(3);
  for (const name of drawn) await rm(path.join(folder, 'labelled/regions', name));
  const second = await build('labelled', { ...(await writeCountyRow(inputs)), release: 's' });
  expect(second.manifest.tiles).toEqual(row.manifest.tiles);
  expect(await waiting()).toEqual([]);
});
