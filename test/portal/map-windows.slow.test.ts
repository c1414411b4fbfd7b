import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { NO_WEBGL, SOFTWARE_GL, sharedChromium } from '../support/chromium.ts';
import { openPortalSite, type PortalSite } from '../support/portal-site.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { accessFaults, openWatched, savedFile, textsOf } from '../support/watched-page.ts';
import { windowedDemo } from '../support/windowed-demo.ts';

/** The counties of the demo city, which the first view shows whole. */
const COUNTIES = ['99001', '99003'];
const TIMES = { departure: 'saturday', percentile: 50 };
const CHOSEN = { departure: 'saturday', percentile: '50' };
const QUERY = new URLSearchParams(CHOSEN).toString();
const WORDS = 'Saturday 11:00–12:00, typical departure (median)';
/** The library is a type whose times by transit differ between the windows. */
const NEAREST = '#x=1&m=transit&t=601';

let site: PortalSite;
beforeAll(async () => {
  const store = await windowedDemo(inject('demoCity'));
  site = await openPortalSite({ chromium: NO_WEBGL, store });
}, 480_000);
afterAll(() => site?.close());

async function open(fragment: string, path = '/map', browser = site.browser, of = site) {
  const context = await ofThisTest(browser.newContext({ viewport: { width: 1280, height: 900 } }));
  return openWatched(context, `${of.address}${path}${fragment}`);
}

async function choose(page: Page) {
  await page.getByRole('combobox', { name: 'Transit departs' }).selectOption('saturday');
  await page.getByRole('combobox', { name: 'Time of' }).selectOption('50');
}

/** People of the counties within some minutes of a library, by the API. */
async function within(times: object, minutes: number): Promise<number> {
  const { key } = await site.proxy.customer();
  const body = { area: { counties: COUNTIES }, mode: ['transit'], type: [601], ...times };
  const [row] = (await site.proxy.post('/v1/coverage', key, body)).json().results;
  return row.within[minutes];
}

/** The window and the percentile that a request names. */
function timesOf(url: string) {
  const { searchParams } = new URL(url);
  const percentile = Number(searchParams.get('percentile'));
  return { departure: searchParams.get('departure'), percentile };
}

const numberOf = (text: string) => Number(text.replaceAll(',', ''));

/** The people of the legend in its first classes of five minutes. */
async function peopleWithin(page: Page, minutes: number): Promise<number> {
  const cells = await textsOf(page.locator('.people-legend tbody .people-count'));
  return cells.slice(0, minutes / 5).reduce((sum, text) => sum + numberOf(text), 0);
}

test('the switch changes the colours, the counts, the words and the address', async () => {
  const drawing = await sharedChromium(SOFTWARE_GL);
  const { page, asked } = await open(NEAREST, '/map', drawing);
  await page.locator('[data-drawn]').waitFor();
  const [am, saturday] = [await within({}, 15), await within(TIMES, 15)];
  expect(saturday).not.toBe(am);
  await expect.poll(() => peopleWithin(page, 15)).toBe(am);
  await page.getByText('Transit: Weekday 8:00–9:00, fast departure (10th percentile)').waitFor();
  await choose(page);
  await page.waitForURL(/#x=1&m=transit&h=saturday-50&t=601/);
  await page.getByText(`Transit: ${WORDS}, door to door. 50% of departures`).waitFor();
  await expect.poll(() => peopleWithin(page, 15)).toBe(saturday);
  const archives = (await site.proxy.get('/v1/meta/tiles')).json().archives;
  const { url } = archives.find(
    (one: Record<string, unknown>) =>
      one.departure === 'saturday' && one.percentile === 50 && one.dest_type_id === 601,
  );
  await page.locator(`[data-drawn*="${url}"]`).waitFor();
  // On foot there is one time at all hours, and nothing to choose.
  await page.getByRole('combobox', { name: 'Mode' }).selectOption('walk');
  await expect.poll(() => page.getByRole('combobox', { name: 'Transit departs' }).count()).toBe(0);
  await page.getByRole('combobox', { name: 'Mode' }).selectOption('transit');
  await page.getByText(`Transit: ${WORDS}`).waitFor();
  expect(await accessFaults(page)).toEqual([]);
  // Nothing metered was requested.
  expect(asked.filter((url) => /\/v1\/(coverage|blocks|isochrone\?)/.test(url))).toEqual([]);
});

test('each view by transit is of the chosen window, and so are its files, pictures and code', async () => {
  const { page } = await open(`${NEAREST}&h=saturday-50&b=${site.exampleBlock}`);
  await page.getByText('Download the blocks in view').click();
  const csv = await savedFile(page, 'CSV');
  expect(csv.name).toBe('transit-601-saturday-50-after.csv');
  expect(String(csv.bytes)).toMatch(
    /^geoid,population,mode,dest_type_id,departure,percentile,.*\r\n.*,transit,601,saturday,50,/,
  );
  await page.locator('summary', { hasText: 'Share' }).click();
  /** The parameters of the first request in the code. */
  const asked = async () => {
    const code = await page.locator('.request-code pre').first().textContent();
    const [url] = /http[^']+/.exec(code ?? '') ?? [];
    return url === undefined ? null : Object.fromEntries(new URL(url).searchParams);
  };
  await expect.poll(asked).toMatchObject({ ...CHOSEN, type: '601' });
  const svg = String((await savedFile(page, 'SVG')).bytes);
  expect(svg).toContain(`Transit time to the nearest library; ${WORDS}</title>`);
  expect(svg).toContain('50% of departures are at least');
  await page.getByRole('radio', { name: 'Access' }).check();
  await page.getByText(`Transit: ${WORDS}`).waitFor();
  await expect.poll(asked).toMatchObject(CHOSEN);
  await page.getByRole('radio', { name: 'Reach' }).check();
  await expect.poll(() => page.locator('.request-code').count()).toBe(0);
  await page.getByRole('button', { name: 'Reach from here' }).click();
  await expect.poll(asked).toMatchObject({ ...CHOSEN, mode: 'transit' });
  await page.getByRole('radio', { name: 'Compare' }).check();
  await page.getByRole('combobox', { name: 'B: Transit departs' }).selectOption('am');
  await page.waitForURL(/h2=am-10/);
  const codes = page.locator('.request-code pre');
  await expect.poll(() => codes.nth(1).textContent()).not.toContain('departure');
  expect(await asked()).toMatchObject(CHOSEN);
  await page.getByRole('button', { name: /^Load A/ }).waitFor();
});

test('what is paid for is of the chosen window too: exact minutes, reach, shares', async () => {
  const { key } = await site.proxy.customer({ tokens: 10_000 });
  const { page, asked } = await open(
    `${NEAREST}&h=saturday-50&b=${site.exampleBlock}&o=${site.exampleBlock}`,
  );
  const exact = page.getByRole('button', { name: /^Exact minutes and names/ });
  await exact.click();
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Continue with this key' }).click();
  await page
    .getByText(/tokens? charged/)
    .first()
    .waitFor();
  const summaries = () => asked.filter((url) => url.includes('/summary?'));
  expect(summaries().length).toBeGreaterThan(0);
  for (const url of summaries()) expect(timesOf(url)).toEqual(TIMES);
  const summary = await site.proxy.get(
    `/v1/blocks/${site.exampleBlock}/summary?mode=transit&type=101&${QUERY}`,
    key,
  );
  const [row] = summary.json().results;
  const shown = page.locator('.profile-type', { has: page.getByText('Grocery stores') });
  await expect
    .poll(() => shown.locator('.bar-transit').textContent())
    .toContain(`${row.travel_time.toFixed(1)} min`);
  await page.getByRole('radio', { name: 'Reach' }).check();
  await page.getByRole('button', { name: /^Load the reach/ }).click();
  await page.locator('.figure strong').waitFor();
  const reaches = asked.filter((url) => url.includes('/isochrone?'));
  expect(reaches.map(timesOf)).toEqual([TIMES]);
});

test('an embedded map says which window it shows; one that the release lacks is told', async () => {
  const { page } = await open(`${NEAREST}&h=saturday-50`, '/embed');
  await page.getByRole('heading', { name: 'Transit time to the nearest library' }).waitFor();
  expect(await page.title()).toBe(`Transit time to the nearest library; ${WORDS}`);
  await page.getByText(`Transit: ${WORDS}, door to door.`).waitFor();
  const lacking = await open(`${NEAREST}&h=midday-10`);
  await lacking.page.getByText(/has a window of departures that this release lacks/).waitFor();
});

test('a release with one window has no switch, and asks for nothing more', async () => {
  const plain = await ofThisTest(openPortalSite({ chromium: NO_WEBGL }));
  const { page, asked } = await open(NEAREST, '/map', plain.browser, plain);
  await page.getByText('Transit: weekday, 8 to 9 a.m., door to door.').waitFor();
  expect(await page.getByRole('combobox', { name: 'Transit departs' }).count()).toBe(0);
  expect(asked.filter((url) => url.includes('/isochrone/meta'))).toEqual([]);
});

test.each([360, 768, 1280])(
  'choices of modes and departures are not cut, %d wide',
  async (width) => {
    const { page } = await open(`#x=1&v=compare&m=transit&m2=transit&o=${site.exampleBlock}`);
    await page.setViewportSize({ width, height: 900 });
    const choices = page.locator('.side select');
    await expect.poll(() => choices.count()).toBe(6);
    const cut = await choices.evaluateAll((all) =>
      all
        .filter((select) => {
          const { offsetWidth } = select;
          select.style.cssText = 'field-sizing: content; width: max-content; max-width: none';
          const whole = select.offsetWidth;
          select.style.cssText = '';
          return whole > offsetWidth;
        })
        .map((select) => select.parentElement?.textContent),
    );
    expect(cut).toEqual([]);
  },
);
