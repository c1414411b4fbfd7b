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

async function open(fragment: string, expected: readonly number[] = []) {
  const context = await site.browser.newContext({ viewport: { width: 1280, height: 900 } });
  return { context, ...(await openWatched(context, `${site.address}/map${fragment}`, expected)) };
}

/** Presses a button with a price, with a key where the page needs one. */
async function buy(page: Page, name: RegExp, key?: string): Promise<void> {
  await page.getByRole('button', { name }).click();
  if (key === undefined) return;
  await page.getByLabel('API key').fill(key);
  await page.getByLabel('API key').press('Enter');
}

/** Minutes by GEOID, as the API gives them. */
async function reachOf(block: string, mode: string): Promise<ReadonlyMap<string, number>> {
  const { key } = await site.proxy.customer();
  const query = `block=${block}&mode=${mode}&minutes=60&format=blocks`;
  const { blocks } = (await site.proxy.get(`/v1/isochrone?${query}`, key)).json();
  return new Map(
    blocks.map((one: { geoid: string; travel_min: number }) => [one.geoid, one.travel_min]),
  );
}

const within = (reach: ReadonlyMap<string, number>, minutes: number) =>
  [...reach.values()].filter((one) => one <= minutes).length;

test('a reach costs ten tokens once, and its slider sends nothing', async () => {
  const block = site.exampleBlock;
  const { page, asked, wrong, context } = await open(`#x=1&v=reach&o=${block}&min=5`);
  const owner = await site.proxy.customer({ tokens: 100 });
  await buy(page, /^Load the reach 10 tokens at most$/, owner.key);
  await page.getByText('10 tokens charged, 90 tokens left.').waitFor();
  const reach = await reachOf(block, 'walk');
  await page.locator('[data-drawn]').waitFor();
  await page.waitForLoadState('networkidle');
  const before = asked.length;
  const slider = page.getByRole('slider');
  await slider.focus();
  for (let minutes = 5; minutes <= 60; minutes++) {
    const blocks = within(reach, minutes).toLocaleString('en-US');
    const said = await page.locator('.figure').textContent();
    expect(said).toMatch(new RegExp(`^${blocks} blocks? within ${minutes} minutes$`));
    await slider.press('ArrowRight');
  }
  // Chromium loads the icon again whenever the address changes.
  expect(asked.slice(before).filter((url) => !url.endsWith('/favicon.svg'))).toEqual([]);
  await page.waitForURL('**min=60**');
  expect(await site.proxy.balance(owner.id)).toBe(90);
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>('axe.run(document)');
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  expect(wrong).toEqual([]);
  await context.close();
});

test('a comparison of two modes has the sums of both', async () => {
  const block = site.exampleBlock;
  const { page, wrong, context } = await open(`#x=1&v=compare&o=${block}&m2=bike&min=12`);
  const owner = await site.proxy.customer({ tokens: 100 });
  await buy(page, /^Load A/, owner.key);
  await buy(page, /^Load B/);
  const table = page.getByRole('table');
  await table.waitFor();
  const [a, b] = [await reachOf(block, 'walk'), await reachOf(block, 'bike')];
  const both = [...a].filter(([geoid, one]) => one <= 12 && (b.get(geoid) ?? 99) <= 12).length;
  const sums = [within(a, 12), within(b, 12)];
  const expected = [...sums, both, sums[0] + sums[1] - both];
  expect(await table.locator('td').allTextContents()).toEqual(
    expected.map((one) => one.toLocaleString('en-US')),
  );
  expect(await site.proxy.balance(owner.id)).toBe(80);
  expect(wrong).toEqual([]);
  await context.close();
});

test('too few tokens: in words, and nothing is charged', async () => {
  const { page, context } = await open(`#x=1&v=reach&o=${site.exampleBlock}`, [429]);
  const poor = await site.proxy.customer({ tokens: 3 });
  await buy(page, /^Load the reach/, poor.key);
  await page.getByRole('alert').getByText('more than your balance of 3 tokens').waitFor();
  await page.getByRole('button', { name: /^Try again/ }).waitFor();
  expect(await site.proxy.balance(poor.id)).toBe(3);
  await context.close();
});

test('search by keyboard: a city for nothing, a POI for tokens, and from where it is reached', async () => {
  const { page, wrong, context } = await open('');
  const owner = await site.proxy.customer({ tokens: 100 });
  const search = page.getByRole('combobox', { name: 'Search for a city or a POI' });
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
  await page.waitForURL('**v=reach&**d=to**');
  await buy(page, /^Load the reach/);
  await page.locator('.figure').waitFor();
  expect(await site.proxy.balance(owner.id)).toBe(100 - found - 10);
  expect(wrong).toEqual([]);
  await context.close();
});
