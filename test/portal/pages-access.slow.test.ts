import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PAGE_PATHS } from '../../portal/page-paths.ts';
import { NO_WEBGL } from '../support/chromium.ts';
import { openPortalSite, type PortalSite } from '../support/portal-site.ts';
import { accessFaults, openWatched } from '../support/watched-page.ts';

const HEIGHT = 800;
/** Widths, and the colours in which axe reads a page there: widths and colours are independent. */
const SHOWN = [
  [360, 'light'],
  [768, null],
  [1280, 'dark'],
] as const;

let site: PortalSite;
let visitor: BrowserContext;
let owner: BrowserContext;
beforeAll(async () => {
  site = await openPortalSite({ chromium: NO_WEBGL });
  visitor = await site.browser.newContext();
  owner = await site.signedIn('ada@example.org');
  const { id } = (await site.proxy.ledger.accountByEmail('ada@example.org'))!;
  for (const label of ['notebook', 'web map']) {
    const order = { owner: { id }, label, by: 'owner', atMs: Date.now() } as const;
    const made = await site.proxy.ledger.issueKey(order);
    if (!made.created) throw new Error(made.reason);
    await site.proxy.get(`/v1/blocks/${site.exampleBlock}/summary`, made.plainKey);
    await site.proxy.get(`/v1/blocks/${site.exampleBlock}/pois`, made.plainKey);
  }
});
afterAll(() => site?.close());

/** Pixels by which the page is wider than the viewport. */
function overhang(page: Page): Promise<number> {
  return page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
}

test.each([...Object.entries(PAGE_PATHS), ['missing', '/nowhere']])(
  'axe finds nothing on the page %s, light on a phone and dark on a desktop; nothing scrolls sideways',
  async (_name, path) => {
    const context = path.startsWith('/my') ? owner : visitor;
    const { page } = await openWatched(context, `${site.address}${path}`, [404]);
    expect(await page.title()).toMatch(/Travel-Time Access$/);
    for (const [width, colorScheme] of SHOWN) {
      await page.setViewportSize({ width, height: HEIGHT });
      await expect.poll(async () => [width, await overhang(page)]).toEqual([width, 0]);
      if (colorScheme === null) continue;
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect([width, colorScheme, await accessFaults(page)]).toEqual([width, colorScheme, []]);
    }
    await page.close();
  },
);

test('axe finds nothing in the interactive states of a page', async () => {
  const { page } = await openWatched(owner, `${site.address}/my`);
  await page.getByLabel('Group by').selectOption('route');
  await page.getByText('View as table').click();
  expect(await accessFaults(page)).toEqual([]);
  await page.getByRole('link', { name: 'Keys' }).click();
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('region', { name: 'Your new key' }).waitFor();
  expect(await accessFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Revoke notebook' }).click();
  await page.getByRole('dialog', { name: 'Revoke notebook?' }).waitFor();
  expect(await accessFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Make your first request' }).click();
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText(/^\d+ rows, \d/).waitFor();
  expect(await accessFaults(page)).toEqual([]);
});

test('every day of the chart is accessible by keyboard, and the days add up to the charges', async () => {
  const { page } = await openWatched(owner, `${site.address}/my`);
  const { id, balance } = (await site.proxy.ledger.accountByEmail('ada@example.org'))!;
  const granted = (await site.proxy.ledger.grants(id)).reduce((sum, { tokens }) => sum + tokens, 0);
  const chart = page.getByRole('listbox', { name: /^Tokens by day/ });
  const days = chart.getByRole('option');
  await expect.poll(() => days.count()).toBe(30);
  await days.last().focus();
  await page.keyboard.press('Home');
  let reported = 0;
  for (let day = 0; day < 30; day++) {
    const name = (await days.nth(day).getAttribute('aria-label')) ?? '';
    await expect.poll(() => page.locator('figcaption').textContent()).toBe(name);
    const [, tokens] = /: ([\d,]+) tokens?/.exec(name)!;
    reported += Number(tokens.replaceAll(',', ''));
    await page.keyboard.press('ArrowRight');
  }
  expect(reported).toBe(granted - balance);
  // In the tab order the chart is one stop.
  expect(await chart.locator('[tabindex="0"]').count()).toBe(1);
});
