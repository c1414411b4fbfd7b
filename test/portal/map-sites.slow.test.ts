import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAX_UNCOVERED } from '../../portal/pages/map/state/sites.ts';
import { SOFTWARE_GL } from '../support/chromium.ts';
import { openPortalSite, type PortalSite } from '../support/portal-site.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { accessFaults, openWatched, savedFile, textsOf } from '../support/watched-page.ts';

let site: PortalSite;
beforeAll(async () => {
  site = await openPortalSite({ chromium: SOFTWARE_GL });
});
afterAll(() => site?.close());

async function open() {
  const context = await ofThisTest(
    site.browser.newContext({ viewport: { width: 1280, height: 900 } }),
  );
  const watched = await openWatched(context, `${site.address}/map#x=1&v=sites&m=bike`);
  await watched.page.locator('[data-drawn]').waitFor();
  return watched;
}

/** Reads the sites listed in the panel, once there are `count` of them. */
async function listed(page: Page, count: number) {
  const entries = page.locator('.site-list li > span');
  await expect.poll(() => entries.count()).toBe(count);
  const items = await entries.allTextContents();
  return items.map((item) => {
    const [, id, lat, lon] = /^(\S+) .*?(-?[\d.]+), (-?[\d.]+)$/.exec(item)!;
    return { id, lat: Number(lat), lon: Number(lon) };
  });
}

/** Returns the response of the API to the request that the page sends. */
async function answer(body: object, accept: string) {
  const { key } = await site.proxy.customer();
  const sent = {
    mode: 'bike',
    direction: 'from',
    minutes: [15],
    uncovered: MAX_UNCOVERED,
    ...body,
  };
  return site.proxy.post('/v1/sites/coverage', key, sent, { accept });
}

const measured = async (body: object) => (await answer(body, 'application/json')).json();
const measuredAsCsv = async (body: object) => (await answer(body, 'text/csv')).body;

const text = (value: number) => value.toLocaleString('en-US');

type Sums = Readonly<Record<'within' | 'overlap' | 'gain', Readonly<Record<string, number>>>>;

/** The least minutes from any of some blocks to the block at a point, by the API's isochrones. */
async function minutesToNearest(
  from: readonly { readonly block: string }[],
  { lat, lon }: { readonly lat: number; readonly lon: number },
): Promise<number> {
  const { key } = await site.proxy.customer();
  const get = async (path: string) => (await site.proxy.get(path, key)).json();
  const query = 'mode=bike&direction=from&minutes=60&format=blocks';
  const [{ resolved_block }, ...reaches] = await Promise.all([
    get(`/v1/point/summary?lat=${lat}&lon=${lon}&mode=bike&type=101`),
    ...from.map(({ block }) => get(`/v1/isochrone?block=${block}&${query}`)),
  ]);
  const minutes = reaches.flatMap(({ blocks }) =>
    blocks.filter(({ geoid }: { geoid: string }) => geoid === resolved_block),
  );
  return Math.min(...minutes.map(({ travel_min }) => travel_min));
}

test('sites are set by clicks, dragged, removed by keyboard, and measured as the API does', async () => {
  const { page } = await open();
  const map = page.locator('.map-canvas');
  await map.click({ position: { x: 300, y: 300 } });
  await map.click({ position: { x: 500, y: 300 } });
  await map.click({ position: { x: 300, y: 600 } });
  await page.getByText('3 sites', { exact: true }).waitFor();
  await page.getByText('List of sites').click();
  const [first, second, third] = await listed(page, 3);
  const box = (await page.getByRole('button', { name: /^Site 1:/ }).boundingBox())!;
  await page.mouse.move(box.x + 22, box.y + 22);
  await page.mouse.down();
  await page.mouse.move(box.x + 122, box.y + 42, { steps: 5 });
  await page.mouse.up();
  await expect.poll(async () => (await listed(page, 3))[0].lon).toBeGreaterThan(first.lon);
  await page.getByRole('button', { name: /^Site 2:/ }).focus();
  await page.keyboard.press('Delete');
  await page.getByText('2 sites', { exact: true }).waitFor();
  const sites = await listed(page, 2);
  expect(sites.map(({ id }) => id)).toEqual(['1', '3']);
  expect(sites[0]).not.toEqual(first);
  expect(sites).not.toContainEqual(second);

  await page.getByRole('radio', { name: 'From the sites' }).check({ force: true });
  const owner = await site.proxy.customer({ tokens: 100 });
  await page.getByRole('button', { name: 'Count people 10 tokens at most' }).click();
  await page.getByLabel('API key').fill(owner.key);
  await page.getByLabel('API key').press('Enter');
  await page.getByText('10 tokens charged, 90 tokens left.').waitFor();
  const expected = await measured({ sites });
  const [{ total, within }] = expected.results;
  await page.getByText(`${text(within[15])} people`, { exact: true }).waitFor();
  const each = page.getByRole('table', { name: /^Near each site/ });
  expect(await textsOf(each.locator('tbody td'))).toEqual(
    [
      ...expected.sites.map((one: Sums) => [text(one.within[15]), text(one.overlap[15])]),
      ...expected.errors.map(() => ['cannot be routed', '']),
    ].flat(),
  );

  const tokens = 10 * expected.sites.length;
  await page.getByRole('button', { name: `Color the blocks ${tokens} tokens at most` }).click();
  await page.getByText(`${tokens} tokens charged, ${90 - tokens} tokens left.`).waitFor();
  const stage = (await map.boundingBox())!;
  for (const [x, y] of [
    [350, 420],
    [420, 520],
    [560, 480],
    [640, 380],
  ]) {
    const at = {
      lon: first.lon + ((x - 300) / 200) * (second.lon - first.lon),
      lat: first.lat + ((y - 300) / 300) * (third.lat - first.lat),
    };
    const nearest = await minutesToNearest(expected.sites, at);
    await page.mouse.move(stage.x + x, stage.y + y);
    const readout = page.locator('.map-readout');
    await expect.poll(() => readout.textContent()).toMatch(new RegExp(`^${nearest} min`));
  }

  await page.getByText(/^Area:/).click();
  await page.getByRole('combobox', { name: 'Area', exact: true }).selectOption('99001');
  await page.getByText(/^Area: Meridian County, XA, [\d,]+ people/).waitFor();
  await page.getByRole('button', { name: 'Count people 10 tokens at most' }).click();
  const area = page.getByRole('table', { name: 'By minutes to the nearest site' });
  await area.waitFor();
  const inCounty = (await measured({ sites, area: { counties: ['99001'] } })).results[0];
  expect(inCounty.total).not.toBe(total);
  expect(await textsOf(area.locator('td:nth-child(2)'))).toEqual(
    [inCounty.within[15], inCounty.beyond, inCounty.no_data].map(text),
  );
  expect(await accessFaults(page)).toEqual([]);
});

test('a CSV of sites and candidates is opened, measured, and saved with the best candidates', async () => {
  const { page } = await open();
  await page.locator('.map-canvas').click({ position: { x: 400, y: 200 } });
  await page.locator('.map-canvas').click({ position: { x: 600, y: 700 } });
  await page.getByText('List of sites').click();
  const [a, b] = await listed(page, 2);
  const middle = { lat: (a.lat + b.lat) / 2, lon: (a.lon + b.lon) / 2 };
  const file = (rows: string) => ({
    name: 'clinics.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(`\uFEFFid,Lat,Lon,candidate\n${rows}`),
  });
  const input = page.getByLabel(/^Or upload a CSV/);
  await input.setInputFiles(file(`north,${a.lat},${a.lon},\n"Main, 2",99,${b.lon},\n`));
  await page.getByRole('alert').getByText('Line 3 of the file: lat must be a number').waitFor();
  await input.setInputFiles(
    file(
      `north,${a.lat},${a.lon},\nsouth,${b.lat},${b.lon},\n"Main, 2",${b.lat},${b.lon},yes\nx,${middle.lat},${middle.lon},1\n`,
    ),
  );
  await page.getByText('2 sites, 2 candidates').waitFor();
  await page.getByRole('radio', { name: 'From the sites' }).check({ force: true });
  const owner = await site.proxy.customer({ tokens: 100 });
  await page.getByRole('button', { name: /^Count people/ }).click();
  await page.getByLabel('API key').fill(owner.key);
  await page.getByLabel('API key').press('Enter');
  const best = page.getByRole('table', { name: /^Best of these 2 candidates/ });
  const sent = {
    sites: [
      { ...a, id: 'north' },
      { ...b, id: 'south' },
    ],
    candidates: [
      { id: 'Main, 2', lat: b.lat, lon: b.lon },
      { id: 'x', ...middle },
    ],
    choose: 1,
  };
  const expected = await measured(sent);
  const gains = page.getByRole('table', { name: /^Each candidate would add/ });
  await expect
    .poll(() => gains.locator('tbody td').allTextContents())
    .toEqual(
      expected.gains
        .map((one: Sums) => one.gain[15])
        .sort((a: number, b: number) => b - a)
        .map(text),
    );
  const marked = page.locator('.map-marker-candidate');
  await expect
    .poll(() => marked.evaluateAll((all) => all.map((one) => one.getAttribute('data-note'))))
    .toEqual(expected.gains.map((one: Sums) => `+${text(one.gain[15])} people`));
  const chosen: { id: string; gain: number; total_within: number }[] = expected.chosen;
  await expect
    .poll(() => best.locator('tbody tr').allTextContents())
    .toEqual(chosen.map(({ id, gain, total_within }) => id + text(gain) + text(total_within)));
  const { bytes } = await savedFile(page, 'CSV');
  expect(String(bytes)).toBe(await measuredAsCsv(sent));
});

test('the POIs of a type in an area are sites with one click, and blocks far from them candidates', async () => {
  const { page } = await open();
  await page.getByRole('radio', { name: 'Existing places' }).check({ force: true });
  // A county in view is the area until another is chosen.
  await page.getByText(/^Area: Meridian County, XA/).click();
  await page.getByRole('combobox', { name: 'Area', exact: true }).selectOption('99003');
  await page.getByRole('combobox', { name: 'Near means within' }).selectOption('5 minutes');
  const owner = await site.proxy.customer({ tokens: 5_000 });
  await page.getByRole('button', { name: /^Count people/ }).click();
  await page.getByLabel('API key').fill(owner.key);
  await page.getByLabel('API key').press('Enter');
  const area = { counties: ['99003'] };
  const sent = { sites: { type: 101 }, area, direction: 'to', minutes: [5] };
  const { results, uncovered, sites_from } = await measured(sent);
  expect(sites_from.kind).toBe('near');
  const share = Math.round((results[0].within[5] / results[0].total) * 100);
  await page.getByText(`${share}%`).first().waitFor();
  await page.getByRole('button', { name: /^Try the \d+ blocks where most/ }).click();
  await page.getByText(/^\d+ candidates$/).waitFor();
  await page.getByRole('table', { name: /^Best of these \d+ candidates/ }).waitFor();
  await page.getByText('List of sites').click();
  const [first] = await textsOf(page.locator('.site-list li > span'));
  const { lat, lon } = uncovered[0];
  expect(first).toBe(`1 candidate, ${lat.toFixed(5)}, ${lon.toFixed(5)}`);
});

test('sites of one’s own are counted if the address has a type that the release lacks', async () => {
  const context = await ofThisTest(
    site.browser.newContext({ viewport: { width: 1280, height: 900 } }),
  );
  const address = `${site.address}/map#x=1&v=sites&qt=999999&a=99001&q=35.991633,-70.010336,A`;
  const { page } = await openWatched(context, address);
  await page.getByText('The address has a type of sites that this release lacks.').waitFor();
  await page.getByRole('button', { name: /^Site A/ }).waitFor();
  await page.getByRole('radio', { name: 'From the sites' }).waitFor();
  const { key } = await site.proxy.customer({ tokens: 100 });
  await page.getByRole('button', { name: 'Count people 10 tokens at most' }).click();
  await page.getByLabel('API key').fill(key);
  await page.getByLabel('API key').press('Enter');
  await page.getByText('10 tokens charged, 90 tokens left.').waitFor();
});
