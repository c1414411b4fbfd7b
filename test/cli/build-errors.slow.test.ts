import { execFile, spawn } from 'node:child_process';
import { copyFile, cp, mkdir, open, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { ensureDebianPackage } from '../support/debian.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { commandsOfTests, type Ended, TTA } from '../support/tta.ts';

const folder = folderOfTests();
const runIn = commandsOfTests();
const tta = (...args: string[]) => runIn({}, ...args);
let osm: string;
let blocks: string;
const at = (...parts: string[]) => path.join(folder, ...parts);

beforeAll(async () => {
  osm = path.join(inject('demoCity'), 'osm/demo.osm.pbf');
  blocks = path.join(inject('demoCity'), 'blocks/tl_99001_tabblock20.zip');
});

const build = (flags: { osm?: string; blocks?: string; counties?: string; out?: string }) =>
  tta(
    'build',
    '--osm',
    flags.osm ?? osm,
    '--blocks',
    flags.blocks ?? blocks,
    '--counties',
    flags.counties ?? '99001',
    '--out',
    flags.out ?? at('out'),
    '--no-tiles',
  );

async function entriesOf(of: string): Promise<string[]> {
  return readdir(of).catch(() => []);
}

/** Expects one clear line, exit code 2 if it is about arguments, else 1, and nothing published. */
async function expectRefused(result: Ended, ...parts: (string | RegExp)[]): Promise<void> {
  const lines = result.stderr.split('\n').filter((line: string) => line.startsWith('tta: '));
  expect(lines).toHaveLength(1);
  for (const part of parts) expect(lines[0]).toMatch(part);
  expect(result.stderr).not.toMatch(/\n\s+at /);
  expect(result.code).toBe(/^tta: (settings: |--|give )/.test(lines[0]) ? 2 : 1);
  expect(await entriesOf(at('out'))).not.toContain('latest.json');
}

async function cut(source: string, target: string, bytes: number): Promise<string> {
  await copyFile(source, target);
  const file = await open(target, 'r+');
  await file.truncate(bytes);
  await file.close();
  return target;
}

test('names an absent file', async () => {
  await expectRefused(await build({ osm: at('none.pbf') }), at('none.pbf'), /no such file/);
  await expectRefused(await build({ blocks: at('none.zip') }), at('none.zip'), /no such file/);
});

test('names a truncated file, and where it ends', async () => {
  const pbf = await cut(osm, at('cut.osm.pbf'), 4_000);
  await expectRefused(await build({ osm: pbf }), pbf, /truncated.*byte \d+.*download it again/);
  const zip = await cut(blocks, at('cut.zip'), 5_000);
  await expectRefused(await build({ blocks: zip }), zip, /not a readable zip archive/);
});

test('names a file of another format, and the one needed', async () => {
  await writeFile(at('text.pbf'), '<osm version="0.6"><node id="1"/></osm>');
  await expectRefused(await build({ osm: at('text.pbf') }), at('text.pbf'), /not an OSM PBF file/);
  await writeFile(at('empty.pbf'), '');
  await expectRefused(await build({ osm: at('empty.pbf') }), at('empty.pbf'), /is empty/);
  const gtfs = path.join(inject('demoCity'), 'gtfs/demo_transit.zip');
  await expectRefused(await build({ blocks: gtfs }), gtfs, /contains no shapefile/);
  const places = path.join(inject('demoCity'), 'places/tl_99_place.zip');
  await expectRefused(await build({ blocks: places }), places, /record 1 has no 15-digit GEOID20/);
  await expectRefused(await build({ osm: folder }), folder, /is a folder, not a file/);
});

test('names an unknown county, and lists those available', async () => {
  await expectRefused(await build({ counties: '99001,99005' }), /99005/, /99001/);
  await expectRefused(await build({ counties: 'Baltimore' }), /"Baltimore" is not a five-digit/);
});

test('directions are from, or from and to; the environment may set them too', async () => {
  const flags = ['build', '--osm', osm, '--blocks', blocks, '--out', at('out'), '--directions'];
  await expectRefused(
    await tta(...flags, 'to'),
    /--directions="to": "to" is derived from "from"; give/,
  );
  await expectRefused(
    await tta(...flags, 'from,up'),
    /--directions="from,up": "up" is not one of from, to/,
  );
  process.env.DIRECTIONS = 'outwards';
  onTestFinished(() => void delete process.env.DIRECTIONS);
  await expectRefused(await build({}), /DIRECTIONS="outwards": "outwards" is not one of from, to/);
});

test('refuses an extract that does not cover the county, whether or not it has streets around it', async () => {
  await ensureDebianPackage('osmium-tool', 'osmium');
  for (const [lat, lon, line] of [
    [10, 10, /no streets in the area of the blocks/],
    [36.2, -70, /county 99001: no block with people is near a street; give --osm an extract/],
  ] as const) {
    const far = at(`far-${lat}.osm`);
    await writeFile(
      far,
      `<osm version="0.6"><node id="1" lat="${lat}" lon="${lon}" version="1"/><node id="2" lat="${lat + 0.01}" lon="${lon}" version="1"/><way id="1" version="1"><nd ref="1"/><nd ref="2"/><tag k="highway" v="residential"/></way></osm>`,
    );
    await promisify(execFile)('osmium', ['cat', far, '-o', `${far}.pbf`]);
    await expectRefused(await build({ osm: `${far}.pbf` }), line);
  }
});

test('refuses an output that is a file, a foreign folder, or holds the inputs, and leaves it untouched', async () => {
  await writeFile(at('file'), 'mine');
  await expectRefused(await build({ out: at('file') }), /is a file.* a store needs a folder/);
  const below = at('file', 'below');
  await expectRefused(await build({ out: below }), below, /leads through.* a store needs a folder/);
  await mkdir(at('mine'));
  await writeFile(at('mine', 'thesis.txt'), 'mine');
  await expectRefused(await build({ out: at('mine') }), /is not a store: it contains thesis.txt/);
  expect(await readdir(at('mine'))).toEqual(['thesis.txt']);
  await expectRefused(await build({ out: inject('demoCity') }), /contains the input/);
});

test('names the unsupported scheme of a store, and creates no folder for it', async () => {
  const line =
    /gs:\/\/bucket\/there": a store is a folder, s3:\/\/bucket\/prefix or https:\/\/host\/prefix; "gs" is not supported/;
  await expectRefused(await build({ out: 'gs://bucket/there' }), line);
  await expectRefused(await tta('release', 'list', '--store', 'gs://bucket/there'), line);
  expect(await entriesOf('.')).not.toContain('gs:');
});

test('the second of two builds into one store is refused, and the first completes', async () => {
  const out = at('shared');
  const args = ['build', '--osm', osm, '--blocks', blocks, '--out', out, '--no-tiles'];
  const first = spawn(process.execPath, [TTA, ...args], { stdio: 'ignore' });
  const finished = new Promise((resolve) => first.on('exit', resolve));
  while (!(await entriesOf(out)).includes('.build-lock')) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  // Paused, so that it cannot finish before the second has started.
  first.kill('SIGSTOP');
  await expectRefused(await build({ out }), out, /another build \(process \d+\) is writing to it/);
  first.kill('SIGCONT');
  expect(await finished).toBe(0);
  expect((await tta('release', 'verify', '--store', out)).code).toBe(0);
});

test('a build on a full disk publishes nothing and leaves no lock', async () => {
  const out = at('small-disk');
  await mkdir(out);
  // A separate file system that is too small for the objects.
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const sh = (...command: string[]) => {
    const [program, ...args] = [...asRoot, ...command];
    return promisify(execFile)(program, args);
  };
  await sh('mount', '-t', 'tmpfs', '-o', 'size=400k,mode=777', 'tmpfs', out);
  onTestFinished(async () => void (await sh('umount', out)));
  await expectRefused(await build({ out }), out, /the disk is full: free some space/);
  expect(await readdir(out)).not.toContain('latest.json');
  expect(await readdir(out)).not.toContain('.build-lock');
});

test('release verify names the damaged object and exits with 1', async () => {
  const out = at('harmed');
  await cp(inject('demoStore'), out, { recursive: true });
  const manifest = JSON.parse((await tta('release', 'show', '--json', '--store', out)).stdout);
  const { name } = manifest.counties['99001'].objects.pois;
  const bytes = await readFile(path.join(out, name));
  bytes[bytes.length - 20] ^= 4;
  await writeFile(path.join(out, name), bytes);
  const result = await tta('release', 'verify', '--store', out);
  expect(result.code).toBe(1);
  expect(result.stdout).toContain(name);
  const inspected = await tta('inspect', path.join(out, name));
  expect(inspected.code).toBe(1);
  expect(inspected.stderr).toMatch(/row \d+: corrupted/);
});
