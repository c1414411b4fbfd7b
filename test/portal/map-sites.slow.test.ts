import { readFile } from 'node:fs/promises';
import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SOFTWARE_GL } from '../support/chromium.ts';
import { openPortalSite, type PortalSite } from '../support/portal-site.ts';
import { openWatched } from '../support/watched-page.ts';

let site: PortalSite;
beforeAll(async () => {
  site = await openPortalSite({ chromium: SOFTWARE_GL });
});
afterAll(() => site?.close());

async function open() {
  const context = await site.browser.newContext({ viewport: { width: 1280, height: 900 } });
  const watched = await openWatched(context, `${site.address}/map#x=1&v=sites&m=bike`);
  await watched.page.locator('[data-drawn]').waitFor();
  return { context, ...watched };
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
  const minutes = [15, 30, 45, 60];
  const sent = { mode: 'bike', direction: 'from', minutes, ...body };
  return site.proxy.post('/v1/sites/coverage', key, sent, { accept });
}

const measured = async (body: object) => (await answer(body, 'application/json')).json();
const measuredAsCsv = async (body: object) => (await answer(body, 'text/csv')).body;

const text = (value: number) => value.toLocaleString('en-US');
const sumsOf = (of: Record<string, number>) => [15, 30, 45, 60].map((one) => text(of[one]));

test('sites are set by clicks, dragged, removed by keyboard, and measured as the API does', async () => {
  const { page, wrong, context } = await open();
  const map = page.locator('.map-canvas');
  await map.click({ position: { x: 300, y: 300 } });
  await map.click({ position: { x: 500, y: 300 } });
  await map.click({ position: { x: 300, y: 600 } });
  await page.getByText('3 sites', { exact: true }).waitFor();
  await page.getByText('List of sites').click();
  const [first, second] = await listed(page, 3);
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
  await page.getByRole('button', { name: 'Measure them 10 tokens at most' }).click();
  await page.getByLabel('API key').fill(owner.key);
  await page.getByLabel('API key').press('Enter');
  await page.getByText('10 tokens charged, 90 tokens left.').waitFor();
  const expected = await measured({ sites });
  const [{ within, beyond, no_data }] = expected.results;
  const area = page.getByRole('table', { name: 'By minutes to the nearest site' });
  expect(await area.locator('td:nth-child(2)').allTextContents()).toEqual([
    ...sumsOf(within),
    text(beyond),
    text(no_data),
  ]);
  const each = page.getByRole('table', { name: 'Each site alone' });
  expect(await each.locator('tbody td').allTextContents()).toEqual(
    expected.sites.flatMap((one: { within: Record<string, number> }) => sumsOf(one.within)),
  );
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>('axe.run(document)');
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  expect(wrong).toEqual([]);
  await context.close();
});

test('a CSV of sites and candidates is opened, measured, and saved with the best candidates', async () => {
  const { page, wrong, context } = await open();
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
  const input = page.getByLabel(/^Or a CSV file/);
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
  await page.getByRole('button', { name: /^Measure them/ }).click();
  await page.getByLabel('API key').fill(owner.key);
  await page.getByLabel('API key').press('Enter');
  const best = page.getByRole('table', { name: /^Best order to build/ });
  await best
    .or(page.getByText(/left\.$/))
    .first()
    .waitFor();
  const sent = {
    sites: [
      { ...a, id: 'north' },
      { ...b, id: 'south' },
    ],
    candidates: [
      { id: 'Main, 2', lat: b.lat, lon: b.lon },
      { id: 'x', ...middle },
    ],
    choose: 3,
  };
  const expected = await measured(sent);
  const overlap = page.getByRole('table', { name: 'Also near another site' });
  expect(await overlap.locator('tbody td').allTextContents()).toEqual(
    expected.sites.flatMap((one: { overlap: Record<string, number> }) => sumsOf(one.overlap)),
  );
  const gains = page.getByRole('table', { name: 'Each candidate would add' });
  expect(await gains.locator('tbody td').allTextContents()).toEqual(
    expected.gains.flatMap((one: { gain: Record<string, number> }) => sumsOf(one.gain)),
  );
  const chosen: { id: string; gain: number; total_within: number }[] = expected.chosen;
  expect(await best.locator('tbody tr').allTextContents()).toEqual(
    chosen.map(({ id, gain, total_within }) => id + text(gain) + text(total_within)),
  );
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV', exact: true }).click();
  const saved = await readFile(await (await saving).path(), 'utf8');
  expect(saved).toBe(await measuredAsCsv(sent));
  expect(wrong).toEqual([]);
  await context.close();
});
