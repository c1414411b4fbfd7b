import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, inject, test } from 'vitest';
import { SOFTWARE_GL, sharedChromium } from '../support/chromium.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { folderOfEachTest, folderOfTests } from '../support/temporary-folder.ts';
import { ofTests, ofThisTest } from '../support/test-resources.ts';
import { TTA } from '../support/tta.ts';

const START = path.resolve('dist/infra/start.js');
const TILES = '/v1/isochrone/tiles/walk/101.json';

const folder = folderOfEachTest();

/** The members of documents that hold addresses. */
interface Named {
  readonly servers: readonly { readonly url: string }[];
  readonly tiles: readonly string[];
  readonly type: string;
}

const json = async (url: string) => (await (await fetch(url)).json()) as Named;

/** Origins of the addresses in the API's documents: OpenAPI, TileJSON and a problem. */
async function namedByApi(api: string): Promise<string[]> {
  const { servers } = await json(`${api}/openapi.json`);
  const { tiles } = await json(api + TILES);
  const { type } = await json(`${api}/nowhere`);
  return [servers[0].url, tiles[0], type].map((url) => new URL(url).origin);
}

async function namedByPortal(portal: string): Promise<string[]> {
  const { servers } = await json(`${portal}/openapi.json`);
  const { type } = await json(`${portal}/nowhere`);
  return [servers[0].url, type].map((url) => new URL(url).origin);
}

/** Starts a program on free ports, over the demo release and a ledger in a folder. */
function start(
  args: readonly string[],
  env: Record<string, string>,
  folder: string,
): Promise<ServerProcess> {
  const own = { STORE: inject('demoStore'), LEDGER: `sqlite:${folder}/ledger`, VAR_DIR: folder };
  const ports = { PORT: '0', PORTAL_PORT: '0' };
  const until = args[0] === START ? /curl .*\n/ : / on http\S+.*\n/;
  return startServer(args, { ...own, ...ports, ...env }, { until });
}

const started = (args: readonly string[], env: Record<string, string> = {}) =>
  ofThisTest(start(args, env, folder));

const shared = folderOfTests();
const npmStart = ofTests(() => start([START], {}, shared));

describe('the address that a program prints at its start is the one in its documents', () => {
  test('tta serve', async () => {
    const api = await started([TTA, 'serve']);
    expect(api.said()).toMatch(/^serving release \S+ on http:\/\/127\.0\.0\.1:\d+\n$/);
    expect(await namedByApi(api.address)).toEqual(Array(3).fill(api.address));
  });

  test('tta portal', async () => {
    const portal = await started([TTA, 'portal']);
    expect(portal.said()).toMatch(/^serving the portal on http:\/\/127\.0\.0\.1:\d+\n$/);
    expect(await namedByPortal(portal.address)).toEqual(Array(2).fill(portal.address));
  });

  test('npm start', async () => {
    const said = npmStart.said();
    const [api, portal] = ['API', 'Portal'].map(
      (name) => new RegExp(`^  ${name} +(http://127\\.0\\.0\\.1:\\d+)( |$)`, 'm').exec(said)![1],
    );
    // The map comes first.
    expect(/http\S+/.exec(said)![0]).toBe(`${portal}/map`);
    expect((await fetch(`${portal}/map`)).status).toBe(200);
    const { archives } = (await (await fetch(`${api}/v1/meta/tiles`)).json()) as {
      readonly archives: readonly { readonly url: string }[];
    };
    expect(archives.every(({ url }) => url.startsWith(`${api}/tiles/`))).toBe(true);
    expect(said).toContain(`${api}/docs`);
    expect(said).toContain(`'${api}/v1/blocks/`);
    expect(await namedByApi(api)).toEqual(Array(3).fill(api));
    expect(await namedByPortal(portal)).toEqual(Array(2).fill(portal));
  });

  test('a server on all addresses prints its loopback address, and that it listens on all', async () => {
    const api = await started([TTA, 'serve'], { HOST: '0.0.0.0', METRICS_PORT: '0' });
    const [, port] = /:(\d+), listening on http:\/\/0\.0\.0\.0:\1\n/.exec(api.said())!;
    expect(api.address).toBe(`http://127.0.0.1:${port}`);
    expect(await namedByApi(api.address)).toEqual(Array(3).fill(api.address));
    const [, metrics] = /^metrics on (http:\/\/127\.0\.0\.1:\d+\/metrics)$/m.exec(api.said())!;
    expect((await fetch(metrics)).status).toBe(200);
  });

  test('a server with a public address prints that, and where it listens', async () => {
    const env = { BASE_URL: 'https://api.example/', ACCOUNT_URL: 'https://account.example/' };
    const local = /listening on (http:\/\/127\.0\.0\.1:\d+)/;
    const api = await started([TTA, 'serve'], env);
    expect(api.said()).toMatch(/ on https:\/\/api\.example, listening on http:/);
    expect(await namedByApi(local.exec(api.said())![1])).toEqual(
      Array(3).fill('https://api.example'),
    );
    const portal = await started([TTA, 'portal'], env);
    expect(portal.said()).toMatch(/ on https:\/\/account\.example, listening on http:/);
    const both = await started([START], env);
    expect(both.said()).toMatch(/^ {2}API +https:\/\/api\.example, listening on http:\/\/127/m);
    expect(both.said()).toMatch(
      /^ {2}Portal +https:\/\/account\.example, listening on http:\/\/127/m,
    );
    // The mail page is for the user of this machine, so its local address is printed.
    expect(both.said()).toMatch(/^ {2}Mail +http:\/\/127\.0\.0\.1:\d+\/mail\//m);
    expect(both.said()).toMatch(/curl .*'http:\/\/127\.0\.0\.1:\d+\/v1/);
  });
});

test('the page of the maps guide draws the bands of the release that npm start serves', async () => {
  const said = npmStart.said();
  const [, api] = /API +(\S+)/.exec(said)!;
  const [, key] = /API key +(\S+)/.exec(said)!;
  const readme = await readFile('infra/docs/maps.md', 'utf8');
  const [, page] = /```html\n([\s\S]*?)```/.exec(readme)!;
  // The placeholders that readers of the guide replace.
  expect(page).toContain("'http://127.0.0.1:8080'");
  expect(page).toContain("'ta_live_…'");
  const own = page.replace('http://127.0.0.1:8080', api).replace('ta_live_…', key);

  const browser = await sharedChromium(SOFTWARE_GL);
  const context = await ofThisTest(browser.newContext({ viewport: { width: 600, height: 500 } }));
  await context.route('https://unpkg.com/maplibre-gl@*/**', async (route) => {
    const { pathname } = new URL(route.request().url());
    const [, version, file] = /^\/maplibre-gl@([^/]+)\/(.*)$/.exec(pathname)!;
    const installed = JSON.parse(await readFile('node_modules/maplibre-gl/package.json', 'utf8'));
    expect(version).toBe(installed.version);
    const contentType = file.endsWith('.css') ? 'text/css' : 'text/javascript';
    const headers = { 'access-control-allow-origin': '*' };
    await route.fulfill({ path: `node_modules/maplibre-gl/${file}`, contentType, headers });
  });
  const file = path.join(folder, 'map.html');
  await writeFile(file, own);
  const map = await context.newPage();
  const responses: number[] = [];
  const wrong: string[] = [];
  map.on('response', (response) => {
    if (response.url().endsWith('.mvt')) responses.push(response.status());
  });
  map.on('pageerror', (error) => wrong.push(String(error)));
  map.on('console', (message) => {
    if (message.type() === 'error') wrong.push(message.text());
  });
  await map.goto(`file://${file}`);
  await expect.poll(() => responses.length).toBeGreaterThan(0);
  await map.waitForLoadState('networkidle');
  expect(responses.filter((status) => status !== 200 && status !== 204)).toEqual([]);
  expect(wrong).toEqual([]);
  // Bands of several colours cover a part of the page.
  await expect
    .poll(async () => coloursOf(await context.newPage(), await map.screenshot()))
    .toBeGreaterThan(2);
});

/** The number of colours besides white that each cover at least a hundredth of a picture. */
function coloursOf(page: Page, png: Buffer): Promise<number> {
  return page.evaluate(`(async () => {
    const picture = new Image();
    picture.src = 'data:image/png;base64,${png.toString('base64')}';
    await picture.decode();
    const { width, height } = picture;
    const context = new OffscreenCanvas(width, height).getContext('2d');
    context.drawImage(picture, 0, 0);
    const counts = new Map();
    for (const pixel of new Uint32Array(context.getImageData(0, 0, width, height).data.buffer)) {
      counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
    }
    counts.delete(0xffffffff);
    return [...counts.values()].filter((count) => count > width * height / 100).length;
  })()`);
}

test('a server on an address that its machine does not have ends with one line', async () => {
  const wrong = started([TTA, 'serve'], { HOST: '192.0.2.1' });
  await expect(wrong).rejects.toThrow(/^\S+ serve did not start: tta: .*192\.0\.2\.1.*\n$/);
});
