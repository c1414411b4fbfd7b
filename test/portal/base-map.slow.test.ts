import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAP_COLOURS } from '../../portal/map-classes.ts';
import { MICRO } from '../../shards/units.ts';
import { SOFTWARE_GL } from '../support/chromium.ts';
import { pixelsOf } from '../support/picture-pixels.ts';
import { openPortalSite, type PortalSite } from '../support/portal-site.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { openWatched, textsOf } from '../support/watched-page.ts';

const ZOOM = 14;
/** Width of the world in pixels at zoom 0, as MapLibre counts zooms. */
const WORLD = 512;
const VIEWPORT = { width: 1280, height: 960 };
const TYPE = 101;
type Scheme = keyof typeof MAP_COLOURS;

/** Colour of the sea in the style of another service, which nothing else has. */
const SEA = '#12ab34';

let styles: Server;
let styleUrl: string;
let site: PortalSite;
let styled: PortalSite;
beforeAll(async () => {
  styles = createServer((_, response) => {
    response.writeHead(200, { 'access-control-allow-origin': '*' });
    response.end(
      JSON.stringify({
        version: 8,
        sources: {},
        layers: [{ id: 'sea', type: 'background', paint: { 'background-color': SEA } }],
      }),
    );
  });
  await new Promise<void>((resolve) => styles.listen(0, '127.0.0.1', resolve));
  styleUrl = `http://127.0.0.1:${(styles.address() as AddressInfo).port}/style.json`;
  site = await openPortalSite({ chromium: SOFTWARE_GL });
  styled = await openPortalSite({ chromium: SOFTWARE_GL, config: { mapStyleUrl: styleUrl } });
});
afterAll(async () => {
  await site?.close();
  await styled?.close();
  styles.close();
});

interface Block {
  readonly geoid: string;
  readonly lon: number;
  readonly lat: number;
  readonly isWater: boolean;
}

async function blocksOf({ proxy }: PortalSite): Promise<Block[]> {
  const release = proxy.releases.current;
  const blocks: Block[] = [];
  for (const { manifest } of release.counties) {
    const index = await release.index(manifest);
    index.geoids.forEach((geoid, i) => {
      const [lon, lat] = [index.lon[i] / MICRO, index.lat[i] / MICRO];
      blocks.push({ geoid: String(geoid), lon, lat, isWater: index.landArea(i) === 0 });
    });
  }
  return blocks;
}

interface OpenMap {
  readonly page: Page;
  readonly asked: string[];
  readonly wrong: string[];
  /** The colour at a position, `#rrggbb`; null outside the picture. */
  colourAt(at: { lon: number; lat: number }, dx?: number, dy?: number): string | null;
}

/** Opens the map around a position, and waits until it is drawn. */
async function openMap(
  { address, browser, apiAddress, proxy }: PortalSite,
  centre: { lon: number; lat: number },
  colorScheme: Scheme,
): Promise<OpenMap> {
  const context = await ofThisTest(
    browser.newContext({
      viewport: VIEWPORT,
      deviceScaleFactor: 1,
      colorScheme,
    }),
  );
  const url = `${address}/map#x=1&map=${ZOOM}/${centre.lat}/${centre.lon}&m=walk&t=${TYPE}`;
  const { page, asked, wrong } = await openWatched(context, url);
  const { archive } = proxy.releases.current.manifest.tiles[`walk-${TYPE}`];
  const state = `${apiAddress}/${archive.name} ${colorScheme}`;
  await page.locator(`[data-drawn="${state}"]`).waitFor();
  const png = await page.locator('.map-canvas').screenshot();
  const picture = pixelsOf(png);
  const { width, height } = picture;
  const y = (lat: number) => -Math.asinh(Math.tan((lat * Math.PI) / 180)) / (2 * Math.PI);
  const scale = WORLD * 2 ** ZOOM;
  return {
    page,
    asked,
    wrong,
    colourAt(at, dx = 0, dy = 0) {
      const px = Math.floor(width / 2 + ((at.lon - centre.lon) / 360) * scale + dx);
      const py = Math.floor(height / 2 + (y(at.lat) - y(centre.lat)) * scale + dy);
      // The controls lie over the corners.
      if (px < 120 || py < 90 || px > width - 60 || py > height - 50) return null;
      return picture.colourAt(px, py);
    },
  };
}

const GRID = [-6, -3, 0, 3, 6].flatMap((dx) => [-6, -3, 0, 3, 6].map((dy) => [dx, dy] as const));

test.each(['light', 'dark'] as const)(
  'blocks keep the colour of their class between water below and streets above: %s',
  async (scheme) => {
    const blocks = await blocksOf(site);
    const land = blocks.filter(({ isWater }) => !isWater);
    const centre = land[Math.floor(land.length / 2)];
    const { page, asked, colourAt } = await openMap(site, centre, scheme);
    const { classes, beyond, water } = MAP_COLOURS[scheme];
    const { key } = await site.proxy.customer({ tokens: 1e6 });
    let seen = 0;
    let hidden = 0;
    for (const block of land) {
      if (GRID.some(([dx, dy]) => colourAt(block, dx, dy) === null)) continue;
      const path = `/v1/blocks/${block.geoid}/summary?mode=walk&type=${TYPE}`;
      const { results } = (await site.proxy.get(path, key)).json();
      const minutes = results.find((row: { dest_type_id: number }) => row.dest_type_id === TYPE);
      const expected = minutes ? classes[Math.ceil(minutes.travel_time / 5) - 1] : beyond;
      // A street or a name may lie over part of a block, but never another class.
      const found = GRID.map(([dx, dy]) => colourAt(block, dx, dy));
      const ofClasses = new Set(found.filter((colour) => classes.includes(colour ?? '')));
      seen++;
      // The name of a city may lie over all of a block.
      if (ofClasses.size === 0) hidden++;
      else if (expected !== beyond)
        expect([block.geoid, ...ofClasses]).toEqual([block.geoid, expected]);
    }
    expect(seen).toBeGreaterThan(150);
    expect(hidden).toBeLessThan(seen / 20);
    const wet = blocks.filter(({ isWater }) => isWater).map((block) => colourAt(block));
    const shown = wet.filter((colour) => colour !== null);
    expect(shown.length).toBeGreaterThan(3);
    expect(shown.filter((colour) => colour === water).length).toBeGreaterThan(shown.length / 2);
    const fonts = "[...document.fonts].map(({ family, status }) => family + ' ' + status)";
    await expect.poll(() => page.evaluate(fonts)).toEqual(['Noto Sans Semibold loaded']);
    expect(asked.some((url) => /noto-sans.*\.woff2$/.test(url))).toBe(true);
    // Nothing comes from elsewhere, and nothing violates the content security policy.
    const hosts = new Set(asked.map((url) => new URL(url).origin));
    expect([...hosts].sort()).toEqual([site.address, site.apiAddress].sort());
  },
);

test('the legend names water and land outside the data by their colours', async () => {
  const blocks = await blocksOf(site);
  const { page } = await openMap(site, blocks[0], 'light');
  const entries = page.locator('.people-legend tbody th');
  await entries.first().waitFor();
  const fills = await entries
    .locator('rect:first-child')
    .evaluateAll((rects) =>
      rects.map((rect) =>
        (rect as { getAttribute(name: string): string | null }).getAttribute('fill'),
      ),
    );
  const labels = await textsOf(entries);
  expect([labels.at(-2), fills.at(-2)]).toEqual(['water', MAP_COLOURS.light.water]);
  expect([labels.at(-1), fills.at(-1)]).toEqual(['outside the data', MAP_COLOURS.light.outside]);
});

test('a style of another service lies below the blocks, within a policy that allows its host', async () => {
  const land = (await blocksOf(styled)).filter(({ isWater }) => !isWater);
  const north = land.reduce((a, b) => (b.lat > a.lat ? b : a));
  const { asked, colourAt } = await openMap(styled, north, 'light');
  expect(colourAt({ ...north, lat: north.lat + 0.005 })).toBe(SEA);
  expect(asked).toContain(styleUrl);
  expect(asked.filter((url) => url.includes('/tiles/basemap'))).toEqual([]);
});

test('if the style of another service cannot be loaded, the base map of the release is drawn', async () => {
  const [block] = await blocksOf(styled);
  await new Promise((resolve) => styles.close(resolve));
  styles.closeAllConnections();
  const { asked, wrong } = await openMap(styled, block, 'light');
  expect(asked.some((url) => url.includes('/tiles/basemap'))).toBe(true);
  expect(wrong.splice(0)).toContainEqual(expect.stringContaining('ERR_CONNECTION_REFUSED'));
});
