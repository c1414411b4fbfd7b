import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NO_WEBGL } from '../support/chromium.ts';
import { openPortalSite, type PortalSite } from '../support/portal-site.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { openWatched } from '../support/watched-page.ts';

const WIDTHS = [320, 360, 768, 1280];
/** Width in pixels of a screen below which words may break. */
const MIN_WHOLE = 360;

let site: PortalSite;
beforeAll(async () => {
  site = await openPortalSite({ chromium: NO_WEBGL });
});
afterAll(() => site?.close());

async function open(fragment: string) {
  const context = await ofThisTest(
    site.browser.newContext({ viewport: { width: 1280, height: 900 } }),
  );
  return openWatched(context, `${site.address}/map#x=1&${fragment}`);
}

/** Presses a button with a price, with the key of a new customer. */
async function buy(page: Page, name: RegExp): Promise<void> {
  const { key } = await site.proxy.customer({ tokens: 1_000 });
  await page.getByRole('button', { name }).click();
  await page.getByLabel('API key').fill(key);
  await page.getByLabel('API key').press('Enter');
  await page.getByText(/ charged, /).waitFor();
}

async function openTable(page: Page): Promise<void> {
  await page.getByText(/^Blocks .* as a table$/).click();
  await page.locator('.block-rows tbody tr').first().waitFor();
}

/** Makes the figures of tables as wide as those of a large city. */
async function widen(page: Page, tables: string): Promise<void> {
  const figures = page.locator(`${tables} td.number`);
  await figures.evaluateAll((cells) => {
    for (const cell of cells) cell.textContent = '888,888';
  });
}

/** The views of the map, with actions that open all of their tables. */
const VIEWS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  'v=nearest&m=transit': openTable,
  'v=access&a=99003': async (page) => {
    await page.locator('.people-legend td.number').first().waitFor();
    await widen(page, '.people-legend');
  },
  'v=basket&k=transit-101-15,bike-601-10': openTable,
  'v=changes&m=transit&t=601&r1=demo&r2=demo': openTable,
  'v=nearest&m=transit&a=99003': openTable,
  'v=reach&m=transit&o=BLOCK': async (page) => {
    await buy(page, /^Load the reach/);
    await openTable(page);
  },
  'v=compare&m=transit&m2=bike&o=BLOCK&o2=OTHER': async (page) => {
    await buy(page, /^Load A/);
    await page.getByRole('button', { name: /^Load B/ }).click();
    await openTable(page);
  },
  'v=sites&m=transit&q=36.001,-70.001,1;36.002,-70.002,2': async (page) => {
    await page.getByText('2 sites', { exact: true }).waitFor();
    await buy(page, /^Count people/);
    await widen(page, '.block-rows');
  },
};

test.each(Object.entries(VIEWS))('%s: the panel is as wide as its contents', async (view, act) => {
  const block = site.exampleBlock;
  const other = String(Number(block) + 1);
  const { page } = await open(view.replace('BLOCK', block).replace('OTHER', other));
  await act(page);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    const panel = page.locator('.map-panel-body');
    const [inside, shown] = await panel.evaluate((one) => [one.scrollWidth, one.clientWidth]);
    expect([width, inside]).toEqual([width, shown]);
    if (width >= MIN_WHOLE) expect([width, await cutParts(page)]).toEqual([width, []]);
  }
});

/** Returns the names of parts whose contents are cut off, or that break a GEOID into lines. */
async function cutParts(page: Page): Promise<string[]> {
  const tables = page.locator('section.block-rows:has(.sums)');
  const origins = page.locator('.side p');
  const cut = [
    await tables.evaluateAll((all) =>
      all
        .filter((table) => table.scrollWidth > table.clientWidth)
        .map((table) => table.getAttribute('aria-label')),
    ),
    await origins.evaluateAll((all) =>
      all
        .filter(({ ownerDocument, firstChild, textContent }) => {
          const at = textContent?.search(/\d{15}/) ?? -1;
          if (at === -1) return false;
          const geoid = ownerDocument.createRange();
          geoid.setStart(firstChild!, at);
          geoid.setEnd(firstChild!, at + 15);
          return geoid.getClientRects().length > 1;
        })
        .map(({ textContent }) => textContent),
    ),
  ];
  return cut.flat();
}
