import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, cp, readdir, readFile, rm, truncate } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { folderOfTests } from '../support/temporary-folder.ts';
import { commandsOfTests, TTA } from '../support/tta.ts';

const folder = folderOfTests();
const whole = path.join(folder, 'whole');
const runIn = commandsOfTests();
const tta = (...args: string[]) => runIn({}, ...args);
const exportInto = (out: string) =>
  tta('export', '--store', inject('demoStore'), '--out', out, '--workers', '1');

beforeAll(async () => {
  expect(await exportInto(whole)).toMatchObject({ code: 0 });
});

/** Contents of every file below a folder except locks, in base64 by name. */
async function contentsOf(root: string): Promise<Record<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith('lock'));
  const contents = files.map(async ({ parentPath, name }) => {
    const file = path.join(parentPath, name);
    return [path.relative(root, file), (await readFile(file)).toString('base64')];
  });
  return Object.fromEntries(await Promise.all(contents));
}

/** The texts beside the tables. */
const COMPANIONS = [
  'ATTRIBUTION.txt',
  'DICTIONARY.md',
  'LICENSE.txt',
  'bands.qml',
  'blocks.qml',
  'collection.json',
  'views.sql',
];

const sorted = (names: Iterable<string>) => [...names].sort();

test('an export that is killed leaves whole files only; the same command gives the same bytes', async () => {
  const expected = await contentsOf(whole);
  for (const wanted of [1, 6]) {
    const out = path.join(folder, `killed-${wanted}`);
    const child = spawn(process.execPath, [
      TTA,
      'export',
      '--store',
      inject('demoStore'),
      '--out',
      out,
      '--workers',
      '2',
    ]);
    const ended = once(child, 'exit');
    const receipts = path.join(out, 'receipts');
    while (!existsSync(receipts) || (await readdir(receipts)).length < wanted) await pause(2);
    child.kill('SIGKILL');
    await ended;
    const left = await contentsOf(out);
    const tables = Object.keys(left).filter((name) => name.endsWith('.parquet'));
    expect(tables.length).toBeGreaterThanOrEqual(wanted);
    for (const name of tables) expect(left[name] === expected[name], name).toBe(true);
    expect(await exportInto(out)).toMatchObject({ code: 0 });
    const finished = await contentsOf(out);
    expect(sorted(Object.keys(finished))).toEqual(sorted(Object.keys(expected)));
    for (const name of Object.keys(expected)) {
      expect(finished[name] === expected[name], name).toBe(true);
    }
  }
});

test('an export by any number of threads gives the same bytes', async () => {
  const expected = await contentsOf(whole);
  // The test above has two.
  const out = path.join(folder, 'by-three');
  const flags = ['--store', inject('demoStore'), '--out', out, '--workers', '3'];
  expect(await tta('export', ...flags)).toMatchObject({ code: 0 });
  const got = await contentsOf(out);
  expect(sorted(Object.keys(got))).toEqual(sorted(Object.keys(expected)));
  for (const name of Object.keys(expected)) expect(got[name] === expected[name], name).toBe(true);
});

test('tables exported one after another, of a county or the counties of a place, are listed together', async () => {
  const out = path.join(folder, 'by-and-by');
  const only = (...flags: string[]) =>
    tta('export', '--store', inject('demoStore'), '--out', out, ...flags);
  await only('--tables', 'types', '--county', '99001');
  // Port Meridian, which lies in that county alone.
  await only('--tables', 'blocks,nearest', '--place', '9957600');
  const unknown = await only('--tables', 'types', '--place', '9900001');
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    expect.stringContaining('no census place "9900001"'),
  ]);
  const expected = await contentsOf(whole);
  const got = await contentsOf(out);
  const sums = got['release=demo/SHA256SUMS'];
  const lines = Buffer.from(sums, 'base64').toString().trimEnd().split('\n');
  expect(lines.map((line) => line.split('  ')[1])).toEqual([
    'table=blocks/state=99/county=99001.parquet',
    'table=nearest/state=99/county=99001.parquet',
    'table=types/types.parquet',
    ...COMPANIONS,
  ]);
  for (const line of lines.filter((line) => line.endsWith('.parquet'))) {
    const name = `release=demo/${line.split('  ')[1]}`;
    expect(got[name] === expected[name], name).toBe(true);
  }
});

test('only tables with outlines are written again for another version of GeoParquet', async () => {
  const out = path.join(folder, 'versions');
  const flags = ['--tables', 'blocks,nearest,types', '--county', '99001'];
  /** Number of receipts, one for each table that was written. */
  const writtenWith = async (...version: string[]) => {
    const command = ['export', '--store', inject('demoStore'), '--out', out, ...flags, ...version];
    expect(await tta(...command)).toMatchObject({ code: 0 });
    return Object.keys(await contentsOf(path.join(out, 'receipts'))).length;
  };
  expect(await writtenWith()).toBe(3);
  expect(await writtenWith('--geoparquet', '2.0')).toBe(4);
});

describe('tta export verify', () => {
  const out = path.join(folder, 'damaged');
  const reach = 'release=demo/table=reach/state=99/county=99001.parquet';
  const style = 'release=demo/blocks.qml';
  beforeAll(() => cp(whole, out, { recursive: true }));

  test('accepts an export as it was written', async () => {
    for (const folder of [out, path.join(out, 'release=demo'), `${out}/release=demo/`]) {
      expect(await tta('export', 'verify', folder)).toMatchObject({ code: 0 });
    }
  });

  test.each([
    ['a file that has grown', reach, () => appendFile(path.join(out, reach), 'x')],
    ['a file cut short', reach, () => truncate(path.join(out, reach), 1000)],
    ['a style that is missing', style, () => rm(path.join(out, style))],
  ])('names %s, and the same export repairs it', async (_, name, damage) => {
    await damage();
    const { code, stdout } = await tta('export', 'verify', out);
    expect([code, stdout]).toEqual([1, `${name}: is damaged or missing\n`]);
    expect(await exportInto(out)).toMatchObject({ code: 0 });
    expect(await tta('export', 'verify', out)).toMatchObject({ code: 0 });
  });

  test('refuses a folder without an export', async () => {
    for (const name of ['receipts', 'release=other']) {
      const { code, stderr } = await tta('export', 'verify', path.join(out, name));
      expect([code, stderr]).toEqual([1, expect.stringContaining('holds no export')]);
    }
  });
});

test('refuses to export into a store of releases, which a build would then refuse', async () => {
  const { code, stderr } = await exportInto(inject('demoStore'));
  expect([code, stderr]).toEqual([1, expect.stringContaining('is a store of releases')]);
});

test.each([
  [['--tables', 'nearest,shops'], 'There is no table "shops"'],
  [['--county', '24510'], 'the release has no county "24510"; it has 99001'],
  [['--format', 'geojson', '--tables', 'blocks,reach'], 'reach has no outlines'],
  [['--format', 'xlsx'], 'Allowed choices are parquet, csv'],
  [['--geoparquet', '1.0'], 'Allowed choices are 1.1, 2.0'],
  [['--format', 'csv', '--geoparquet', '2.0'], 'leave it out with --format csv'],
])('refuses %s', async (flags, message) => {
  const out = path.join(folder, 'refused');
  const { code, stderr } = await tta(
    'export',
    '--store',
    inject('demoStore'),
    '--out',
    out,
    ...flags,
  );
  const exitCode = message.startsWith('the release has') ? 1 : 2;
  expect([code, stderr]).toEqual([exitCode, expect.stringContaining(message)]);
  expect(existsSync(out)).toBe(false);
});
