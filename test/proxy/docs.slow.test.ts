import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { ensureDebianPackage } from '../support/debian.ts';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';

let proxy: ProxyHarness;
let origin: string;
let browser: Browser;
beforeAll(async () => {
  await ensureDebianPackage('chromium', 'chromium');
  proxy = await openProxy(inject('demoStore'));
  origin = await proxy.app.listen({ port: 0, host: '127.0.0.1' });
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    // No name but ours is found: there is no network.
    args: ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
  });
});
afterAll(async () => {
  await browser?.close();
  await proxy?.close();
});

/** A page that keeps what it asks for, and everything that goes wrong in it. */
async function openPage(path: string): Promise<{ page: Page; asked: string[]; wrong: string[] }> {
  const page = await browser.newPage();
  const [asked, wrong]: [string[], string[]] = [[], []];
  page.on('request', (request) => asked.push(request.url()));
  page.on('requestfailed', (request) => wrong.push(`failed: ${request.url()}`));
  page.on('response', (answer) => {
    if (answer.status() >= 400) wrong.push(`${answer.status()}: ${answer.url()}`);
  });
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') wrong.push(message.text());
  });
  page.on('pageerror', (error) => wrong.push(String(error)));
  await page.goto(origin + path, { waitUntil: 'networkidle' });
  return { page, asked, wrong };
}

test('the reference shows the routes, without network, without errors, and asks nobody else', async () => {
  const { page, asked, wrong } = await openPage('/');
  expect(page.url()).toBe(`${origin}/docs`);
  await page.getByRole('heading', { name: 'Travel-Time Access Service' }).first().waitFor();
  await page.screenshot({ path: '/tmp/scalar-look/docs.png' });
  console.log(asked, wrong, (await page.locator('body').innerText()).slice(0, 3000));
  expect(asked.filter((url) => !url.startsWith(origin) && !url.startsWith('data:'))).toEqual([]);
  expect(wrong).toEqual([]);
});
