import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { MAP_COLOURS } from '../../portal/map-classes.ts';
import { BAND_ENDS } from '../../shards/bands/time-bands.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { MICRO } from '../../shards/units.ts';
import { NO_WEBGL, runsSmuggled, SOFTWARE_GL, sharedChromium } from '../support/chromium.ts';
import { gappedRelease } from '../support/gapped-release.ts';
import { type PicturePixels, pixelsOf } from '../support/picture-pixels.ts';
import { openPortalSite, type PortalSite } from '../support/portal-site.ts';
import { TamperedRelease } from '../support/tampered-release.ts';
import { ofThisTest } from '../support/test-resources.ts';
import {
  accessFaults,
  blocksInView,
  chooseType,
  openWatched,
  savedFile,
  textsOf,
  type WatchedPage,
} from '../support/watched-page.ts';

const DESKTOP = { width: 1280, height: 960 };
/** The size of windows whose pixels are not compared block by block: fewer are drawn sooner. */
const SMALL_DESKTOP = { width: 960, height: 720 };
const PHONE = { width: 375, height: 740 };
/** Width of the world in pixels at zoom 0, as MapLibre counts zooms. */
const WORLD = 512;
const MODES = ['walk', 'bike', 'transit'] as const;
type Mode = (typeof MODES)[number];
type Scheme = 'light' | 'dark';

/** A block with land, with its centre and population from the release. */
interface KnownBlock {
  readonly geoid: string;
  readonly lon: number;
  readonly lat: number;
  readonly population: number | null;
}

let gapped: TamperedRelease;
let site: PortalSite;
/** A browser that draws the map; that of the site shows a still picture instead. */
let drawing: Browser;
let blocks: KnownBlock[];
let key: string;
let middle: { readonly lon: number; readonly lat: number };
beforeAll(async () => {
  gapped = await gappedRelease(inject('demoStore'));
  site = await openPortalSite({ store: gapped.folder, chromium: NO_WEBGL });
  drawing = await sharedChromium(SOFTWARE_GL);
  ({ key } = await site.proxy.customer({ tokens: 1e6 }));
  const release = site.proxy.releases.current;
  blocks = [];
  for (const { manifest } of release.counties) {
    const index = await release.index(manifest);
    for (let i = 0; i < index.count; i++) {
      if (index.landArea(i) === 0) continue;
      const [lon, lat] = [index.lon[i] / MICRO, index.lat[i] / MICRO];
      const geoid = geoidFromNumber(index.geoids[i]);
      blocks.push({ geoid, lon, lat, population: index.population(i) });
    }
  }
  const mean = (of: (block: KnownBlock) => number) =>
    blocks.reduce((sum, block) => sum + of(block), 0) / blocks.length;
  middle = { lon: mean(({ lon }) => lon), lat: mean(({ lat }) => lat) };
});
afterAll(async () => {
  await site?.close();
  await gapped?.remove();
});

const at = (zoom: number, more = '') =>
  `/map#x=1&map=${zoom}/${middle.lat.toFixed(6)}/${middle.lon.toFixed(6)}${more}`;

async function open(
  path: string,
  options: Parameters<Browser['newContext']>[0] = {},
  expected: readonly number[] = [],
  browser = drawing,
): Promise<WatchedPage & { readonly context: BrowserContext }> {
  const context = await ofThisTest(browser.newContext({ viewport: SMALL_DESKTOP, ...options }));
  return { context, ...(await openWatched(context, `${site.address}${path}`, expected)) };
}

/** Opens a page for what does not depend on how the map is drawn. */
const openStill: typeof open = (path, options) => open(path, options, [], site.browser);

/** Waits until the map shows a mode and type, with nothing left to load. */
async function drawn(page: Page, mode: Mode, type: number, scheme: Scheme = 'light') {
  const { archive } = site.proxy.releases.current.manifest.tiles[`${mode}-${type}`];
  const state = `${site.apiAddress}/${archive.name} ${scheme}`;
  await page.locator(`[data-drawn="${state}"]`).waitFor();
}

/** Projects a position to pixels on the stage of a map, by spherical Mercator. */
function projected(
  { lon, lat }: { readonly lon: number; readonly lat: number },
  zoom: number,
  stage: { readonly width: number; readonly height: number },
): [x: number, y: number] {
  const scale = WORLD * 2 ** zoom;
  const x = (degrees: number) => degrees / 360;
  const y = (degrees: number) => -Math.asinh(Math.tan((degrees * Math.PI) / 180)) / (2 * Math.PI);
  return [
    stage.width / 2 + (x(lon) - x(middle.lon)) * scale,
    stage.height / 2 + (y(lat) - y(middle.lat)) * scale,
  ];
}

/** Takes a picture of the map as it is seen, including the controls that lie over it. */
async function pictureOf(page: Page): Promise<PicturePixels> {
  return pixelsOf(await page.locator('.map-canvas').screenshot());
}

/** Minutes as the API returns them: undefined if over 30, null if not known. */
async function minutesOf(geoid: string, mode: Mode, type: number) {
  const { results, unrouted = [] } = await summaryOf(geoid);
  if (unrouted.some((one) => one.mode === mode)) return null;
  const row = results.find((one) => one.mode === mode && one.dest_type_id === type);
  return row?.travel_time;
}

interface Summary {
  readonly results: readonly {
    readonly dest_type_id: number;
    readonly mode: string;
    readonly travel_time: number;
  }[];
  readonly unrouted?: readonly { readonly mode: string }[];
}
const summaries = new Map<string, Summary>();

async function summaryOf(geoid: string): Promise<Summary> {
  const known = summaries.get(geoid);
  if (known) return known;
  const summary = (await site.proxy.get(`/v1/blocks/${geoid}/summary`, key)).json();
  summaries.set(geoid, summary);
  return summary;
}

/** Finds the type for which a sample of the blocks has the most classes. */
async function variedType(mode: Mode): Promise<number> {
  const sample = blocks.filter((_, i) => i % 10 === 0);
  let best = { type: 0, classes: 0 };
  for (const type of site.proxy.releases.current.taxonomy.leafIds) {
    const seen = new Set<unknown>();
    for (const { geoid } of sample) {
      const minutes = await minutesOf(geoid, mode, type);
      seen.add(typeof minutes === 'number' ? Math.ceil(minutes / 5) : minutes);
    }
    if (seen.size > best.classes) best = { type, classes: seen.size };
  }
  return best.type;
}

test('the colour at each block is that of the API’s minutes', async () => {
  const zoom = 14;
  const counts: Record<string, number> = {};
  let sampled = 0;
  let hidden = 0;
  for (const [mode, scheme] of [
    ['walk', 'light'],
    ['bike', 'light'],
    ['transit', 'light'],
    ['walk', 'dark'],
  ] as const) {
    const { classes, beyond, stripe } = MAP_COLOURS[scheme];
    const type = await variedType(mode);
    const { page, context } = await open(at(zoom, `&m=${mode}&t=${type}`), {
      viewport: DESKTOP,
      deviceScaleFactor: 1,
      colorScheme: scheme,
    });
    await drawn(page, mode, type, scheme);
    const picture = await pictureOf(page);
    for (const block of blocks) {
      const [x, y] = projected(block, zoom, picture);
      // The controls lie over the corners.
      const isSeen = x > 120 && y > 90 && x < picture.width - 60 && y < picture.height - 50;
      if (!isSeen) continue;
      const minutes = await minutesOf(block.geoid, mode, type);
      sampled++;
      if (minutes === null) {
        counts.unknown = (counts.unknown ?? 0) + 1;
        const around = new Set<string>();
        for (let dx = -4; dx < 4; dx++) {
          for (let dy = -4; dy < 4; dy++) around.add(picture.colourAt(x + dx, y + dy));
        }
        expect([block.geoid, around.has(stripe), around.has(beyond)]).toEqual([
          block.geoid,
          true,
          true,
        ]);
        continue;
      }
      const cls = minutes === undefined ? classes.length : Math.ceil(minutes / 5) - 1;
      counts[cls] = (counts[cls] ?? 0) + 1;
      const expected = classes[cls] ?? beyond;
      const around = [-4, -2, 0, 2, 4].map((d) => picture.colourAt(x + d, y + d));
      const found = new Set(around.filter((one) => one === beyond || classes.includes(one)));
      // A POI or its name may lie over a block, but never another class.
      if (found.size === 0) hidden++;
      else expect([mode, type, block.geoid, ...found]).toEqual([mode, type, block.geoid, expected]);
    }
    await context.close();
  }
  expect(sampled).toBeGreaterThan(1_000);
  expect(hidden).toBeLessThan(sampled / 20);
  // Every kind of colour occurred.
  for (const kind of [...BAND_ENDS.keys(), BAND_ENDS.length, 'unknown']) {
    expect([kind, counts[kind] ?? 0]).toEqual([kind, expect.toSatisfy((n: number) => n > 0)]);
  }
});

test('until MapLibre has drawn, a picture shows the same colours at the same places', async () => {
  const zoom = 14;
  const context = await ofThisTest(drawing.newContext({ viewport: DESKTOP, deviceScaleFactor: 1 }));
  const held: (() => Promise<void>)[] = [];
  await context.route('**/draw-map-*.js', (route) => void held.push(() => route.continue()));
  const page = await context.newPage();
  const asked: string[] = [];
  page.on('request', (request) => void asked.push(request.url()));
  await page.goto(`${site.address}${at(zoom, '&m=walk&t=101')}`, { waitUntil: 'commit' });
  await page.locator('.still-bands path[d^=M]').first().waitFor({ state: 'attached' });
  const stage = page.locator('.map-canvas');
  const still = pixelsOf(await stage.screenshot());
  const { classes } = MAP_COLOURS.light;
  const seen = new Set<number>();
  for (const block of blocks) {
    const [x, y] = projected(block, zoom, still);
    const isSeen = x > 260 && y > 90 && x < still.width - 60 && y < still.height - 50;
    const minutes = isSeen ? await minutesOf(block.geoid, 'walk', 101) : null;
    if (typeof minutes !== 'number') continue;
    const cls = Math.ceil(minutes / 5) - 1;
    seen.add(cls);
    expect([block.geoid, still.colourAt(x, y)]).toEqual([block.geoid, classes[cls]]);
  }
  expect(seen.size).toBeGreaterThan(2);
  await expect.poll(() => held.length).toBe(1);
  await held[0]();
  await drawn(page, 'walk', 101);
  await page.locator('.still-bands').waitFor({ state: 'detached' });
  // Requests that the document preloads are not sent again.
  for (const url of new Set(asked.filter((one) => one.includes('/v1/')))) {
    expect([url, asked.filter((one) => one === url).length]).toEqual([url, 1]);
  }
});

/** Makes a page wait for `letGo` before it unpacks bytes that came while `isHolding`. */
const HOLD = `
  const Unpacking = DecompressionStream;
  const all = new Promise((resolve) => { globalThis.letGo = resolve; });
  Object.assign(globalThis, { isHolding: true, held: 0, unpacked: 0 });
  globalThis.DecompressionStream = class {
    constructor(format) {
      const until = isHolding ? all : null;
      if (isHolding) held++;
      else unpacked++;
      const late = new TransformStream({
        async transform(bytes, out) { await until; out.enqueue(bytes); },
      });
      this.writable = late.writable;
      this.readable = late.readable.pipeThrough(new Unpacking(format));
    }
  };
`;

test('colours that arrive after those of another mode were chosen are not seen', async () => {
  const window = { viewport: DESKTOP, deviceScaleFactor: 1 };
  const { page, context } = await open(at(13, '&m=walk&t=101'), window);
  await drawn(page, 'walk', 101);
  await page.evaluate(HOLD);
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await expect.poll(() => page.evaluate('held')).toBeGreaterThan(0);
  await page.evaluate('isHolding = false');
  await page.getByLabel('Mode').selectOption('bike');
  await expect.poll(() => page.evaluate('unpacked')).toBeGreaterThan(0);
  await page.evaluate(
    'new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))',
  );
  await page.evaluate('letGo()');
  await drawn(page, 'bike', 101);
  const fresh = await open(at(14, '&m=bike&t=101'), window);
  await drawn(fresh.page, 'bike', 101);
  expect(await shareMoved(fresh.page, page)).toBeLessThan(0.001);
  await context.close();
  await fresh.context.close();
});

test('the legend has the colours of the map, and the people of each class', async () => {
  for (const scheme of ['light', 'dark'] as const) {
    const { page, context } = await openStill('/map', { colorScheme: scheme });
    const { classes, beyond, outside } = MAP_COLOURS[scheme];
    await page.getByText('people in view are within 15 minutes').waitFor();
    const entries = page.locator('.people-legend tbody tr');
    const fills = await entries.evaluateAll(
      (
        items: { querySelector(selector: string): { getAttribute(name: string): string } | null }[],
      ) => items.map((item) => item.querySelector('rect')?.getAttribute('fill')),
    );
    expect(fills).toEqual([...classes, beyond, beyond, outside]);
    const people = new Array<number>(BAND_ENDS.length + 2).fill(0);
    for (const { geoid, population } of blocks) {
      const minutes = await minutesOf(geoid, 'walk', 101);
      const end = BAND_ENDS.findIndex((one) => (minutes ?? Number.POSITIVE_INFINITY) <= one);
      const row = end !== -1 ? end : BAND_ENDS.length + (minutes === null ? 1 : 0);
      people[row] += population ?? 0;
    }
    const counted = async () => {
      const rows = (await page.locator('.people-legend tbody').innerText()).split('\n');
      return rows.map((row) =>
        row
          .trim()
          .split(/\s*\t\s*/)
          .slice(0, 2),
      );
    };
    await expect
      .poll(counted)
      .toEqual([
        ...['0–5 min', '5–10 min', '10–15 min', '15–20 min', '20–25 min', '25–30 min']
          .concat('over 30 min', 'no street near')
          .map((label, i) => [label, people[i].toLocaleString('en-US')]),
        ['water, or outside the data'],
      ]);
    await context.close();
  }
});

test('the blocks in view are a table that can be sorted by keyboard, and a file', async () => {
  const { page } = await openStill('/map');
  await page.getByText('Blocks in view as a table').click();
  const first = page.locator('.block-rows tbody tr').first();
  const most = blocks.toSorted((a, b) => (b.population ?? 0) - (a.population ?? 0))[0];
  await expect.poll(() => first.innerText()).toContain(most.geoid);
  await page.getByRole('button', { name: 'Block', exact: true }).press('Enter');
  await expect.poll(() => first.innerText()).toContain(blocks.map(({ geoid }) => geoid).sort()[0]);
  expect(await blocksInView(page)).toHaveLength(blocks.length + 1);
  expect((await savedFile(page, 'CSV')).name).toBe('walk-101-demo.csv');
  // While another type is loaded, what is still shown has its own name.
  await page.evaluate(HOLD);
  await chooseType(page, 'libr', /^Libraries/);
  await page.getByRole('heading', { name: 'Walking time to the nearest library' }).waitFor();
  await page.getByText('within 15 minutes of a grocery store').waitFor();
  expect((await savedFile(page, 'CSV')).name).toBe('walk-101-demo.csv');
  await page.evaluate('letGo()');
  await page.getByText('within 15 minutes of a library').waitFor();
  expect((await savedFile(page, 'CSV')).name).toBe('walk-601-demo.csv');
});

test('the page complies with its policy, and requests only from the portal and the API', async () => {
  const { page, wrong, asked } = await open('/');
  expect(asked.filter((url) => /draw-map|maplibre/.test(url))).toEqual([]);
  await page.getByRole('link', { name: 'Map', exact: true }).click();
  await drawn(page, 'walk', 101);
  await page.getByLabel('Mode').selectOption('bike');
  await drawn(page, 'bike', 101);
  expect(await runsSmuggled(page)).toBe(false);
  const hosts = new Set(asked.map((url) => new URL(url).origin).filter((one) => one !== 'null'));
  expect([...hosts].sort()).toEqual([site.address, site.apiAddress].sort());
  expect(asked.some((url) => url.includes('/v1/isochrone/tiles/'))).toBe(false);
  // The blocked script is the only violation.
  expect(wrong.splice(0).filter((words) => !words.includes('Content Security Policy'))).toEqual([]);
});

/**
 * Share of the pixels in a class's colour on a first map that lack this colour on a second map,
 * both there and in the pixels around: colours may move by a pixel. Slivers between lines may
 * differ.
 */
async function shareMoved(first: Page, second: Page): Promise<number> {
  const [before, after] = [await pictureOf(first), await pictureOf(second)];
  expect([after.width, after.height]).toEqual([before.width, before.height]);
  const { classes, beyond } = MAP_COLOURS.light;
  const fills = new Set([...classes, beyond]);
  let moved = 0;
  let compared = 0;
  for (let y = 1; y < before.height - 1; y++) {
    for (let x = 1; x < before.width - 1; x++) {
      const colour = before.colourAt(x, y);
      if (!fills.has(colour)) continue;
      compared++;
      const isNear = [-1, 0, 1].some((dx) =>
        [-1, 0, 1].some((dy) => after.colourAt(x + dx, y + dy) === colour),
      );
      if (!isNear) moved++;
    }
  }
  expect(compared).toBeGreaterThan(100_000);
  return moved / compared;
}

test('mode, type, place and block are in the address, and a fresh browser shows the same map', async () => {
  const { page } = await open('/map', { deviceScaleFactor: 1 });
  await drawn(page, 'walk', 101);
  await page.getByLabel('Mode').selectOption('transit');
  await chooseType(page, 'libr', /^Libraries/);
  await drawn(page, 'transit', 601);
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await page.waitForURL(/map=/);
  const zoomed = page.url();
  await page.locator('canvas').focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForURL(({ href }) => href !== zoomed);
  await page.keyboard.press('Enter');
  await page.waitForURL(/b=\d{15}/);
  await page.locator('body').click({ position: { x: 5, y: 5 } });
  await drawn(page, 'transit', 601);
  const address = page.url();
  expect(address.length).toBeLessThan(200);
  expect(address).toMatch(/#x=1&m=transit&t=601&map=[\d.]+\/[\d.]+\/-[\d.]+&b=\d{15}$/);
  const { pathname, hash } = new URL(address);
  const second = await open(pathname + hash, { deviceScaleFactor: 1 });
  await drawn(second.page, 'transit', 601);
  expect(await second.page.getByLabel('Mode').inputValue()).toBe('transit');
  expect(await second.page.getByRole('combobox', { name: 'To the nearest' }).inputValue()).toBe(
    'Libraries',
  );
  // The outline of the selected block is drawn some time after the page has selected it.
  await expect.poll(() => shareMoved(page, second.page)).toBeLessThan(1 / 20_000);
});

test('a map that opens farther out than tiles have blocks says so until it is zoomed in', async () => {
  const { page } = await open(at(10.5));
  await drawn(page, 'walk', 101);
  const note = page.getByText('Zoom in to see blocks');
  await note.waitFor();
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await note.waitFor({ state: 'detached' });
});

test('an address of another release is reported, and its mode and type are replaced', async () => {
  const { page } = await openStill('/map#x=1&m=horse&t=999&map=99/a/b&b=12');
  await page.getByText('a mode that this release lacks. Shown instead: Walk').waitFor();
  await page.getByText('a type that this release lacks. Shown instead: Grocery stores').waitFor();
});

test('a block of another release is not offered as one of this release', async () => {
  const { page } = await openStill('/map#x=1&b=110010001001000');
  const said = page.getByText('This release has no such block near the map.');
  await said.waitFor();
  await page.evaluate(`location.hash = '#x=1&b=${blocks[0].geoid}'`);
  await page.locator('.block-facts').getByText(blocks[0].geoid).waitFor();
  await expect.poll(() => said.count()).toBe(0);
});

test('a click shows a block; a key, which is stored nowhere, shows its minutes, charged once', async () => {
  const zoom = 15;
  const { page, asked } = await open(at(zoom), {}, [401]);
  await drawn(page, 'walk', 101);
  const box = (await page.locator('.map-canvas').boundingBox())!;
  const near = blocks
    .map((block) => ({ block, place: projected(block, zoom, box) }))
    .filter(
      ({ place: [x, y] }) => x > 150 && y > 150 && x < box.width - 150 && y < box.height - 150,
    );
  for (const { block, place } of near.slice(0, 5)) {
    await page.mouse.click(box.x + place[0], box.y + place[1]);
    await page.locator('.block-facts').getByText(block.geoid).waitFor();
    await page.waitForURL(`**&b=${block.geoid}`);
  }
  let routed = near[5].block;
  for (const { block, place } of near.slice(5)) {
    if ((await minutesOf(block.geoid, 'walk', 101)) === null) continue;
    await page.mouse.click(box.x + place[0], box.y + place[1]);
    routed = block;
    break;
  }
  const panel = page.getByRole('region', { name: 'Selected block' });
  await panel.getByText(routed.geoid).waitFor();
  const send = panel.getByRole('button', { name: /^Exact minutes and names/ });
  const dialog = page.getByRole('dialog');
  await send.click();
  await dialog.getByLabel('API key').fill('ta_live_wrong');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await panel
    .getByRole('alert')
    .getByText(/does not accept this key.*Nothing charged/)
    .waitFor();
  const owner = await site.proxy.customer({ tokens: 10_000 });
  await panel.getByRole('button', { name: /^Try again/ }).click();
  await dialog.getByLabel('API key').fill(owner.key);
  await dialog.getByLabel('API key').press('Enter');
  await panel.locator('.profile').waitFor();
  // The bars are the rows of the API, and the names those of the nearest POIs.
  const { results }: Summary = await summaryOf(routed.geoid);
  const types = new Map(
    site.proxy.releases.current.taxonomy.types.map((type) => [type.dest_type_id, type.name]),
  );
  const everyday = [101, 405, 403, 311, 801, 601, 202, 1005];
  const rows = results.filter(({ dest_type_id }) => everyday.includes(dest_type_id));
  const reached = everyday.filter((type) => rows.some((row) => row.dest_type_id === type));
  const minutes = (type: number, mode: Mode) =>
    rows
      .find((row) => row.dest_type_id === type && row.mode === mode)
      ?.travel_time.toFixed(1)
      .concat(' min') ?? 'over 30';
  const shown = panel.locator('.profile-type');
  await expect.poll(() => shown.count()).toBe(reached.length);
  for (const type of reached) {
    const of = shown.filter({ has: page.getByRole('heading', { name: types.get(type) }) });
    expect(await textsOf(of.locator('.bar .number'))).toEqual(
      MODES.map((mode) => minutes(type, mode)),
    );
    const { results: pois } = (
      await site.proxy.get(`/v1/blocks/${routed.geoid}/pois?mode=walk&type=${type}&limit=1000`, key)
    ).json();
    const nearest = Math.min(
      ...pois.map(({ travel_time }: { travel_time: number }) => travel_time),
    );
    const names = pois
      .filter(({ travel_time }: { travel_time: number }) => travel_time === nearest)
      .map(({ name }: { name: string }) => name || 'without a name');
    if (names.length > 0) expect(names).toContain(await of.locator('.poi-name').textContent());
  }
  const before = await site.proxy.balance(owner.id);
  const charged = 10_000 - before;
  expect(charged).toBe(rows.length + reached.length);
  await panel.getByText(`${charged} tokens charged, ${before.toLocaleString('en-US')}`).waitFor();
  // A name and its marker highlight each other.
  const [name] = await textsOf(panel.locator('.poi-name'));
  await panel.locator('.poi-name').first().hover();
  await page.locator('.map-marker.is-pointed').first().waitFor();
  await page.mouse.move(0, 0);
  await page.locator(`.map-marker[aria-label^="${name}"]`).first().focus();
  await panel.locator('.profile-type.is-pointed').first().waitFor();
  // Changing the mode back and forth costs nothing.
  await page.getByLabel('Mode').selectOption('bike');
  await page.getByLabel('Mode').selectOption('walk');
  await panel.locator('.profile').waitFor();
  expect(await site.proxy.balance(owner.id)).toBe(before);
  expect(asked.filter((url) => url.includes('/summary'))).toHaveLength(2);
  expect([...asked, page.url()].some((url) => url.includes(owner.key))).toBe(false);
  const kept = await page.evaluate(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
  );
  expect(kept).not.toContain(owner.key);
  await panel.getByRole('button', { name: 'Close' }).click();
  await expect.poll(() => panel.count()).toBe(0);
});

/** Words for minutes as `minutesOf` returns them. */
function bandOf(minutes: number | null | undefined): string {
  if (minutes === null) return 'no street near';
  if (minutes === undefined) return 'over 30 min';
  const band = Math.ceil(minutes / 5);
  return `${(band - 1) * 5}–${band * 5} min`;
}

test('the pointer and the keyboard show the class of the API’s minutes, the people and the place, without a key', async () => {
  const zoom = 15;
  const { page } = await open(at(zoom));
  await drawn(page, 'walk', 101);
  await page.locator('.people-sum').getByText('people in view').waitFor();
  const box = (await page.locator('.map-canvas').boundingBox())!;
  const near = blocks
    .map((block) => ({ block, place: projected(block, zoom, box) }))
    .filter(
      ({ place: [x, y] }) => x > 150 && y > 150 && x < box.width - 150 && y < box.height - 150,
    );
  for (const { block, place } of near.slice(0, 8)) {
    await page.mouse.move(box.x + place[0], box.y + place[1]);
    const { population } = block;
    const people = population === 1 ? ' · 1 person' : ` · ${population} people`;
    const minutes = bandOf(await minutesOf(block.geoid, 'walk', 101));
    const begun = `${minutes}${population === null ? '' : people}`;
    await expect
      .poll(async () => (await page.locator('.map-readout').textContent())?.slice(0, begun.length))
      .toBe(begun);
    const shown = (await page.locator('.map-readout').textContent())!;
    await expect.poll(() => page.locator('.map-said').textContent()).toBe(shown);
  }
  await page.mouse.move(5, 5);
  await expect.poll(() => page.locator('.map-readout').count()).toBe(0);
  await page.locator('canvas').focus();
  await page.keyboard.press('ArrowLeft');
  await page
    .locator('.map-readout')
    .getByText(/ min · .*(people|person)/)
    .waitFor();
});

test('a click shows the class of the API’s minutes to the nearest of every type, without a key', async () => {
  const routed: KnownBlock[] = [];
  for (const block of blocks) {
    if ((await minutesOf(block.geoid, 'bike', 101)) !== null) routed.push(block);
    if (routed.length === 2) break;
  }
  const { destination_types: types } = (
    await site.proxy.get('/v1/meta/destination-types')
  ).json() as { destination_types: { name: string; dest_type_id: number }[] };
  const { tiles } = site.proxy.releases.current.manifest;
  const mapped = types.filter(({ dest_type_id }) => `bike-${dest_type_id}` in tiles);
  for (const { geoid } of routed) {
    const { page, context } = await openStill(at(13, `&m=bike&b=${geoid}`));
    const panel = page.getByRole('region', { name: 'Selected block' });
    await panel.getByText(/more types, nearest first$/).click();
    const expected: string[] = [];
    for (const { name, dest_type_id } of mapped) {
      expected.push(name + bandOf(await minutesOf(geoid, 'bike', dest_type_id)));
    }
    const rows = await textsOf(panel.locator('.bands tr'));
    expect(rows.toSorted()).toEqual(expected.toSorted());
    await context.close();
  }
});

test('a mode, a type, the map and a block can be selected by keyboard alone', async () => {
  const { page } = await open('/map');
  await drawn(page, 'walk', 101);
  const focused = () =>
    page.evaluate<string>(`(() => {
      const { labels, ariaLabel, textContent, localName } = document.activeElement;
      return labels?.[0]?.firstElementChild?.textContent ?? ariaLabel ?? (localName + textContent);
    })()`);
  const order = ['Mode', 'To the nearest', 'Map of travel times', 'Zoom in', 'Zoom out'];
  const stops: string[] = [];
  for (let i = 0; i < 30 && stops.at(-1) !== order.at(-1); i++) {
    await page.keyboard.press('Tab');
    stops.push(await focused());
  }
  expect(stops.filter((stop) => order.includes(stop))).toEqual(order);
  await page.getByLabel('Mode').focus();
  await page.keyboard.press('b');
  await drawn(page, 'bike', 101);
  await page.locator('canvas').focus();
  for (const key of ['+', 'ArrowLeft']) {
    await page.keyboard.press(key);
    await drawn(page, 'bike', 101);
  }
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Selected block' }).waitFor();
  await expect
    .poll(() => page.locator('.map-parts > [role=status]').textContent())
    .toMatch(/^Biking time to the nearest grocery store\. Block \d{15} is/);
});

test('a finger selects a block on a phone, and nothing scrolls sideways', async () => {
  const { page } = await open('/map', {
    viewport: PHONE,
    hasTouch: true,
    isMobile: true,
  });
  await drawn(page, 'walk', 101);
  const box = (await page.locator('.map-canvas').boundingBox())!;
  await page.touchscreen.tap(box.x + box.width / 2 + 20, box.y + box.height / 2 + 30);
  const selected = page.getByRole('region', { name: 'Selected block' });
  await selected.getByText('Minutes on foot to the nearest').waitFor();
  const panel = (await page.locator('.map-panel-body').boundingBox())!;
  const close = (await selected.getByRole('button', { name: 'Close' }).boundingBox())!;
  expect(close.y).toBeGreaterThanOrEqual(panel.y);
  expect(close.y + close.height).toBeLessThanOrEqual(panel.y + panel.height);
  const overhang = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(overhang).toBe(0);
});

test('axe finds nothing with a block selected, light and dark, on a phone and a desktop', async () => {
  const { page } = await open(at(14, `&b=${blocks[0].geoid}`));
  for (const viewport of [SMALL_DESKTOP, PHONE]) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await drawn(page, 'walk', 101, colorScheme);
      expect(await accessFaults(page)).toEqual([]);
    }
  }
});

test('while the API is away the page says what is missing, and works again by itself', async () => {
  const context = await ofThisTest(drawing.newContext({ viewport: SMALL_DESKTOP }));
  const isAway = { catalogue: true, tiles: false };
  await context.route(`${site.apiAddress}/**`, (route) => {
    const isTile = route.request().url().includes('/tiles/');
    const isDown = isTile ? isAway.tiles : isAway.catalogue;
    return isDown ? route.abort() : route.continue();
  });
  const page = await context.newPage();
  await page.goto(`${site.address}/map`);
  await page.getByText(/^Couldn’t load the map\./).waitFor();
  isAway.catalogue = false;
  await drawn(page, 'walk', 101);
  isAway.tiles = true;
  await chooseType(page, 'libr', /^Libraries/);
  await page.getByText('The colors could not be loaded').waitFor();
  isAway.tiles = false;
  await drawn(page, 'walk', 601);
  await expect.poll(() => page.getByText('could not be loaded').count()).toBe(0);
});

test('an outage ends by itself in a map in a page of another site, too', async () => {
  const context = await ofThisTest(drawing.newContext({ viewport: SMALL_DESKTOP }));
  let isAway = true;
  await context.route(`${site.apiAddress}/tiles/walk-101-*`, (route) =>
    isAway ? route.abort() : route.continue(),
  );
  const page = await context.newPage();
  await page.goto(`${site.address}/embed`);
  await page.getByText('The colors could not be loaded').waitFor();
  isAway = false;
  await drawn(page, 'walk', 101);
  await expect.poll(() => page.getByText('could not be loaded').count()).toBe(0);
});

test('while the colors of another type are late, none are seen, and the page says so', async () => {
  const context = await ofThisTest(drawing.newContext({ viewport: SMALL_DESKTOP }));
  let arrive!: () => void;
  const arrival = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  await context.route(`${site.apiAddress}/tiles/walk-601-*`, async (route) => {
    await arrival;
    await route.continue();
  });
  const page = await context.newPage();
  await page.goto(`${site.address}${at(13)}`);
  await drawn(page, 'walk', 101);
  const { classes } = MAP_COLOURS.light;
  const coloured = async () => {
    const picture = await pictureOf(page);
    const colours = Array.from({ length: 100 }, (_, i) =>
      picture.colourAt(picture.width * 0.25, (picture.height * (i + 0.5)) / 100),
    );
    return colours.filter((colour) => classes.includes(colour)).length;
  };
  expect(await coloured()).toBeGreaterThan(10);
  await chooseType(page, 'libr', /^Libraries/);
  await page.getByText('Loading the colors').waitFor();
  await expect.poll(coloured).toBe(0);
  arrive();
  await drawn(page, 'walk', 601);
  await expect.poll(() => page.getByText('Loading the colors').count()).toBe(0);
  expect(await coloured()).toBeGreaterThan(10);
});

test('what is missing of one type is not said of another', async () => {
  const context = await ofThisTest(drawing.newContext({ viewport: SMALL_DESKTOP }));
  await context.route(`${site.apiAddress}/tiles/**`, (route) => {
    const request = route.request();
    // A map that found an archive back by its first byte would be loaded anew, without a notice.
    const isAsked = request.headers().range === 'bytes=0-0';
    return isAsked || request.url().includes('walk-601-') ? route.abort() : route.continue();
  });
  const page = await context.newPage();
  await page.goto(`${site.address}/map`);
  await drawn(page, 'walk', 101);
  await chooseType(page, 'libr', /^Libraries/);
  await page.getByText('The colors could not be loaded').waitFor();
  await chooseType(page, 'hosp', /^Hospitals/);
  await drawn(page, 'walk', 401);
  await page.getByText('could not be loaded').waitFor({ state: 'detached' });
});

test('the page reports a release without tiles', async () => {
  const plain = await TamperedRelease.copyOf(inject('demoStore'), { tiles: false });
  onTestFinished(() => plain.remove());
  const bare = await ofThisTest(openPortalSite({ store: plain.folder, chromium: NO_WEBGL }));
  const context = await ofThisTest(bare.browser.newContext());
  const { page } = await openWatched(context, `${bare.address}/map`);
  await page.getByText('This release was built without map tiles').waitFor();
});
