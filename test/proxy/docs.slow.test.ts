import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { runsSmuggled, sharedChromium } from '../support/chromium.ts';
import { freePort } from '../support/free-port.ts';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { openWatched } from '../support/watched-page.ts';

let proxy: ProxyHarness;
let origin: string;
let browser: Browser;
beforeAll(async () => {
  browser = await sharedChromium();
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  proxy = await openProxy(inject('demoStore'), { config: { baseUrl: origin } });
  await proxy.app.listen({ port, host: '127.0.0.1' });
});
afterAll(() => proxy?.close());

const openPage = async (path: string) =>
  openWatched(await ofThisTest(browser.newContext()), origin + path);

test('the start page shows the routes without errors and loads no external resources', async () => {
  const { page, asked } = await openPage('/');
  expect(page.url()).toBe(`${origin}/docs`);
  await page.getByRole('heading', { name: 'Travel-Time Access Service' }).first().waitFor();
  const text = await page.locator('body').innerText();
  for (const shown of ['/v1/blocks/{geoid}/summary', 'If-None-Match', 'Authorization: Bearer']) {
    expect(text).toContain(shown);
  }
  expect(asked.filter((url) => !url.startsWith(`${origin}/`))).toEqual([]);
  // HEAD is in the document, and would double every route of the page.
  expect(text).not.toContain('headers only');
});

test('the page of a route sends a request, and the key is forgotten with its tab', async () => {
  const { id, key } = await proxy.customer({ tokens: 1_000 });
  const { page, asked } = await openPage('/docs/getBlockSummary');
  await page.getByLabel('API key').fill(key);
  await page.getByText(`Authorization: Bearer ${key}`).waitFor();
  const answered = page.waitForResponse((response) => response.url().includes('/v1/blocks/'));
  await page.getByRole('button', { name: 'Send GET /v1/blocks/{geoid}/summary' }).click();
  const response = await answered;
  expect(response.status()).toBe(200);
  await page.getByText(/^200 OK/).waitFor();
  // The examples of optional parameters are filled in, so that a click costs little.
  expect([...new URL(response.url()).searchParams.keys()]).toEqual(['mode', 'type']);
  const charged = Number(response.headers()['x-tokens-charged']);
  expect(charged).toBe(1);
  expect((await proxy.ledger.account(id))!.balance).toBe(1_000 - charged);
  expect(asked.filter((url) => !url.startsWith(`${origin}/`))).toEqual([]);
  const kept = await page.context().storageState({ indexedDB: true });
  expect(JSON.stringify(kept)).not.toContain(key);
});

test('search finds pages by words of their text, languages are tabs, and old anchors lead to pages', async () => {
  const { page } = await openPage('/docs#explainTrip');
  await page.waitForURL(`${origin}/docs/explainTrip`);
  const python = page.getByRole('tabpanel', { name: 'Python' });
  expect(await python.isVisible()).toBe(false);
  await page.getByRole('tab', { name: 'Python' }).click();
  expect(await python.isVisible()).toBe(true);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.locator('figure', { has: python }).getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  const copied = await page.evaluate('navigator.clipboard.readText()');
  expect(copied).toBe(await python.textContent());
  await page.getByRole('searchbox').fill('clinics csv');
  await page
    .getByRole('search')
    .getByRole('link', { name: /clinics/ })
    .click();
  await page.waitForURL(`${origin}/docs/own-sites`);
  // The language stays; the programs of a recipe are no tabs.
  expect(await page.getByRole('tab').count()).toBe(0);
  await page.goto(`${origin}/docs/getModes`);
  await page.getByRole('tabpanel', { name: 'Python' }).waitFor();
});

test('a script injected into the page does not run, and the page cannot be framed', async () => {
  const { page, wrong } = await openPage('/docs');
  expect(await runsSmuggled(page)).toBe(false);
  await expect.poll(() => wrong).toEqual([expect.stringContaining('Content Security Policy')]);
  wrong.pop();
  const frame = await ofThisTest(browser.newPage());
  await frame.goto(`${origin}/v1/health`);
  const refused = frame.waitForEvent('console', (message) => /frame/i.test(message.text()));
  await frame.evaluate(
    `document.body.append(Object.assign(document.createElement('iframe'), { src: '${origin}/docs' }))`,
  );
  expect((await refused).text()).toMatch(/frame-ancestors/);
});
