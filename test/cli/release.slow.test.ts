import {
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { type Manifest, objectsNamed } from '../../shards/release/manifest.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { TamperedRelease } from '../support/tampered-release.ts';
import { commandsOfTests, tta as ttaAlone } from '../support/tta.ts';

const HOUR_MS = 3_600_000;

const runIn = commandsOfTests();
const tta = (...args: string[]) => runIn({}, ...args);

let store: TamperedRelease;
/** Manifests by the label of their release. */
let manifests: Map<string, string>;
const release = (verb: string, ...args: string[]) =>
  tta('release', verb, ...args, '--store', store.folder);

/**
 * Makes a store with the releases demo, spring, summer and autumn, written a day apart long ago;
 * autumn is current. The releases share all objects except the map of the counties.
 */
beforeEach(async () => {
  store = await TamperedRelease.copyOf(inject('demoStore'), { tiles: false });
  await rm(path.join(store.folder, (await latest()).manifest));
  const { 'county-map': map } = store.manifest.objects;
  manifests = new Map();
  for (const label of ['demo', 'spring', 'summer', 'autumn']) {
    store.manifest.release = label;
    await store.replace(map, Buffer.concat([await store.bytesOf(map), Buffer.from(label)]));
    await store.publish();
    manifests.set(label, (await latest()).manifest);
  }
  const first = Date.now() - 20 * 24 * HOUR_MS;
  const labels = [...manifests.values()];
  for (const name of await filesOf()) {
    const day = Math.max(0, labels.indexOf(name));
    const written = new Date(first + day * 24 * HOUR_MS);
    await utimes(path.join(store.folder, name), written, written);
  }
});
afterEach(() => store.remove());

async function latest(): Promise<{ release: string; manifest: string }> {
  return JSON.parse(await readFile(path.join(store.folder, 'latest.json'), 'utf8'));
}

/** Names of all files in the store except `latest.json`. */
async function filesOf(): Promise<string[]> {
  const entries = await readdir(store.folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name !== 'latest.json')
    .map(({ parentPath, name }) => path.relative(store.folder, path.join(parentPath, name)))
    .sort();
}

/** Names of all files except `latest.json` and the times of first publication. */
async function objectsOf(): Promise<string[]> {
  return (await filesOf()).filter((name) => !name.startsWith('published/'));
}

async function bytesOf(names: readonly string[]): Promise<number> {
  const sizes = await Promise.all(names.map((name) => stat(path.join(store.folder, name))));
  return sizes.reduce((sum, { size }) => sum + size, 0);
}

async function manifestOf(label: string): Promise<Manifest> {
  return JSON.parse(await readFile(path.join(store.folder, manifests.get(label)!), 'utf8'));
}

const stem = (label: string) => path.basename(manifests.get(label)!, '.json');

/** Expects one clear line, exit code 1, and the current release unchanged. */
async function expectRefused(result: ReturnType<typeof tta>, ...parts: string[]): Promise<void> {
  const before = await latest();
  const { code, stderr } = await result;
  expect(code).toBe(1);
  const lines = stderr.split('\n').filter((line) => line.startsWith('tta: '));
  expect(lines).toHaveLength(1);
  for (const part of parts) expect(lines[0]).toContain(part);
  expect(await latest()).toEqual(before);
}

test('list shows all releases, newest first, with a star at the current one', async () => {
  const { stdout } = await ttaAlone('release', 'list', '--store', store.folder);
  const lines = stdout.trimEnd().split('\n');
  for (const line of lines)
    expect(line).toMatch(/; 2 counties .*, [\d,]+ blocks .* MB in \d+ objects/);
  expect(lines.map((line) => line.slice(0, 2 + stem('autumn').length).trimEnd())).toEqual([
    `* ${stem('autumn')}`,
    `  ${stem('summer')}`,
    `  ${stem('spring')}`,
    `  ${stem('demo')}`,
  ]);
});

test('promote switches to an earlier release and back, and prints what it did', async () => {
  const back = await release('promote', 'spring');
  expect([back.code, back.stdout]).toEqual([0, `${stem('autumn')} → ${stem('spring')}\n`]);
  expect(await latest()).toMatchObject({ release: 'spring', manifest: manifests.get('spring') });
  expect((await release('list')).stdout).toContain(`* ${stem('spring')}`);
  const again = await release('promote', stem('spring'));
  expect([again.code, again.stdout]).toEqual([
    0,
    expect.stringContaining('is already the current release'),
  ]);
  const forth = await release('promote', manifests.get('autumn')!);
  expect([forth.code, forth.stdout]).toEqual([0, `${stem('spring')} → ${stem('autumn')}\n`]);
});

test('promote refuses a missing release, and names the existing ones', async () => {
  await expectRefused(release('promote', 'winter'), '"winter"', 'demo', 'spring', 'autumn');
});

test('promote refuses a label that two manifests have, and names both', async () => {
  await store.replace(store.manifest.objects['county-map'], Buffer.from('another autumn'));
  await store.publish();
  const { manifest: second } = await latest();
  const names = [stem('autumn'), path.basename(second, '.json')];
  await expectRefused(release('promote', 'autumn'), 'several releases have the label', ...names);
  expect((await release('promote', stem('autumn'))).code).toBe(0);
});

test('promote refuses a release with a missing or truncated object', async () => {
  const { counties } = await manifestOf('spring');
  const { pois, nearest } = counties['99001'].objects;
  await truncate(store.path(pois), pois.bytes >> 1);
  await expectRefused(release('promote', 'spring'), manifests.get('spring')!, '1 of', pois.name);
  await rm(store.path(pois));
  await rm(store.path(nearest));
  await expectRefused(release('promote', 'spring'), '2 of', nearest.name);
});

test('promote refuses an altered manifest', async () => {
  const file = path.join(store.folder, manifests.get('spring')!);
  await writeFile(file, (await readFile(file, 'utf8')).replace('"routable', '"routeable'));
  await expectRefused(release('promote', 'spring'), manifests.get('spring')!, 'hash');
});

test('verify accepts a release that is not current, and detects an unsound one', async () => {
  const { objects } = await manifestOf('summer');
  expect((await release('verify', 'demo')).stdout).toContain('county-map');
  // A map that ends with its label is a fault, though the object is as recorded; this one is sound.
  await store.replace(store.manifest.objects['county-map'], await originalMap());
  store.manifest.release = 'winter';
  await store.publish();
  const sound = await release('verify', 'winter');
  expect([sound.code, sound.stdout]).toEqual([0, expect.stringContaining('winter is intact')]);
  const bytes = await store.bytesOf(objects['dest-ids']);
  bytes[bytes.length >> 1] ^= 1;
  await writeFile(store.path(objects['dest-ids']), bytes);
  const harmed = await release('verify');
  expect(harmed.code).toBe(1);
  expect(harmed.stdout).toContain(`${objects['dest-ids'].name}: hash`);
});

async function originalMap(): Promise<Uint8Array> {
  const [name] = await readdir(path.join(inject('demoStore'), 'county-map'));
  return readFile(path.join(inject('demoStore'), 'county-map', name));
}

test('gc keeps the current release and the newest others complete, and lists what it removed', async () => {
  await release('promote', 'demo');
  const before = await filesOf();
  const wouldGo = [
    (await manifestOf('spring')).objects['county-map'].name,
    (await manifestOf('summer')).objects['county-map'].name,
    manifests.get('spring')!,
    manifests.get('summer')!,
  ];
  const args = ['--keep', '1'];
  const dry = await release('gc', ...args, '--dry-run');
  expect(dry.code).toBe(0);
  expect(await filesOf()).toEqual(before);
  const bytes = await bytesOf(before);

  const done = await release('gc', ...args);
  expect(done.code).toBe(0);
  expect(done.stdout).toBe(dry.stdout.replace('would remove', 'removed'));
  expect(done.stdout).toContain(`kept ${stem('autumn')}, ${stem('demo')}\n`);
  const after = await filesOf();
  const gone = before.filter((name) => !after.includes(name));
  for (const name of wouldGo) expect(gone).toContain(name);
  for (const name of gone) expect(done.stdout).toContain(`${name}  `);
  const freed = bytes - (await bytesOf(after));
  expect(done.stdout).toContain(
    `removed ${gone.length} files, ${freed.toLocaleString('en-US')} bytes`,
  );
  for (const label of ['autumn', 'demo']) {
    const missing = objectsNamed(await manifestOf(label)).filter(
      ({ name }) => !after.includes(name),
    );
    expect(missing).toEqual([]);
  }
  expect((await release('gc', ...args)).stdout).toContain('removed 0 files, 0 bytes');
  expect((await release('promote', 'autumn')).code).toBe(0);
});

test('gc and promote refuse at once while another process holds the store', async () => {
  const before = await objectsOf();
  const locks = new FolderStore(store.folder);
  const building = await locks.lock('.build-lock');
  await expectRefused(release('gc', '--keep', '0'), `process ${process.pid}`, 'is writing to it');
  // A build does not prevent a rollback to an earlier release.
  expect((await release('promote', 'demo')).code).toBe(0);
  if (building.taken) await building.release();
  const promoting = await locks.lock('manifests/retention.lock');
  await expectRefused(release('gc', '--keep', '0'), `process ${process.pid}`, 'try again');
  await expectRefused(release('promote', 'autumn'), `process ${process.pid}`, 'try again');
  if (promoting.taken) await promoting.release();
  expect(await objectsOf()).toEqual(before);
});

test('gc refuses a store whose manifests cannot be read, and a folder that is not a store', async () => {
  await writeFile(path.join(store.folder, manifests.get('summer')!), '{ cut sho');
  const before = await filesOf();
  await expectRefused(release('gc', '--keep', '3'), manifests.get('summer')!, 'not JSON');
  expect(await filesOf()).toEqual(before);
  const folder = await mkdtemp(path.join(tmpdir(), 'tta-none-'));
  const { code, stderr } = await tta('release', 'gc', '--store', folder);
  expect([code, stderr]).toEqual([1, expect.stringContaining('has no release')]);
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
  const few = await release('gc', '--keep', 'few');
  expect([few.code, few.stderr]).toEqual([2, expect.stringContaining('whole number')]);
});

test('inspect describes the contents of an object of every kind', async () => {
  const { counties, states, objects } = await manifestOf('autumn');
  const files = await readdir(path.join(inject('demoStore'), 'tiles'));
  const tiles = (kind: RegExp) => ({ name: `tiles/${files.find((file) => kind.test(file))}` });
  const county = counties['99001'].objects;
  const inspected: [ref: { name: string }, words: RegExp][] = [
    [county.index, /^index: [\d,]+ blocks, [\d,]+ people$/m],
    [county.nearest, /^nearest: [\d,]+ blocks × [\d,]+ cells .* [\d,]+ of them reached$/m],
    [
      county.pois,
      /^matrix: [\d,]+ origins .* × [\d,]+ targets, in tenths$[\s\S]*first POI: [\d,]+ \{"name"/m,
    ],
    [county.catchment, /^matrix: [\d,]+ origins [\s\S]*first POI: [\d,]+ \{"name"/m],
    [county['reach-from'], /^matrix: ([\d,]+) origins .* in minutes$/m],
    [county['reach-to']!, /^matrix: ([\d,]+) origins .* in minutes$/m],
    [
      county.transit!,
      /^transit \(am\): [\d,]+ stops, [\d,]+ routes, [\d,]+ trips in [\d,]+ patterns, [\d,]+ transfers$/m,
    ],
    [county.blocks, /^FlatGeobuf: [\d,]+ × MultiPolygon$/m],
    [county['poi-map'], /^FlatGeobuf: [\d,]+ × Point$[\s\S]*"dest_id"/m],
    [states['99'].objects.places, /^places: 2 census places with [\d,]+ blocks$/m],
    [states['99'].objects['place-map'], /^FlatGeobuf: 2 × MultiPolygon$/m],
    [objects['dest-ids'], /^directory: home counties of [\d,]+ POIs$/m],
    [
      tiles(/\.pmtiles$/),
      /^PMTiles: [\d,]+ tiles with [\d,]+ distinct contents, zoom [\d,]+ to [\d,]+$/m,
    ],
    [
      tiles(/^access-classes-.*\.bands$/),
      /^access classes of county 99\d{3}: [\d,]+ blocks × [\d,]+ columns$/m,
    ],
    [
      tiles(/^(?!access-classes-).*\.bands$/),
      /^block bands of county 99\d{3}: [\d,]+ blocks × [\d,]+ columns[\s\S]* bytes a block$/m,
    ],
    [tiles(/\.tta$/), /CRCS: [\d,]+ bytes, checksum OK$[\s\S]*^page checksums/m],
  ];
  for (const [{ name }, words] of inspected) {
    const folder = name.startsWith('tiles/') ? inject('demoStore') : store.folder;
    const { code, stdout } = await tta('inspect', path.join(folder, name));
    expect([name, code]).toEqual([name, 0]);
    expect(stdout).toMatch(words);
  }
  await truncate(path.join(store.folder, county.pois.name), 2000);
  const cut = await tta('inspect', path.join(store.folder, county.pois.name));
  expect([cut.code, cut.stderr]).toEqual([1, expect.stringContaining('truncated')]);
  const none = await tta('inspect', path.join(store.folder, 'pois/none.tta'));
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('no such file')]);
  const latest = await tta('inspect', path.join(store.folder, 'latest.json'));
  expect([latest.code, latest.stderr]).toEqual([1, expect.stringContaining('tta release show')]);
});
