import { afterAll, beforeAll, expect, test } from 'vitest';
import { NO_WEBGL, SOFTWARE_GL, sharedChromium } from '../support/chromium.ts';
import { openPortalSite, type PortalSite } from '../support/portal-site.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { accessFaults, blocksInView, openWatched, textsOf } from '../support/watched-page.ts';

/** The counties of the demo city, which the first view shows whole. */
const COUNTIES = ['99001', '99003'];
const CRITERIA = [
  { mode: 'walk', type: 101, max_minutes: 10 },
  { mode: 'bike', type: 601, max_minutes: 5 },
  { mode: 'transit', type: 511, max_minutes: 15 },
];
const FRAGMENT = `#x=1&v=basket&k=${CRITERIA.map(({ mode, type, max_minutes }) => `${mode}-${type}-${max_minutes}`)}`;

let site: PortalSite;
beforeAll(async () => {
  site = await openPortalSite({ chromium: NO_WEBGL });
});
afterAll(() => site?.close());

async function open(fragment: string, browser = site.browser) {
  const context = await ofThisTest(browser.newContext({ viewport: { width: 960, height: 720 } }));
  return { context, ...(await openWatched(context, `${site.address}/map${fragment}`)) };
}

/** Requests the basket of an area from the API. */
async function exact(area: object) {
  const { key } = await site.proxy.customer();
  const body = { area, all_of: CRITERIA };
  return (await site.proxy.post('/v1/coverage', key, body)).json().basket;
}

const text = (people: number) => people.toLocaleString('en-US');

test('a basket is coloured and counted for free, with the counts that cost tokens at the API', async () => {
  const drawing = await sharedChromium(SOFTWARE_GL);
  const { page, asked } = await open(`${FRAGMENT}&c=met`, drawing);
  await page.locator('[data-drawn]').waitFor();
  const { total, met, no_data } = await exact({ counties: COUNTIES });
  const legend = page.getByRole('table', { name: /^People in view by the number/ });
  const people = () => legend.locator('tbody td:nth-child(2)').allTextContents();
  await expect.poll(people).toEqual([...met.toReversed(), no_data].map(text));
  const share = Math.round((met[3] / total) * 100);
  const said = page.getByText(`${share}% of ${text(total)} people in view have all 3.`);
  await said.waitFor();
  const lines = await blocksInView(page);
  const inFile = met.map(() => 0);
  for (const line of lines.slice(1)) {
    const [, population, count] = line.split(',');
    if (count !== '') inFile[Number(count)] += Number(population);
  }
  expect(inFile).toEqual(met);
  // Nothing metered was requested.
  expect(asked.filter((url) => /\/v1\/(coverage|blocks|isochrone\?)/.test(url))).toEqual([]);
  expect(await accessFaults(page)).toEqual([]);

  await page.getByRole('heading', { name: /^Exact totals: \w+ County, XA$/ }).waitFor();
  // For tokens, a county is counted exactly, with the people who miss one criterion only.
  const owner = await site.proxy.customer({ tokens: 100 });
  const [types, modes] = (['type', 'mode'] as const).map((member) => [
    ...new Set(CRITERIA.map((criterion) => criterion[member])),
  ]);
  const price = 10 + types.length * modes.length;
  await page.getByRole('button', { name: `Exact shares ${price} tokens at most` }).click();
  await page.getByLabel('API key').fill(owner.key);
  await page.getByLabel('API key').press('Enter');
  await page.getByText(`${price} tokens charged, ${100 - price} tokens left.`).waitFor();
  const county = await exact({ counties: COUNTIES.slice(0, 1) });
  // The people of each criterion are shown too, from the rows that are charged beside the basket.
  const { key } = await site.proxy.customer();
  const near = await Promise.all(
    CRITERIA.map(async ({ mode, type, max_minutes }) => {
      const body = { area: { counties: COUNTIES.slice(0, 1) }, mode: [mode], type: [type] };
      const [row] = (await site.proxy.post('/v1/coverage', key, body)).json().results;
      return row.within[max_minutes];
    }),
  );
  const exactTable = page.getByRole('table').filter({ hasText: 'not known' });
  expect(await textsOf(exactTable.locator('tbody td:nth-child(2)'))).toEqual(
    [...county.met.toReversed(), county.no_data].map(text),
  );
  const each = page.getByRole('table').filter({ hasText: 'Lack it only' });
  expect(await textsOf(each.locator('td:nth-child(2)'))).toEqual(near.map(text));
  expect(await textsOf(each.locator('td:nth-child(4)'))).toEqual(county.missing_only.map(text));

  // A city is chosen by the search.
  await page.getByRole('combobox', { name: /^Search/ }).fill('port mer');
  await page.getByRole('option', { name: /^Port Meridian/ }).click();
  await page.waitForURL(/a=9957600/);
  await page.getByRole('heading', { name: 'Exact totals: Port Meridian' }).waitFor();
  await page.getByRole('button', { name: /^Exact shares/ }).click();
  await page.getByText(`${price} tokens charged, ${100 - 2 * price} tokens left.`).waitFor();
  const city = await exact({ places: ['9957600'] });
  const figures = [...city.met.toReversed(), city.no_data].map(text);
  await expect
    .poll(() => exactTable.locator('tbody td:nth-child(2)').allTextContents())
    .toEqual(figures);
  // The legend has the people of the city beside those in view.
  await expect
    .poll(() => legend.locator('tbody td:nth-child(3)').allTextContents())
    .toEqual(figures);
});

test('who has the only criterion of a basket is said without a number, in view and exactly', async () => {
  const { page } = await open('#x=1&v=basket&k=walk-101-10');
  await page.getByText(/% of [\d,]+ people in view have it\.$/).waitFor();
  const { key } = await site.proxy.customer({ tokens: 100 });
  await page.getByRole('button', { name: /^Exact shares/ }).click();
  await page.getByLabel('API key').fill(key);
  await page.getByLabel('API key').press('Enter');
  expect(await page.locator('.figure').textContent()).toMatch(/^\d+% of [\d,]+ people have it$/);
});

test('on a phone the panel scrolls, and the page does not', async () => {
  const { page } = await open(`${FRAGMENT}&c=met`);
  await page.setViewportSize({ width: 375, height: 812 });
  await page.getByText('Blocks in view as a table').waitFor();
  expect(await textsOf(page.locator('.map-key span'))).toEqual(['all 3', '2 of 3', '1 of 3']);
  const heightOf = (selector: string) =>
    page.locator(selector).evaluate(({ scrollHeight }) => scrollHeight);
  await expect.poll(() => heightOf('.map-panel-body')).toBeGreaterThan(812);
  expect(await heightOf('html')).toBe(812);
});

test('criteria are changed by keyboard, and the address restores them', async () => {
  const { page, context } = await open(FRAGMENT);
  await page.getByRole('button', { name: 'Remove criterion 2' }).press('Enter');
  await page.getByRole('button', { name: 'Add a criterion' }).press('Enter');
  const third = page.getByRole('group', { name: 'Criterion 3' });
  await third.getByLabel('Minutes').selectOption('30');
  await third.getByLabel('Mode').selectOption('bike');
  await page.waitForURL(/k=walk-101-10,transit-511-15,bike-\d+-30/);
  const second = await openWatched(context, page.url());
  const sums = [page, second.page].map((one) => one.locator('.people-sum'));
  await expect
    .poll(() => Promise.all(sums.map((sum) => sum.textContent())))
    .toSatisfy(([said, restored]) => said === restored && /have all 3\./.test(said));
});

test('a basket that is opened before the first colours are read has its people and its picture', async () => {
  const { archives } = (await site.proxy.get('/v1/meta/tiles')).json();
  const { url } = archives.find(
    (one: { layer: string; mode: string; dest_type_id: number }) =>
      one.layer === 'bands' && one.mode === 'walk' && one.dest_type_id === 101,
  );
  const context = await ofThisTest(
    site.browser.newContext({ viewport: { width: 960, height: 720 } }),
  );
  // The line never brings them.
  await context.route(url, () => {});
  const page = await context.newPage();
  await page.goto(`${site.address}/map`, { waitUntil: 'commit' });
  await page.getByText('Loading the map …').waitFor();
  await page.getByRole('radio', { name: 'Basket' }).check();
  await page.getByText(/people in view have all/).waitFor();
  await page.getByRole('img', { name: 'Map of travel times' }).waitFor();
});

test('a map whose graphics were taken away has its colours again, as chosen meanwhile', async () => {
  const drawing = await sharedChromium(SOFTWARE_GL);
  const { page, wrong } = await open(FRAGMENT, drawing);
  await page.locator('[data-drawn^="basket furthest"]').waitFor();
  const act = (how: 'loseContext' | 'restoreContext') =>
    page.evaluate(`
      window.graphics ??= document.querySelector('canvas').getContext('webgl2')
        .getExtension('WEBGL_lose_context');
      graphics.${how}()`);
  const colourBy = (name: string) => page.getByRole('radio', { name }).check();
  const picture = () => page.locator('.map-canvas').screenshot();
  await colourBy('How many');
  await page.locator('[data-drawn^="basket met"]').waitFor();
  const before = await picture();
  await colourBy('The furthest');
  await page.locator('[data-drawn^="basket furthest"]').waitFor();
  await act('loseContext');
  await colourBy('How many');
  await act('restoreContext');
  await expect.poll(async () => (await picture()).equals(before)).toBe(true);
  expect(wrong.splice(0).filter((text) => !text.includes('CONTEXT_LOST_WEBGL'))).toEqual([]);
});
