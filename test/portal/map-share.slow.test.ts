import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SOFTWARE_GL } from '../support/chromium.ts';
import { openPortalSite, type PortalSite } from '../support/portal-site.ts';
import { openWatched } from '../support/watched-page.ts';

let site: PortalSite;
/** The server of another site, with one page. */
let other: Server;
let otherPage = '';
beforeAll(async () => {
  site = await openPortalSite({ chromium: SOFTWARE_GL });
  other = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(
      `<!doctype html><html lang="en"><title>News</title><body>${otherPage}</body></html>`,
    );
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await site?.close();
  other?.close();
});

async function open(path: string) {
  const context = await site.browser.newContext({
    viewport: { width: 1280, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  return { context, ...(await openWatched(context, `${site.address}${path}`)) };
}

/** The text that a button copies. */
async function copied(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name }).click();
  return page.evaluate<string>('navigator.clipboard.readText()');
}

test('a copied link restores the map, and a copied frame shows it on another site, without cookies', async () => {
  const start = `/map#x=1&m=bike&t=601&map=12.5/36.1/-70.2&b=${site.exampleBlock}`;
  const { page, wrong, context } = await open(start);
  await page.locator('summary', { hasText: 'Share' }).click();
  expect(await copied(page, 'Copy link to this map')).toBe(site.address + start);
  otherPage = await copied(page, 'Copy Embed');
  expect(wrong).toEqual([]);
  await context.close();

  const elsewhere = await site.browser.newContext({ viewport: { width: 800, height: 600 } });
  const { port } = other.address() as AddressInfo;
  const sent: Promise<Record<string, string>>[] = [];
  elsewhere.on('request', (request) => sent.push(request.allHeaders()));
  // Signed in once, which the frame does not look at.
  await elsewhere.addCookies([{ name: 'account', value: 'x.y', url: site.address }]);
  const news = await openWatched(elsewhere, `http://localhost:${port}/`);
  const frame = news.page.frameLocator('iframe');
  await frame.locator('[data-drawn]').waitFor();
  await frame.getByRole('heading', { name: 'Minutes by bike to the nearest: Libraries' }).waitFor();
  await frame.getByText('OpenStreetMap').first().waitFor();
  const whole = frame.getByRole('link', { name: 'Open the whole map' });
  expect(await whole.getAttribute('href')).toBe(start);
  for (const path of ['/account', '/auth', '/browser-tokens']) {
    expect(news.asked.filter((url) => url.startsWith(site.address + path))).toEqual([]);
  }
  expect((await Promise.all(sent)).filter(({ cookie }) => cookie)).toEqual([]);
  expect((await elsewhere.cookies()).map(({ name }) => name)).toEqual(['account']);
  const [, embedded] = news.page.frames();
  await embedded.evaluate(axe.source);
  const { violations } = await embedded.evaluate<AxeResults>('axe.run(document)');
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  expect(news.wrong).toEqual([]);
  await elsewhere.close();
});
