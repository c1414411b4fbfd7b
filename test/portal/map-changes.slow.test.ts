import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { ComparedCounty } from '../../shards/changes/compared-county.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { NO_WEBGL, SOFTWARE_GL, sharedChromium } from '../support/chromium.ts';
import { openPortalSite, type PortalSite } from '../support/portal-site.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { accessFaults, blocksInView, cellsOf, openWatched } from '../support/watched-page.ts';
import { windowedDemo } from '../support/windowed-demo.ts';

/** The counties of the demo city, which the first view shows whole. */
const COUNTIES = ['99001', '99003'];
const LIBRARIES = 601;
const FRAGMENT = `#x=1&v=changes&m=walk&t=${LIBRARIES}`;

let site: PortalSite;
/** The versions of the releases, the current one first. */
let versions: string[];
beforeAll(async () => {
  const store = await windowedDemo(inject('demoCity'));
  site = await openPortalSite({ chromium: NO_WEBGL, store });
  const { releases } = (await site.proxy.get('/v1/meta/releases')).json();
  versions = releases.map((one: { version: string }) => one.version);
}, 480_000);
afterAll(() => site?.close());

async function open(fragment: string, browser = site.browser, of = site) {
  const context = await ofThisTest(browser.newContext({ viewport: { width: 1280, height: 900 } }));
  return openWatched(context, `${of.address}/map${fragment}`);
}

interface Change {
  readonly was: number;
  readonly is: number;
  readonly people: number;
}

/** Minutes to the nearest library before and after, by block, from the stored times; 0: beyond. */
async function changesByBlock(): Promise<ReadonlyMap<string, Change>> {
  const [after, before] = await Promise.all(
    versions.map((version) => site.proxy.releases.find(version)),
  );
  const found = new Map<string, Change>();
  for (const fips of COUNTIES) {
    const county = await ComparedCounty.open({ before, after }, fips);
    const people = await county.weights('people');
    const measure = { kind: 'minutes', type: LIBRARIES, mode: 'walk' } as const;
    for await (const values of county.values([measure])) {
      for (let i = 0; i < county.count; i++) {
        const [was, is] = [values.before[i] / 10, values.after[i] / 10];
        found.set(geoidFromNumber(county.geoids[i]), { was, is, people: people[i] });
      }
    }
  }
  return found;
}

/** The label that a change should have. */
function labelOf({ was, is }: Change): string {
  if (was < 0 || is < 0) return 'not known';
  if (was === 0) return is === 0 ? 'stays over 30' : 'now within 30';
  if (is === 0) return 'now over 30';
  const steps = Math.ceil(was / 5) - Math.ceil(is / 5);
  if (steps === 0) return 'same';
  const way = steps > 0 ? 'sooner' : 'later';
  return Math.abs(steps) === 1 ? `${way} by 1` : `${way} by 2+`;
}

const numberOf = (text: string) => Number(text.replaceAll(',', ''));

async function legendOf(page: Page): Promise<Record<string, number>> {
  const texts = await cellsOf(page.locator('.people-legend tbody tr:has(td)'));
  return Object.fromEntries(texts.map(([label, people]) => [label, numberOf(people)]));
}

test('the releases of a store are listed, and the bands of each are public', async () => {
  const { releases } = (await site.proxy.get('/v1/meta/releases')).json();
  expect(releases.map((one: { release: string }) => one.release)).toEqual(['after', 'before']);
  expect(releases[0].version).toBe(site.proxy.releases.current.version);
  for (const { published_at } of releases) expect(Date.parse(published_at)).toBeGreaterThan(0);
  expect((await site.proxy.get('/v1/meta/releases?limit=1')).json().releases).toEqual([
    releases[0],
  ]);
  const bands = async (query: string) => site.proxy.get(`/v1/meta/block-bands${query}`);
  const before = (await bands(`?release=${releases[1].version}`)).json();
  expect(before.release).toBe('before');
  const now = (await bands('')).json();
  expect(before.counties[0].url).not.toBe(now.counties[0].url);
  const name = new URL(before.counties[0].url).pathname;
  expect((await site.proxy.get(name)).statusCode).toBe(200);
  const unknown = await bands('?release=never');
  expect(unknown.statusCode).toBe(400);
  expect(unknown.json().errors).toEqual([
    {
      loc: ['query', 'release'],
      msg: expect.stringMatching(/^this store has no release "never"; it has .*before-/),
      type: 'unknown_release',
    },
  ]);
});

test('blocks are coloured and people counted for free by how their minutes changed', async () => {
  const drawing = await sharedChromium(SOFTWARE_GL);
  const { page, asked } = await open(FRAGMENT, drawing);
  await page.waitForURL(new RegExp(`&r1=${versions[1]}&r2=${versions[0]}`));
  await page.locator(`[data-drawn^="changes ${versions[1]} ${versions[0]} walk"]`).waitFor();
  const people: Record<string, number> = {};
  let [all, sooner] = [0, 0];
  for (const change of (await changesByBlock()).values()) {
    const label = labelOf(change);
    people[label] = (people[label] ?? 0) + change.people;
    all += change.people;
    if (/^sooner|^now within/.test(label)) sooner += change.people;
  }
  expect(sooner).toBeGreaterThan(1_000);
  const some = (sums: Record<string, number>) =>
    Object.entries(sums)
      .filter(([, sum]) => sum !== 0)
      .toSorted();
  await expect.poll(async () => some(await legendOf(page))).toEqual(some(people));
  const text = (sum: number) => sum.toLocaleString('en-US');
  await page.getByText(`Of ${text(all)} people in view, ${text(sooner)} (`).waitFor();
  await page.getByRole('combobox', { name: 'Before' }).selectOption(versions[0]);
  await page.getByText('none get to a library in another class of minutes').waitFor();
  expect(asked.filter((url) => /\/v1\/(changes|coverage|blocks|isochrone\?)/.test(url))).toEqual(
    [],
  );
  expect(await accessFaults(page)).toEqual([]);
});

test('a file has the classes of both releases, and exact sums are those of the API', async () => {
  const { page } = await open(`${FRAGMENT}&r1=${versions[1]}&r2=${versions[0]}&a=99003`);
  const lines = await blocksInView(page);
  const names = lines[0].split(',');
  const changes = await changesByBlock();
  const toOf = (minutes: number) => (minutes <= 0 ? '' : String(5 * Math.ceil(minutes / 5)));
  for (const line of lines.slice(1)) {
    const row = Object.fromEntries(line.split(',').map((cell, i) => [names[i], cell]));
    const { was, is } = changes.get(row.geoid)!;
    expect([row.geoid, row.before_to, row.after_to]).toEqual([row.geoid, toOf(was), toOf(is)]);
    expect([row.before, row.after]).toEqual([versions[1], versions[0]]);
  }
  expect(lines.length).toBeGreaterThan(300);
  await page.locator('summary', { hasText: 'Share' }).click();
  const code = page.locator('.request-code pre').first();
  await expect.poll(() => code.textContent()).toContain('/v1/changes');
  expect(await code.textContent()).toContain(versions[1]);
  const { key } = await site.proxy.customer();
  await page.getByRole('button', { name: /^Who gains, who loses/ }).click();
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Continue with this key' }).click();
  const body = {
    from: versions[1],
    to: versions[0],
    area: { counties: ['99003'] },
    mode: ['walk'],
    type: [LIBRARIES],
  };
  const [row] = (await site.proxy.post('/v1/changes', key, body)).json().results;
  const table = page.getByRole('table', {
    name: `Libraries: ${row.total.toLocaleString('en-US')} people`,
  });
  const cells = await cellsOf(table.locator('tbody tr'));
  const figures = cells.map(([, ...one]) => one.map((cell) => numberOf(cell.replace(/ .*/, ''))));
  expect(figures).toEqual(['1', '2', '5', '10'].map((step) => [row.gained[step], row.lost[step]]));
});

test('a link to a release that is gone says so, and a store with one release offers no changes', async () => {
  const gone = await open(`${FRAGMENT}&r1=gone-000000000000&r2=${versions[0]}`);
  await gone.page.getByText('gone-000000000000 is no longer in the store').waitFor();
  // The browser notes the refused request.
  gone.wrong.splice(0);
  const plain = await ofThisTest(openPortalSite({ chromium: NO_WEBGL }));
  const alone = await open('#x=1', plain.browser, plain);
  await alone.page.getByRole('radio', { name: 'Sites' }).waitFor();
  expect(await alone.page.getByRole('radio', { name: 'Changes' }).count()).toBe(0);
  expect(alone.asked.filter((url) => url.includes('/meta/releases'))).toEqual([]);
  const linked = await open(FRAGMENT, plain.browser, plain);
  await linked.page.getByText('There is no other release to compare with.').waitFor();
});
