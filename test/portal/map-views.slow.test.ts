import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NO_WEBGL, SOFTWARE_GL, sharedChromium } from '../support/chromium.ts';
import { openPortalSite, type PortalSite } from '../support/portal-site.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { accessFaults, cellsOf, openWatched, textsOf } from '../support/watched-page.ts';

let site: PortalSite;
/** Population of each block, by GEOID. */
const people = new Map<string, number>();
beforeAll(async () => {
  site = await openPortalSite({ chromium: NO_WEBGL });
  const release = site.proxy.releases.current;
  for (const { manifest } of release.counties) {
    const index = await release.index(manifest);
    for (let i = 0; i < index.count; i++) {
      people.set(String(index.geoids[i]).padStart(15, '0'), index.population(i) ?? 0);
    }
  }
});
afterAll(() => site?.close());

async function open(
  fragment: string,
  {
    expected = [],
    browser = site.browser,
  }: { expected?: readonly number[]; browser?: Browser } = {},
) {
  const context = await ofThisTest(browser.newContext({ viewport: { width: 960, height: 720 } }));
  return openWatched(context, `${site.address}/map${fragment}`, expected);
}

/** Presses a button with a price, with a key where the page needs one. */
async function buy(page: Page, name: RegExp, key?: string): Promise<void> {
  await page.getByRole('button', { name }).click();
  if (key === undefined) return;
  await page.getByLabel('API key').fill(key);
  await page.getByLabel('API key').press('Enter');
}

/** Opens the table of the blocks of a view, and returns the cells of its rows by GEOID. */
async function tableOf(page: Page, name: string): Promise<ReadonlyMap<string, string[]>> {
  await page.getByText(`${name} as a table`).click();
  const rows = page.getByRole('region', { name }).locator('tbody tr');
  return new Map((await cellsOf(rows)).map(([geoid, ...others]) => [geoid, others]));
}

/** Downloads a file of the blocks of a view, and returns its text. */
async function fileOf(page: Page, name: string, format: 'CSV' | 'GeoJSON'): Promise<string> {
  const button = page.locator('.view-files').getByRole('button', { name: format, exact: true });
  if (!(await button.isVisible())) await page.getByText(`Download the ${name}`).click();
  const saving = page.waitForEvent('download');
  await button.click();
  return readFile(await (await saving).path(), 'utf8');
}

/** Requests a reach from the API, and returns its minutes by GEOID. */
async function reachOf(block: string, mode: string): Promise<ReadonlyMap<string, number>> {
  const { key } = await site.proxy.customer();
  const query = `block=${block}&mode=${mode}&minutes=60&format=blocks`;
  const { blocks } = (await site.proxy.get(`/v1/isochrone?${query}`, key)).json();
  return new Map(
    blocks.map((one: { geoid: string; travel_min: number }) => [one.geoid, one.travel_min]),
  );
}

const QUIET_MS = 3_000;

/** Waits until a page has requested nothing for a while. */
async function quiet(asked: readonly string[]): Promise<void> {
  let before = -1;
  const isSame = () => {
    const same = asked.length === before;
    before = asked.length;
    return same;
  };
  await expect.poll(isSame, { interval: QUIET_MS }).toBe(true);
}

const within = (reach: ReadonlyMap<string, number>, minutes: number) =>
  [...reach].filter(([, one]) => one <= minutes).map(([geoid]) => geoid);

const peopleAt = (geoids: readonly string[]) =>
  geoids.reduce((sum, geoid) => sum + people.get(geoid)!, 0);

const text = (value: number) => value.toLocaleString('en-US');

test('a reach costs ten tokens once, and its slider sends nothing', async () => {
  const block = site.exampleBlock;
  const browser = await sharedChromium(SOFTWARE_GL);
  const fragment = `#x=1&v=reach&o=${block}&min=5`;
  const { page, asked } = await open(fragment, { browser });
  const owner = await site.proxy.customer({ tokens: 100 });
  await buy(page, /^Load the reach 10 tokens at most$/, owner.key);
  await page.getByText('10 tokens charged, 90 tokens left.').waitFor();
  const reach = await reachOf(block, 'walk');
  await page.locator('[data-drawn]').waitFor();
  await page.locator('.figure').getByText('people').waitFor();
  await quiet(asked);
  const before = asked.length;
  const slider = page.getByRole('slider');
  await slider.focus();
  const expectFigure = async (minutes: number) => {
    const blocks = within(reach, minutes);
    const expected = `${text(peopleAt(blocks))} people within ${minutes} minutes, in ${text(blocks.length)} block`;
    await expect
      .poll(async () => (await page.locator('.figure').textContent())?.replace(/s$/, ''))
      .toBe(expected);
  };
  for (const minutes of [5, 6, 7]) {
    await expectFigure(minutes);
    await slider.press('ArrowRight');
  }
  for (const minutes of [15, 20, 30, 45, 59, 60]) {
    await slider.fill(String(minutes));
    await expectFigure(minutes);
  }
  // Chromium loads the icon again whenever the address changes.
  expect(asked.slice(before).filter((url) => !url.endsWith('/favicon.svg'))).toEqual([]);
  await page.waitForURL('**min=60**');
  await slider.fill('12');
  const near = within(reach, 12);
  const rows = await tableOf(page, 'Blocks within 12 minutes');
  expect([...rows].toSorted()).toEqual(
    near.map((geoid) => [geoid, [text(people.get(geoid)!), `${reach.get(geoid)} min`]]).toSorted(),
  );
  const [, ...lines] = (await fileOf(page, 'blocks within 12 minutes', 'CSV'))
    .trimEnd()
    .split('\r\n');
  expect(lines.map((line) => line.split(',').slice(0, 6)).toSorted()).toEqual(
    near
      .map((geoid) =>
        [geoid, people.get(geoid)!, 'walk', 'from', block, reach.get(geoid)!].map(String),
      )
      .toSorted(),
  );
  const { features } = JSON.parse(await fileOf(page, 'blocks within 12 minutes', 'GeoJSON'));
  expect(features.map(({ id }: { id: string }) => id).toSorted()).toEqual(near.toSorted());
  expect(features[0].geometry.type).toBe('MultiPolygon');
  expect(await site.proxy.balance(owner.id)).toBe(90);
  expect(await accessFaults(page)).toEqual([]);
});

test('jobs and other weights in reach cost one token per row, from a block and to it', async () => {
  const block = site.exampleBlock;
  const { page } = await open(`#x=1&v=reach&o=${block}`);
  const owner = await site.proxy.customer({ tokens: 100 });
  const { key } = await site.proxy.customer();
  const tableOfWeight = (label: string) =>
    cellsOf(page.getByRole('table', { name: label, exact: true }).locator('tbody tr'));
  const counted = async (query: string) => {
    const path = `/v1/blocks/${block}/access?mode=walk&minutes=15&minutes=30&minutes=45&minutes=60`;
    const { results } = (await site.proxy.get(`${path}&${query}`, key)).json();
    return results.map((one: { minutes: number; count: number }) => [
      `${one.minutes} min`,
      text(one.count),
    ]);
  };
  await buy(page, /^Count within reach 4 tokens at most$/, owner.key);
  const jobs = await tableOfWeight('Jobs');
  expect(jobs).toEqual(await counted('of=jobs&direction=from'));
  expect(Number(jobs[3][1]?.replaceAll(',', ''))).toBeGreaterThan(0);

  await page.getByRole('radio', { name: 'To the block' }).check();
  await page.getByRole('combobox', { name: 'Count', exact: true }).selectOption('workers');
  await buy(page, /^Count within reach 4 tokens at most$/);
  expect(await tableOfWeight('Workers')).toEqual(await counted('of=workers&direction=to'));
  await page.getByText('4 tokens charged, 92 tokens left.').waitFor();
  expect(await site.proxy.balance(owner.id)).toBe(92);
  expect(await accessFaults(page)).toEqual([]);
});

test('a comparison of two modes has the people of both, and those who gain and lose', async () => {
  const block = site.exampleBlock;
  const { page } = await open(`#x=1&v=compare&o=${block}&m2=bike&min=12`);
  const owner = await site.proxy.customer({ tokens: 100 });
  await buy(page, /^Load A/, owner.key);
  await buy(page, /^Load B/);
  const sums = page.getByRole('table', { name: 'Within 12 minutes', exact: true });
  await sums.getByRole('rowheader', { name: 'people' }).waitFor();
  const [a, b] = [await reachOf(block, 'walk'), await reachOf(block, 'bike')];
  const [byA, byB] = [within(a, 12), within(b, 12)];
  const both = byA.filter((geoid) => byB.includes(geoid));
  const either = [...new Set([...byA, ...byB])];
  const sets = [byA, byB, both, either];
  expect(await textsOf(sums.locator('tbody td'))).toEqual([
    ...sets.map((blocks) => text(peopleAt(blocks))),
    ...sets.map((blocks) => text(blocks.length)),
  ]);
  const ahead = (geoid: string) =>
    (byA.includes(geoid) ? a.get(geoid)! : 999) - (byB.includes(geoid) ? b.get(geoid)! : 999);
  const gain = either.filter((geoid) => ahead(geoid) > 2);
  const lose = either.filter((geoid) => ahead(geoid) < -2);
  const same = either.filter((geoid) => Math.abs(ahead(geoid)) <= 2);
  const changes = page.getByRole('table', { name: /^Switching from A to B/ });
  expect(await textsOf(changes.locator('tbody tr').first().locator('td'))).toEqual(
    [gain, lose, same].map((blocks) => text(peopleAt(blocks))),
  );
  const rows = await tableOf(page, 'Blocks within 12 minutes');
  const minutesOf = (one: number | undefined) => (one === undefined ? 'over 60 min' : `${one} min`);
  for (const [geoid, [, ...cells]] of rows) {
    expect([geoid, cells]).toEqual([geoid, [a, b].map((reach) => minutesOf(reach.get(geoid)))]);
  }
  expect(rows.size).toBe(Math.min(either.length, 200));
  await page.getByText(/^Transit: weekday, 8 to 9 a\.m\./).waitFor({ state: 'detached' });
  await page.getByLabel('Mode of B').selectOption('transit');
  await page.getByText(/^Transit: weekday, 8 to 9 a\.m\./).waitFor();
  expect(await site.proxy.balance(owner.id)).toBe(80);
});

test('a lack of tokens is explained in words, and nothing is charged', async () => {
  const { page } = await open(`#x=1&v=reach&o=${site.exampleBlock}`, { expected: [429] });
  const poor = await site.proxy.customer({ tokens: 3 });
  await buy(page, /^Load the reach/, poor.key);
  await page.getByRole('alert').getByText('more than your balance of 3 tokens').waitFor();
  await page.getByRole('button', { name: /^Try again/ }).waitFor();
  expect(await site.proxy.balance(poor.id)).toBe(3);
});

test('search by keyboard finds a city for free, a POI for tokens, and the people who reach it', async () => {
  const browser = await sharedChromium(SOFTWARE_GL);
  const { page } = await open('#x=1&min=45', { browser });
  const owner = await site.proxy.customer({ tokens: 2_000 });
  const search = page.getByRole('combobox', { name: 'Search for an address or a place' });
  await search.fill('port mer');
  await page.getByRole('option', { name: /^Port Meridian/ }).waitFor();
  await search.press('ArrowDown');
  await search.press('Enter');
  await page.waitForURL('**map=13/**');
  await search.fill('market');
  await page.getByRole('option', { name: /“market”$/ }).waitFor();
  await search.press('ArrowUp');
  await search.press('Enter');
  await buy(page, /^Search 10 tokens at most$/, owner.key);
  await page.locator('.poi-result').first().press('Enter');
  const found = await page.locator('.poi-result').count();
  const marker = page.locator('.map-marker').first();
  await marker.press('Enter');
  await page.waitForURL('**v=catchment&**');
  const poi = Number(/[#&]p=(\d+)/.exec(page.url())![1]);
  await buy(page, /^Load the catchment 1,000 tokens at most$/);
  await page.locator('.figure').getByText('people').waitFor();
  const title = await page.getByRole('heading', { name: /^Who gets here within 30/ }).textContent();
  const said = page.getByRole('status').filter({ hasText: 'Who gets here' });
  await expect.poll(() => said.textContent()).toMatch(new RegExp(`^${title}: `));
  const { key } = await site.proxy.customer();
  const catchment = `/v1/pois/${poi}/catchment?mode=walk&limit=1000`;
  const rows: { geoid: string; travel_time: number }[] = (
    await site.proxy.get(catchment, key)
  ).json().results;
  for (const minutes of [30, 12]) {
    await page.getByRole('slider').fill(String(minutes));
    const near = rows.filter((row) => row.travel_time <= minutes).map(({ geoid }) => geoid);
    const expected = `${text(peopleAt(near))} people within ${minutes} minutes, in ${text(near.length)} blocks`;
    // The city that was found is the area, whose share follows.
    const shown = new RegExp(`^${expected}; [\\d,]+ of [\\d,]+ \\([\\d.]+%\\) in Port Meridian$`);
    await expect.poll(() => page.locator('.figure').textContent()).toMatch(shown);
  }
  const legend = page.locator('.map-panel .map-legend li');
  const classes = ['0–5 min', '5–10 min', '10–12 min', 'over 12 min'];
  await expect.poll(() => legend.allTextContents()).toEqual(classes);
  const near = rows.filter((row) => row.travel_time <= 12);
  const listed = await tableOf(page, 'Blocks within 12 minutes');
  expect([...listed].map(([geoid, [, minutes]]) => [geoid, minutes]).toSorted()).toEqual(
    near.map((row) => [row.geoid, `${row.travel_time.toFixed(1)} min`]).toSorted(),
  );
  const [, ...lines] = (await fileOf(page, 'blocks within 12 minutes', 'CSV'))
    .trimEnd()
    .split('\r\n');
  expect(lines.map((line) => line.split(',')).map((cells) => [cells[0], cells[4]])).toEqual(
    near
      .toSorted((a, b) => (a.geoid < b.geoid ? -1 : 1))
      .map((row) => [row.geoid, String(row.travel_time)]),
  );
  expect(await site.proxy.balance(owner.id)).toBe(2_000 - found - rows.length);
});

test('a link to sites of a type reads the bands of that type, and of no other', async () => {
  const { archives } = (await site.proxy.get('/v1/meta/tiles')).json();
  const bandsOf = (type: number): string =>
    archives.find(
      (one: { layer: string; mode: string; dest_type_id: number }) =>
        one.layer === 'bands' && one.mode === 'walk' && one.dest_type_id === type,
    ).url;
  const browser = await sharedChromium(SOFTWARE_GL);
  const context = await ofThisTest(browser.newContext({ viewport: { width: 960, height: 720 } }));
  const read = new Set<string>();
  context.on('request', (request) => read.add(request.url()));
  const { page } = await openWatched(context, `${site.address}/map#x=1&v=sites&a=99003&qt=601`);
  await page.locator('[data-drawn]').waitFor();
  expect(read).toContain(bandsOf(601));
  expect(read).not.toContain(bandsOf(101));
});

test('a place that is clicked on the map is the one whose catchment is offered', async () => {
  const { key } = await site.proxy.customer();
  const [{ dest_id, lat, lon, name }] = (
    await site.proxy.get('/v1/pois?lat=36&lon=-70&radius_m=5000&type=601&limit=1', key)
  ).json().results;
  const browser = await sharedChromium(SOFTWARE_GL);
  const { page } = await open(`#x=1&v=catchment&t=601&map=16/${lat}/${lon}`, {
    browser,
  });
  await page.locator('[data-drawn]').waitFor();
  await page.locator('.map-canvas').click();
  await page.waitForURL(`**p=${dest_id}`);
  await page.locator('section.view').getByText(name, { exact: true }).waitFor();
  await page.getByRole('button', { name: /^Load the catchment/ }).waitFor();
});

test('the groups of a chosen area have the shares that the API has', async () => {
  const { page } = await open('#x=1&a=9957600');
  const owner = await site.proxy.customer({ tokens: 100 });
  await buy(page, /^By group in Port Meridian/, owner.key);
  const table = page.getByRole('table', { name: /by group$/ });
  const { key } = await site.proxy.customer();
  const by = ['hispanic', 'workers_low_wage'];
  const asked = { area: { places: ['9957600'] }, mode: ['walk'], type: [101], by };
  const { results } = (await site.proxy.post('/v1/coverage', key, asked)).json();
  const rows = (await cellsOf(table.locator('tbody tr'))).map(([, ...cells]) => cells);
  for (const { total, share } of results) {
    expect(rows).toContainEqual([text(total), `${Math.round(100 * share[15])}%`]);
  }
  await page.getByText(/reliable in places of 200 to 249 people/).waitFor();
});
