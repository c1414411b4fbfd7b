import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { changedDemo } from '../support/changed-demo.ts';
import { sharedChromium } from '../support/chromium.ts';
import { openProxy } from '../support/proxy-harness.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { commandsOfTests } from '../support/tta.ts';

const folder = folderOfTests();
const runIn = commandsOfTests();
const file = path.join(folder, 'report.html');
const QUESTION = 'Who loses if <the cinema> closes?';
let store: string;

const report = (...args: string[]) =>
  runIn({}, 'release', 'report', '--store', store, '--from', 'before', '--to', 'after', ...args);

beforeAll(async () => {
  store = await changedDemo(inject('demoCity'));
  const selection = ['--type', 'cinemas', '--mode', 'walk', '--question', QUESTION];
  expect(await report(...selection, '--out', file)).toMatchObject({ code: 0 });
});

test('a place that cannot be written to is named, without a stack', async () => {
  const out = path.join(file, 'below a file.html');
  const { code, stderr } = await report('--type', 'cinemas', '--mode', 'walk', '--out', out);
  expect(code).toBe(1);
  expect(stderr).toContain(`tta: ${out}: cannot be written`);
  expect(stderr).not.toContain('internal error');
});

test('a report states the sums of the API, for all people, groups and areas', async () => {
  const proxy = await openProxy(store);
  const { key } = await proxy.customer({ tokens: 1_000 });
  const counties = proxy.releases.current.counties.map(({ fips }) => fips);
  const asked = {
    from: 'before',
    to: 'after',
    type: ['cinemas'],
    mode: ['walk'],
    area: { counties },
  };
  const [row] = (await proxy.post('/v1/changes', key, asked)).json().results;
  const byCounty = (await proxy.post('/v1/changes', key, { ...asked, by: ['county'] })).json()
    .results;
  await proxy.close();
  const browser = await sharedChromium();
  const page = await browser.newPage();
  await page.goto(`file://${file}`);
  const cells = await page
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((tr) => [...tr.querySelectorAll('td')].map((td) => td.innerText)),
    );
  await page.close();
  const shown = ({
    total,
    gained,
    lost,
    unchanged,
    no_data,
    mean_before,
    mean_after,
  }: typeof row) => [
    ...[total, gained[5], gained[1], unchanged, lost[1], lost[5], no_data].map((count: number) =>
      count.toLocaleString('en-US'),
    ),
    ...[mean_before, mean_after].map((mean: number) => String(Math.round(10 * mean) / 10)),
  ];
  expect(cells[0]).toEqual(['All people', ...shown(row)]);
  for (const one of byCounty) {
    const [, ...found] = cells.find(([name]) => name.endsWith(`(${one.geoid})`))!;
    expect(found).toEqual(shown(one));
  }
});

test('a report is one file and one printed page, and needs nothing else', async () => {
  const text = await readFile(file, 'utf8');
  expect(text).not.toMatch(/<script|https?:\/\/(?!opendatacommons)|url\(['"]?http/);
  expect(text).toContain('Who loses if &#60;the cinema&#62; closes?');
  const browser = await sharedChromium();
  const page = await browser.newPage();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(`file://${file}`);
  expect(requests).toEqual([`file://${file}`]);
  expect(await page.locator('h1').innerText()).toBe(QUESTION);
  for (const group of ['White alone', 'Two or More Races', 'Asian alone']) {
    expect(await page.getByRole('cell', { name: group, exact: true }).count()).toBe(1);
  }
  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
  expect(pdf.match(/\/Type \/Page\b/g)?.length).toBe(1);
  await page.close();
});

test('the map has the colours of what the blocks lose, and none of what nobody gains', async () => {
  const text = await readFile(file, 'utf8');
  const fills = [...text.matchAll(/<path fill="([^"]+)"/g)].map(([, fill]) => fill);
  expect(fills).toContain('#b34700');
  expect(fills).not.toContain('#08519c');
});

test('without a selection, a report is about what changes for most people', async () => {
  const { stdout } = await report('--out', path.join(folder, 'any.html'));
  expect(stdout).toMatch(/any\.html: people within 15 minutes by transit/);
});
