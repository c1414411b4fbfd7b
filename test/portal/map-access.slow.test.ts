import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NO_WEBGL, SOFTWARE_GL, sharedChromium } from '../support/chromium.ts';
import { openPortalSite, type PortalSite } from '../support/portal-site.ts';
import { ofThisTest } from '../support/test-resources.ts';
import {
  accessFaults,
  blocksInView,
  cellsOf,
  openWatched,
  textsOf,
} from '../support/watched-page.ts';

const FRAGMENT = '#x=1&v=access&m=transit&min=15&w=jobs';

let site: PortalSite;
/** A browser that draws the map; that of the site shows a still picture instead. */
let drawing: Browser;
beforeAll(async () => {
  site = await openPortalSite({ chromium: NO_WEBGL });
  drawing = await sharedChromium(SOFTWARE_GL);
});
afterAll(() => site?.close());

async function open(fragment: string, path = '/map', browser = site.browser) {
  const context = await ofThisTest(browser.newContext({ viewport: { width: 1280, height: 900 } }));
  return openWatched(context, `${site.address}${path}${fragment}`);
}

/** The exact counts of all blocks of the demo city, by GEOID. */
async function exactCounts(query: string): Promise<ReadonlyMap<string, number>> {
  const { key } = await site.proxy.customer({ tokens: 10_000 });
  const counts = new Map<string, number>();
  for (const county of ['99001', '99003']) {
    const url = `/v1/counties/${county}/access?${query}&limit=1000`;
    for (const row of (await site.proxy.get(url, key)).json().results) {
      counts.set(row.geoid, row.count);
    }
  }
  return counts;
}

/** The classes of the legend: least, exclusive end, and people. */
async function legendOf(page: Page) {
  const texts = await cellsOf(page.locator('.people-legend tbody tr:has(td)'));
  return texts.map(([label, people]) => ({ label, people }));
}

const numberOf = (text: string) => Number(text.replaceAll(',', ''));

function rangeOf(label: string): readonly [number, number] | null {
  const [, end] = /^under (.*)$/.exec(label) ?? [];
  if (end) return [0, numberOf(end)];
  const [, least] = /^(.*) or more$/.exec(label) ?? [];
  if (least) return [numberOf(least), Number.POSITIVE_INFINITY];
  const [from, to] = label.split('–');
  return to === undefined ? null : [numberOf(from), numberOf(to)];
}

test.each([
  ['county', '12345'],
  ['place', '1234567'],
])('a %s of the address that the release lacks is said to be outside it', async (_, area) => {
  const { page, wrong } = await open(`#x=1&a=${area}`);
  await page.getByText('Area: cannot be shown').waitFor();
  await page.getByText('This area is outside the release').waitFor();
  // The browser notes a refused request.
  wrong.splice(0);
});

test('the blocks in view are classed for free by the jobs that the API counts for tokens', async () => {
  const { page, asked } = await open(FRAGMENT);
  await page.getByRole('heading', { name: 'Jobs within 15 min by transit' }).waitFor();
  await expect.poll(async () => (await legendOf(page)).length).toBe(7);
  const [head, ...lines] = await blocksInView(page);
  const names = head.split(',');
  const rows = lines.map((line) =>
    Object.fromEntries(line.split(',').map((c, i) => [names[i], c])),
  );
  const exact = await exactCounts('of=jobs&mode=transit&minutes=15');
  const people = new Map<string, number>();
  const legend = await legendOf(page);
  for (const row of rows) {
    const count = exact.get(row.geoid);
    const label = legend.find(({ label }) => {
      const range = rangeOf(label);
      return range === null
        ? count === undefined
        : count !== undefined && count >= range[0] && count < range[1];
    })!.label;
    people.set(label, (people.get(label) ?? 0) + Number(row.population));
    const wanted = rangeOf(label);
    const ends = wanted && [wanted[0], wanted[1] === Number.POSITIVE_INFINITY ? '' : wanted[1]];
    expect([row.geoid, row.count_from, row.count_below]).toEqual([
      row.geoid,
      ...(ends ?? ['', '']).map(String),
    ]);
  }
  expect(rows.length).toBeGreaterThan(500);
  expect(legend).toEqual(
    legend.map(({ label }) => ({
      label,
      people: (people.get(label) ?? 0).toLocaleString('en-US'),
    })),
  );
  // Nothing metered was requested.
  expect(asked.filter((url) => /\/v1\/(counties|places|blocks)\//.test(url))).toEqual([]);
  expect(await accessFaults(page)).toEqual([]);
});

test('a type of place is counted from each block, up to half an hour, for free', async () => {
  const { page, asked } = await open('#x=1&v=access&m=walk&min=60&d=to&w=type:101');
  await page.getByRole('heading', { name: 'Grocery stores within 30 min on foot' }).waitFor();
  await expect.poll(async () => (await legendOf(page)).length).toBeGreaterThan(3);
  await page.getByText('filled dots').waitFor();
  const select = page.getByRole('combobox', { name: 'Count' });
  expect(await select.locator('option:checked').textContent()).toBe('Grocery stores');
  expect(await page.getByRole('radio', { name: '45 min' }).count()).toBe(0);
  expect(await page.getByRole('radio', { name: 'To each block' }).count()).toBe(0);
  const [head, ...lines] = await blocksInView(page);
  const names = head.split(',');
  const exact = await exactCounts('of=type:101&mode=walk&minutes=30');
  expect(lines.length).toBeGreaterThan(500);
  const found = new Set<string>();
  for (const line of lines) {
    const row = Object.fromEntries(line.split(',').map((cell, i) => [names[i], cell]));
    expect([row.of, row.direction, row.minutes]).toEqual(['type:101', 'from', '30']);
    const count = exact.get(row.geoid);
    const isIn =
      row.count_from === ''
        ? count === undefined
        : count !== undefined &&
          count >= Number(row.count_from) &&
          (row.count_below === '' || count < Number(row.count_below));
    expect([row, count, isIn]).toEqual([row, count, true]);
    found.add(`${row.count_from} ${row.count_below}`);
  }
  expect(found.size).toBeGreaterThan(2);
  expect(asked.filter((url) => /\/v1\/(counties|places|blocks)\//.test(url))).toEqual([]);
  const code = page.locator('.request-code code').first();
  await page.getByRole('button', { name: 'Exact numbers' }).click();
  await expect.poll(() => code.textContent()).toContain('of=type%3A101');
});

test('the choices are in the address, by keyboard too, and a block says its class', async () => {
  const { page } = await open(FRAGMENT, '/map', drawing);
  await page.getByRole('radio', { name: '15 min' }).press('ArrowRight');
  await page.waitForURL(/v=access&m=transit&w=jobs$/);
  await page.getByRole('combobox', { name: 'Count' }).selectOption('people');
  await page.getByRole('radio', { name: 'To each block' }).check();
  await page.waitForURL(/v=access&m=transit&d=to&w=people$/);
  await page
    .getByRole('heading', { name: 'People who get here within 30 min by transit' })
    .waitFor();
  await page.locator('[data-drawn]').waitFor();
  const map = page.locator('canvas.maplibregl-canvas');
  await map.focus();
  await map.press('ArrowLeft');
  await expect
    .poll(() => page.locator('.map-said').textContent())
    .toMatch(/^[\d,–]+( or more)? people who get here within 30 min by transit · |^under /);
});

test('the sentence on the chosen area names the bound of the sentence on the view', async () => {
  const { page } = await open(`${FRAGMENT}&a=9957600&map=15/36.0/-70.0`);
  const bounds = async () => {
    const said = await page.getByText(/ people in .* reach .* jobs\.$/).allTextContents();
    return said.map((text) => /reach ([\d,]+) or more jobs\.$/.exec(text)![1]);
  };
  await expect
    .poll(bounds)
    .toSatisfy(([inView, inArea]) => inView !== undefined && inArea === inView);
});

test('exact numbers are a click away, as code that the API accepts, for a county or the chosen city', async () => {
  const { page } = await open(`${FRAGMENT}&a=9957600`);
  await page.getByRole('columnheader', { name: 'In the area' }).waitFor();
  await page.getByRole('button', { name: 'Exact numbers' }).click();
  const code = page.locator('.request-code code').first();
  await expect.poll(() => code.textContent()).toContain('/v1/places/9957600/access?');
  const [url] = /\/v1\/[^"' ]+/.exec((await code.textContent()) ?? '')!;
  const { key } = await site.proxy.customer({ tokens: 1_000 });
  const rows = (await site.proxy.get(url, key)).json().results;
  expect(rows[0]).toMatchObject({ of: 'jobs', mode: 'transit', minutes: 15 });
  await page.getByText('Area: Port Meridian').click();
  await page.getByRole('combobox', { name: 'Area', exact: true }).selectOption('');
  await expect.poll(() => code.textContent()).toContain('/v1/counties/99001/access?');
});

test('on a phone a key over the map has the classes in few letters', async () => {
  const { page } = await open(FRAGMENT);
  await page.setViewportSize({ width: 375, height: 812 });
  await expect.poll(() => page.locator('.map-key span').count()).toBe(6);
  const key = await textsOf(page.locator('.map-key span'));
  expect(key.every((text) => /^(<|\d)[\d.K]*\+?$/.test(text))).toBe(true);
});

test('the map for other pages shows it without a key', async () => {
  const { page } = await open(FRAGMENT, '/embed', drawing);
  await page.locator('[data-drawn]').waitFor();
  await page.getByRole('heading', { name: 'Jobs within 15 min by transit' }).waitFor();
  await page.getByText(/people in view reach [\d,]+ or more jobs\.$/).waitFor();
});

test('a type is found by typing a part of its name or of its parent’s, also by keyboard', async () => {
  const { page } = await open('#x=1');
  const field = page.getByRole('combobox', { name: 'To the nearest' });
  expect(await field.inputValue()).toBe('Grocery stores');
  await field.click();
  const options = page.locator('.search-option');
  await expect.poll(() => options.count()).toBeGreaterThan(50);
  await field.fill('park');
  await expect.poll(() => options.allTextContents()).toContainEqual(expect.stringMatching(/any/));
  for (const text of await textsOf(options)) expect(text).toMatch(/\bpark/i);
  expect(await accessFaults(page)).toEqual([]);
  // Escape closes the list, then restores the type.
  await field.press('Escape');
  await field.press('Escape');
  await expect.poll(() => field.inputValue()).toBe('Grocery stores');
  await field.fill('libr');
  await field.press('ArrowDown');
  await field.press('Enter');
  await page.waitForURL(/t=601/);
  await expect.poll(() => field.inputValue()).toBe('Libraries');
});
