import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Browser, Locator, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAP_COLOURS } from '../../portal/map-classes.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { MICRO } from '../../shards/units.ts';
import { NO_WEBGL, SOFTWARE_GL, sharedChromium } from '../support/chromium.ts';
import { type PicturePixels, pixelsOf } from '../support/picture-pixels.ts';
import { openPortalSite, type PortalSite } from '../support/portal-site.ts';
import { pythonTools } from '../support/python-tool.ts';
import { folderOfThisTest } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { accessFaults, openWatched, savedFile } from '../support/watched-page.ts';

const run = promisify(execFile);
const COMPILED = [
  '--module',
  'nodenext',
  '--target',
  'es2022',
  '--strict',
  '--skipLibCheck',
  '--types',
  '',
];

let site: PortalSite;
/** A browser that draws maps; that of the site shows a still picture instead. */
let drawing: Browser;
/** The server of another site, with one page. */
let other: Server;
let otherPage = '';
beforeAll(async () => {
  site = await openPortalSite({ chromium: NO_WEBGL });
  drawing = await sharedChromium(SOFTWARE_GL);
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

const WINDOW = { viewport: { width: 1280, height: 900 }, deviceScaleFactor: 1 };
/** A window in which pixels are not compared: fewer are drawn sooner. */
const SMALL_WINDOW = { viewport: { width: 800, height: 600 } };

async function open(path: string, browser = site.browser, window: Partial<typeof WINDOW> = WINDOW) {
  const context = await ofThisTest(
    browser.newContext({
      ...window,
      permissions: ['clipboard-read', 'clipboard-write'],
    }),
  );
  return { context, ...(await openWatched(context, `${site.address}${path}`)) };
}

const [MODE, TYPE] = ['walk', 101] as const;

/**
 * Colours of every seventh block, in the light scheme, by the API's minutes. Blocks of water are
 * left out.
 */
async function expectedColours() {
  const { key } = await site.proxy.customer({ tokens: 1e6 });
  const release = site.proxy.releases.current;
  const expected: { readonly lon: number; readonly lat: number; readonly colour: string }[] = [];
  for (const { manifest } of release.counties) {
    const index = await release.index(manifest);
    for (let i = 0; i < index.count; i += 7) {
      if (index.landArea(i) === 0) continue;
      const url = `/v1/blocks/${geoidFromNumber(index.geoids[i])}/summary?mode=${MODE}&type=${TYPE}`;
      const [row] = (await site.proxy.get(url, key)).json().results;
      const { classes, beyond } = MAP_COLOURS.light;
      const colour = row ? classes[Math.ceil(row.travel_time / 5) - 1] : beyond;
      expected.push({ lon: index.lon[i] / MICRO, lat: index.lat[i] / MICRO, colour });
    }
  }
  return expected;
}

const ZOOM = 13.5;
const CENTRE = { lon: -70.001, lat: 36.001 };

/**
 * Checks the colours around the centres of blocks in a picture, in which the map has the given
 * place and size.
 */
async function expectColours(
  picture: PicturePixels,
  map: Record<'x' | 'y' | 'width' | 'height', number>,
) {
  const scale = 512 * 2 ** ZOOM;
  const north = (lat: number) => Math.asinh(Math.tan((lat * Math.PI) / 180)) / (2 * Math.PI);
  const classes = new Set(MAP_COLOURS.light.classes);
  let seen = 0;
  let hidden = 0;
  for (const { lon, lat, colour } of await expectedColours()) {
    const x = map.width / 2 + ((lon - CENTRE.lon) / 360) * scale;
    const y = map.height / 2 - (north(lat) - north(CENTRE.lat)) * scale;
    const isIn = x > 150 && y > 100 && x < map.width - 60 && y < map.height - 60;
    if (!isIn) continue;
    const around = [-4, -2, 0, 2, 4].map((d) => picture.colourAt(map.x + x + d, map.y + y + d));
    const found = new Set(around.filter((one) => classes.has(one)));
    seen++;
    // A street or a name may lie over a block, but never another class.
    if (found.size === 0) hidden++;
    else expect([lon, lat, ...found]).toEqual([lon, lat, colour]);
  }
  expect(seen).toBeGreaterThan(50);
  expect(hidden).toBeLessThan(seen / 10);
}

const HERE = `/map#x=1&m=${MODE}&t=${TYPE}&map=${ZOOM}/${CENTRE.lat}/${CENTRE.lon}`;

/** Presses a button that makes a file of this name, and reads the file. */
async function fileOf(page: Page, label: string, name: string): Promise<Buffer> {
  const saved = await savedFile(page, label);
  expect(saved.name).toBe(name);
  return saved.bytes;
}

/** Texts of an SVG file. */
function textsOf(svg: string): string[] {
  return [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);
}

const TITLE = 'Walking time to the nearest grocery store';
const NAME = 'walking-time-to-the-nearest-grocery-store-demo';

/** Draws a picture of an SVG file as a program without access to the page does. */
async function drawnSvg(svg: Buffer): Promise<PicturePixels> {
  const page = await site.browser.newPage({
    viewport: { width: 1400, height: 1400 },
    deviceScaleFactor: 1,
  });
  await page.setContent(
    `<body style="margin: 0"><img src="data:image/svg+xml;base64,${svg.toString('base64')}">`,
  );
  const png = await page.locator('img').screenshot();
  return pixelsOf(png);
}

test('PNG and SVG show the map in view, in the classes of the API, with title, legend and sources', async () => {
  const { page, asked } = await open(HERE, drawing);
  await page.locator('[data-drawn]').waitFor();
  await page.locator('summary', { hasText: 'Share' }).click();
  const { width, height } = (await page.locator('.map-canvas').boundingBox())!;
  const map = { x: 20, y: 70, width, height };
  await expectColours(pixelsOf(await fileOf(page, 'PNG', `${NAME}.png`)), map);
  const svg = await fileOf(page, 'SVG', `${NAME}.svg`);
  await expectColours(await drawnSvg(svg), map);
  const texts = textsOf(svg.toString());
  expect(texts[0]).toBe(TITLE);
  for (const label of ['0–5 min', '25–30 min', 'over 30 min', 'no street near', 'Port Meridian']) {
    expect(texts).toContain(label);
  }
  expect(texts.join(' ')).toMatch(/Release demo\. Data of .*2026 \(streets\).*Fictional demo city/);
  expect(texts[1]).toMatch(
    /^Around [A-Z][\w ]+: \d+% of [\d,]+ people in view are within 15 minutes of a grocery store\.$/,
  );
  expect(texts).toContainEqual(expect.stringMatching(/^[125]0*(,000)? (ft|mi)$/));
  expect(texts.at(-1)).toMatch(/, [A-Z][a-z]{2} \d+, 20\d\d\.$/);
  for (const colour of MAP_COLOURS.light.classes)
    expect(svg.toString()).toContain(`fill="${colour}"`);
  expect(asked.filter((url) => /\/v1\/(blocks|isochrone)/.test(url))).toEqual([]);

  // On paper, the picture stands in place of the page.
  await page.emulateMedia({ media: 'print' });
  const printed = page.locator('.printed > svg');
  await expect
    .poll(async () => {
      await page.evaluate("dispatchEvent(new Event('beforeprint'))");
      return printed.count();
    })
    .toBe(1);
  expect(await printed.locator('text').allTextContents()).toContain(TITLE);
  expect(await page.locator('#pages').isVisible()).toBe(false);
  await page.evaluate("dispatchEvent(new Event('afterprint'))");
  await printed.waitFor({ state: 'detached' });
});

test('without WebGL there are a still picture, people by class and a table of blocks', async () => {
  const { page, asked } = await open(HERE);
  await page.getByText('Still picture: WebGL 2 is missing').waitFor();
  const picture = page.getByRole('img', { name: 'Map of travel times' });
  await picture.waitFor();
  expect(asked.filter((url) => url.includes('draw-map'))).toEqual([]);
  const box = (await page.locator('.still-picture').boundingBox())!;
  const drawn = pixelsOf(await page.locator('.still-picture').screenshot());
  await expectColours(drawn, { x: 0, y: 0, width: box.width, height: box.height });
  await page.getByText('people in view are within 15 minutes').waitFor();
  await expect.poll(() => page.locator('.people-legend tbody tr').count()).toBeGreaterThan(7);
  await page.getByText('Blocks in view as a table').click();
  await expect.poll(() => page.locator('.block-rows tbody tr').count()).toBe(200);
  await page.locator('summary', { hasText: 'Share' }).click();
  expect(textsOf(String(await fileOf(page, 'SVG', `${NAME}.svg`)))[0]).toBe(TITLE);
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await page.waitForURL(`**map=${ZOOM + 1}/**`);
  expect(await accessFaults(page)).toEqual([]);
});

/** Presses a button that copies a text, and returns the text. */
async function copied(page: Page, name: string, part: Page | Locator = page): Promise<string> {
  const clipboard = () => page.evaluate<string>('navigator.clipboard.readText()');
  await page.evaluate("navigator.clipboard.writeText('')");
  await part.getByRole('button', { name }).click();
  await expect.poll(clipboard).not.toBe('');
  return clipboard();
}

test('a copied link restores the map, and a copied frame shows it on another site, without cookies', async () => {
  const start = `/map#x=1&m=bike&t=601&map=12.5/36.1/-70.2&b=${site.exampleBlock}`;
  const { page } = await open(start);
  await page.locator('summary', { hasText: 'Share' }).click();
  expect(await copied(page, 'Copy link to this map')).toBe(site.address + start);
  otherPage = await copied(page, 'Copy Embed');

  const elsewhere = await ofThisTest(drawing.newContext(SMALL_WINDOW));
  const { port } = other.address() as AddressInfo;
  const sent: Promise<Record<string, string>>[] = [];
  const collect = (request: Request) => void sent.push(request.allHeaders());
  elsewhere.on('request', collect);
  // A cookie as after signing in, which the frame does not use.
  await elsewhere.addCookies([{ name: 'account', value: 'x.y', url: site.address }]);
  const news = await openWatched(elsewhere, `http://localhost:${port}/`);
  const frame = news.page.frameLocator('iframe');
  await frame.locator('[data-drawn]').waitFor();
  await frame.getByRole('heading', { name: 'Biking time to the nearest library' }).waitFor();
  await frame.getByText('Fictional city').first().waitFor();
  const whole = frame.getByRole('link', { name: 'Open the whole map' });
  expect(await whole.getAttribute('href')).toBe(start);
  for (const path of ['/account', '/auth', '/browser-tokens']) {
    expect(news.asked.filter((url) => url.startsWith(site.address + path))).toEqual([]);
  }
  // Headers of later requests would not be awaited, and rejected when the context closes.
  elsewhere.off('request', collect);
  expect((await Promise.all(sent)).filter(({ cookie }) => cookie)).toEqual([]);
  expect((await elsewhere.cookies()).map(({ name }) => name)).toEqual(['account']);
  const [, embedded] = news.page.frames();
  expect(await accessFaults(embedded)).toEqual([]);

  // A page of another scheme than http, as desktop programs show.
  const saved = path.join(await folderOfThisTest(), 'saved.html');
  await writeFile(saved, otherPage);
  await news.page.goto(pathToFileURL(saved).href);
  await frame.locator('[data-drawn]').waitFor();
});

test('a frame of a basket shows its blocks and its people, without a key', async () => {
  const { page, asked } = await open('/embed#x=1&v=basket&k=walk-101-15', drawing, SMALL_WINDOW);
  await page.getByRole('heading', { name: 'Minutes to the furthest of a basket' }).waitFor();
  await page.getByText('Grocery stores within 15 min on foot.').waitFor();
  await page.getByText(/^\d+% of [\d,]+ people in view have it\.$/).waitFor();
  await page.locator('[data-drawn]').waitFor();
  expect(asked.filter((url) => url.includes('/v1/coverage'))).toEqual([]);
});

test('a frame of a view that costs tokens shows minutes to the nearest, and explains why', async () => {
  const { page } = await open(`/embed#x=1&v=reach&o=${site.exampleBlock}`, drawing, SMALL_WINDOW);
  await page
    .getByText('The view of this link costs tokens. Shown instead: time to the nearest place.')
    .waitFor();
  await page.getByRole('heading', { name: 'Walking time to the nearest grocery store' }).waitFor();
  await page.locator('[data-drawn]').waitFor();
});

/** Programs that run copied code, by language. */
async function languagesIn(folder: string) {
  const python = path.join(await pythonTools('requests==2.32.5'), 'python');
  await mkdir(path.join(folder, 'node_modules'));
  await symlink(
    path.resolve('portal/client'),
    path.join(folder, 'node_modules/travel-time-access-client'),
  );
  return {
    curl: (code: string) => run('sh', ['-c', code]),
    TypeScript: async (code: string) => {
      const file = path.join(folder, 'sample.mts');
      await writeFile(file, code);
      const compiler = path.resolve('node_modules/.bin/tsc');
      await run(compiler, [...COMPILED, '--outDir', folder, file], { cwd: folder });
      return run('node', [path.join(folder, 'sample.mjs')]);
    },
    Python: (code: string) => run(python, ['-c', code]),
  };
}

test('a request copied as curl, TypeScript or Python runs, and returns the rows of the map', async () => {
  const programs = await languagesIn(await folderOfThisTest());
  const block = site.exampleBlock;
  const minutes = [15, 30, 45, 60].map((one) => `minutes=${one}`).join('&');
  for (const [name, fragment, route, charge, languages] of [
    [
      'Minutes from the selected block',
      `b=${block}`,
      `/v1/blocks/${block}/summary?mode=walk&type=101`,
      1,
      ['curl', 'TypeScript', 'Python'],
    ],
    [
      'Reach',
      `v=reach&o=${block}&min=7`,
      `/v1/isochrone?block=${block}&mode=walk&minutes=7&format=blocks`,
      10,
      ['TypeScript'],
    ],
    [
      'Workers within reach',
      `v=reach&o=${block}&d=to&w=workers`,
      `/v1/blocks/${block}/access?mode=walk&direction=to&of=workers&${minutes}`,
      4,
      ['curl', 'TypeScript'],
    ],
    [
      'Jobs within reach',
      `v=reach&o=${CENTRE.lat},${CENTRE.lon}`,
      `/v1/point/access?lat=${CENTRE.lat}&lon=${CENTRE.lon}&mode=walk&of=jobs&${minutes}`,
      4,
      ['TypeScript'],
    ],
  ] as const) {
    const { page, context } = await open(`/map#x=1&${fragment}`);
    await page.locator('summary', { hasText: 'Share' }).click();
    const request = page
      .locator('.request-code')
      .filter({ has: page.getByRole('heading', { name: `${name}, as code`, exact: true }) });
    for (const language of languages) {
      const owner = await site.proxy.customer({ tokens: 100 });
      const response = (await site.proxy.get(route, owner.key)).json();
      const rows = (response.results ?? response.blocks) as Record<string, string | number>[];
      await request.getByRole('tab', { name: language }).click();
      const code = await copied(page, `Copy ${language} code`, request);
      expect(code).toContain('YOUR_KEY');
      const { stdout } = await programs[language](code.replace('YOUR_KEY', owner.key));
      for (const row of rows) {
        expect([language, stdout]).toEqual([
          language,
          expect.stringContaining(String(row.geoid ?? row.dest_type_id ?? row.count)),
        ]);
      }
      expect([language, await site.proxy.balance(owner.id)]).toEqual([language, 100 - 2 * charge]);
    }
    await request.getByRole('tab', { name: 'R', exact: true }).click();
    expect(await copied(page, 'Copy R code', request)).toContain(
      'req_auth_bearer_token("YOUR_KEY")',
    );
    await context.close();
  }
});

test('requests with a body are copied as code too: exact shares of a basket, and people near sites', async () => {
  const programs = await languagesIn(await folderOfThisTest());
  const { lat, lon } = CENTRE;
  const all_of = [
    { type: 101, mode: 'walk', max_minutes: 15 },
    { type: 601, mode: 'bike', max_minutes: 10 },
  ];
  const { key } = await site.proxy.customer();
  const exact = { area: { counties: ['99001'] }, all_of };
  const { basket } = (await site.proxy.post('/v1/coverage', key, exact)).json();
  const measured = {
    sites: [{ id: "Ann's", lat, lon }],
    candidates: [{ id: 'b', lat: lat + 0.01, lon }],
    choose: 1,
    mode: 'bike',
    direction: 'to',
    weight: ['people'],
    minutes: [15, 30, 45, 60],
  };
  const { results } = (await site.proxy.post('/v1/sites/coverage', key, measured)).json();
  // A basket is asked for with a row for each type and mode.
  for (const [fragment, figure, left] of [
    ['v=basket&k=walk-101-15,bike-601-10&a=99001', basket.with_all, 86],
    [`v=sites&m=bike&q=${lat},${lon},Ann's;!${lat + 0.01},${lon},b`, results[0].total, 90],
  ] as const) {
    expect(figure).toBeGreaterThan(0);
    const { page, context } = await open(`/map#x=1&${fragment}`);
    await page.locator('summary', { hasText: 'Share' }).click();
    for (const language of ['curl', 'TypeScript', 'Python'] as const) {
      const owner = await site.proxy.customer({ tokens: 100 });
      await page.getByRole('tab', { name: language }).click();
      const code = await copied(page, `Copy ${language} code`);
      const { stdout } = await programs[language](code.replace('YOUR_KEY', owner.key));
      expect([language, stdout]).toEqual([language, expect.stringContaining(String(figure))]);
      expect([language, await site.proxy.balance(owner.id)]).toEqual([language, left]);
    }
    await context.close();
  }
});

test('signing in from a price returns to the very map, by the code and by the link of the mail', async () => {
  const state = `#x=1&v=reach&m=bike&map=13/36/-70&o=${site.exampleBlock}&min=25`;
  const context = await ofThisTest(site.browser.newContext());
  const { page } = await openWatched(context, `${site.address}/map${state}`, [401]);
  await page.getByRole('button', { name: /^Load the reach/ }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'sign in' }).click();
  await page.getByLabel('E-mail address').fill('mapper@example.org');
  await page.keyboard.press('Enter');
  const { text } = await site.inbox.next('mapper@example.org');
  const [link] = /http\S+\/auth\/verify\S+/.exec(text!)!;
  await page.getByLabel('Six-digit code').fill(/\b(\d{6})\b/.exec(text!)![1]);
  await page.waitForURL(`${site.address}/map${state}`);
  await page.getByRole('button', { name: /^Load the reach/ }).click();
  await page.getByText(/tokens charged, .* tokens left\./).waitFor();
  expect(new URL(link).searchParams.get('next')).toBe(`/map${state}`);
});

test('sites for which the address has no room are there again after signing in', async () => {
  const context = await ofThisTest(site.browser.newContext());
  const address = `${site.address}/map#x=1&v=sites&m=walk`;
  const { page } = await openWatched(context, address, [401]);
  const lines = Array.from({ length: 60 }, (_, i) => `site ${i},${36 + i / 1e4},-70`);
  await page.getByLabel(/^Or upload a CSV/).setInputFiles({
    name: 'sites.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(['id,lat,lon', ...lines].join('\n')),
  });
  await page.getByText('60 sites').waitFor();
  await page.getByRole('button', { name: /^Count people/ }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'sign in' }).click();
  await page.getByLabel('E-mail address').fill('siter@example.org');
  await page.keyboard.press('Enter');
  const { text } = await site.inbox.next('siter@example.org');
  await page.getByLabel('Six-digit code').fill(/\b(\d{6})\b/.exec(text!)![1]);
  await page.waitForURL(address);
  await page.getByText('60 sites').waitFor();
});

test('a signed-in visitor is charged the price on a button, and sees the balance of the account', async () => {
  const context = await site.signedIn('reader@example.org');
  // From here on, the browser stores that it is signed in.
  const { page } = await openWatched(context, `${site.address}/my`);
  await page.goto(`${site.address}/map#x=1&v=reach&o=${site.exampleBlock}`);
  const balance = () =>
    page.evaluate<number>(
      "fetch('/account').then(async (one) => (await one.json()).tokens_remaining)",
    );
  const before = await balance();
  const button = page.getByRole('button', { name: /^Load the reach .* tokens at most/ });
  const price = Number(/(\d+) tokens at most/.exec((await button.textContent())!)![1]);
  await button.click();
  const bill = await page.getByText(/tokens? charged, .* tokens left\./).textContent();
  const [, charged, left] = /^([\d,]+) tokens? charged, ([\d,]+) tokens left/.exec(bill!)!;
  const after = await balance();
  expect([Number(charged), before - after]).toEqual([price, price]);
  expect(left).toBe(after.toLocaleString('en-US'));
  expect(await page.getByRole('dialog').count()).toBe(0);
});
