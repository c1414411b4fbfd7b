import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CountyBlock } from '../../shards/units.ts';
import { NO_WEBGL } from '../support/chromium.ts';
import { openPortalSite, type PortalSite } from '../support/portal-site.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { accessFaults, openWatched } from '../support/watched-page.ts';

let site: PortalSite;
beforeAll(async () => {
  site = await openPortalSite({ chromium: NO_WEBGL });
});
afterAll(() => site?.close());

async function open(path: string, expected: readonly number[] = []) {
  const context = await ofThisTest(
    site.browser.newContext({ viewport: { width: 1280, height: 900 } }),
  );
  return { context, ...(await openWatched(context, site.address + path, expected)) };
}

interface Block {
  readonly geoid: string;
  readonly lat: number;
  readonly lon: number;
  readonly people: number;
}

/** A block with a street near on foot, and one without. */
async function blocksOnFoot(): Promise<{ readonly linked: Block; readonly unlinked: Block }> {
  const release = site.proxy.releases.current;
  const index = await release.index(release.counties[0].manifest);
  const blocks = Array.from(index.geoids, (geoid, i) => ({
    geoid: String(geoid),
    lat: index.lat[i] / 1e6,
    lon: index.lon[i] / 1e6,
    people: index.population(i as CountyBlock) ?? 0,
    isLinked: index.link(i as CountyBlock, 'walk').status === 'linked',
  }));
  const of = (wanted: boolean) => blocks.find(({ isLinked }) => isLinked === wanted)!;
  return { linked: of(true), unlinked: of(false) };
}

/** Types the key of a new customer into the page's field for a key. */
async function enterKey(page: Page, tokens = 1_000): Promise<void> {
  const { key } = await site.proxy.customer({ tokens });
  await page.getByLabel('API key').fill(key);
  await page.getByLabel('API key').press('Enter');
}

test('each view with transit times states their percentile, and so does a frame', async () => {
  const block = site.exampleBlock;
  const views = [
    'v=nearest',
    'v=sites',
    `v=reach&o=${block}`,
    'v=catchment',
    'v=basket&k=transit-101-15',
  ];
  for (const path of [
    ...views.map((view) => `/map#x=1&m=transit&${view}`),
    '/embed#x=1&m=transit',
  ]) {
    const { page, context } = await open(path);
    await page.getByText(/^Transit: weekday, 8 to 9 a\.m\./).waitFor();
    await context.close();
  }
  const { page } = await open(`/map#x=1&m=walk&b=${block}`);
  await page.getByRole('button', { name: /^Exact minutes and names/ }).click();
  await enterKey(page);
  await page
    .locator('.profile')
    .getByText(/^Transit: weekday, 8 to 9 a\.m\./)
    .waitFor();
});

test('the focus stays where a button with a price was', async () => {
  const { page } = await open(`/map#x=1&v=reach&o=${site.exampleBlock}`, [429]);
  const focused = (selector: string) => page.locator(`${selector}:focus`).waitFor();
  await page.getByRole('button', { name: /^Load the reach/ }).press('Enter');
  await enterKey(page, 13);
  await page.getByText('10 tokens charged').waitFor();
  await focused('.paid:has(.figure)');
  await page.keyboard.press('Tab');
  await focused('.minutes-slider input');
  // The request is refused, since three tokens are left.
  await page.getByRole('button', { name: /^Count within reach/ }).press('Enter');
  await page.getByRole('button', { name: /^Try again/ }).waitFor();
  await focused('.opportunities .paid');
  await page.keyboard.press('Tab');
  await focused('.paid-button');
  expect(await accessFaults(page)).toEqual([]);
});

test('sites that are left out are named, each with the reason', async () => {
  const { linked, unlinked } = await blocksOnFoot();
  const at = ({ lat, lon }: Block) => `${lat},${lon}`;
  const sites = [`${at(linked)},1`, `${at(unlinked)},Mill%2520Lane`, '10,10,Clinic%252C%2520North'];
  const { page } = await open(`/map#x=1&v=sites&q=${sites.join(';')}`);
  await page.getByRole('button', { name: /^Count people/ }).click();
  await enterKey(page);
  const each = page.getByRole('table', { name: /^Near each site/ });
  await each.getByRole('row', { name: 'Clinic, North outside the data' }).waitFor();
  await each.getByRole('row', { name: 'Mill Lane cannot be routed' }).waitFor();
});

test('without a street near, a reach is refused free of charge, and no count is offered', async () => {
  const { unlinked } = await blocksOnFoot();
  const { page } = await open(`/map#x=1&v=reach&o=${unlinked.geoid}`, [404]);
  const owner = await site.proxy.customer({ tokens: 100 });
  await page.getByRole('button', { name: /^Count within reach/ }).waitFor();
  await page.getByRole('button', { name: /^Load the reach/ }).click();
  await page.getByLabel('API key').fill(owner.key);
  await page.getByLabel('API key').press('Enter');
  await page.getByRole('alert').getByText('Nothing charged.').waitFor();
  await page.getByRole('button', { name: /^Count within reach/ }).waitFor({ state: 'detached' });
  expect(await site.proxy.balance(owner.id)).toBe(100);
});

test('a map far from its reach explains why people are missing, and shows them once it is near', async () => {
  const fragment = `#x=1&v=reach&o=${site.exampleBlock}`;
  const { page } = await open(`/map${fragment}&map=12/10/10`);
  await page.getByRole('button', { name: /^Load the reach/ }).click();
  await enterKey(page);
  await page.getByText(/more than a degree away/).waitFor();
  await page.evaluate(`location.hash = '${fragment}&map=12/36.1/-70.2'`);
  await page
    .locator('.figure')
    .getByText(/people/)
    .waitFor();
  await page.getByText(/more than a degree away/).waitFor({ state: 'detached' });
});

test('a link shows the people of its block, and the name of its POI once its rows are loaded', async () => {
  const { linked } = await blocksOnFoot();
  const { key } = await site.proxy.customer();
  const near = `lat=${linked.lat}&lon=${linked.lon}&radius_m=25000&type=101&limit=1`;
  const [{ dest_id, name }] = (await site.proxy.get(`/v1/pois?${near}`, key)).json().results;
  const { page } = await open(`/map#x=1&v=catchment&p=${dest_id}&b=${linked.geoid}`);
  const people = page.locator('.block-facts div').filter({ hasText: 'People' }).locator('dd');
  await expect.poll(() => people.textContent()).toBe(linked.people.toLocaleString('en-US'));
  await page.getByText(`POI ${dest_id}`, { exact: true }).waitFor();
  await page.getByRole('button', { name: /^Load the catchment/ }).click();
  await enterKey(page);
  await page.locator('.view').getByText(name, { exact: true }).waitFor();
});
