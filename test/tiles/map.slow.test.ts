import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { SOFTWARE_GL, sharedChromium } from '../support/chromium.ts';
import { freePort } from '../support/free-port.ts';
import { openProxy } from '../support/proxy-harness.ts';
import { positions } from '../support/rings.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { type DrawnRelease, openDrawnRelease } from './drawn-release.ts';
import { serveMap } from './map-server.ts';

const COLOURS: Readonly<Record<number, string>> = {
  5: '#00441b',
  10: '#1b7837',
  15: '#5aae61',
  20: '#a6dba0',
  25: '#c2a5cf',
  30: '#762a83',
};
/** Colour of the page, which blocks without a band show. */
const PAPER = '#ffffff';
const SIZE = { width: 900, height: 700 };
/** Pixels from the edge of the page within which blocks are ignored. */
const MARGIN = 5;

/** Maps are drawn by WebGL, in software: the machine may have no graphics card. */
let browser: Browser;
let city: DrawnRelease;
beforeAll(async () => {
  browser = await sharedChromium(SOFTWARE_GL);
  city = await openDrawnRelease(inject('demoStore'));
});
afterAll(() => city?.close());

/** The column with the most distinct bands, whose map is worth examining. */
async function richestColumn(): Promise<number> {
  const bands = Array.from({ length: city.release.columns }, () => new Set<number>());
  for (const county of Object.values(city.release.manifest.counties)) {
    for (let block = 0; block < county.blocks; block += 5) {
      const times = await city.release.nearest(county, block);
      times.forEach((time, column) => {
        bands[column].add(Math.ceil(time / 50));
      });
    }
  }
  return bands.findIndex((seen) => seen.size === Math.max(...bands.map(({ size }) => size)));
}

/** The map's tile source, and the key that is sent to it. */
interface TileSource {
  readonly url: string;
  readonly key?: string;
}

/** Blocks with the colour that a column's times give them. */
async function colouredBlocks(column: number) {
  const { release } = city;
  const blocks: { position: [number, number]; colour: string }[] = [];
  for (const county of Object.values(release.manifest.counties)) {
    const index = await release.index(county);
    for (let block = 0; block < index.count; block++) {
      const minutes = (await release.nearest(county, block))[column] / 10;
      const colour = minutes === 0 ? PAPER : COLOURS[Math.ceil(minutes / 5) * 5];
      blocks.push({ position: [index.lon[block] / 1e6, index.lat[block] / 1e6], colour });
    }
  }
  return blocks;
}

/** Draws a column at several zooms, and samples the pixel at each block's centre. */
async function expectEveryBlockDrawn(column: number, mapUrl: string, source: TileSource) {
  const blocks = await colouredBlocks(column);
  const mean = (axis: 0 | 1) =>
    blocks.reduce((sum, { position }) => sum + position[axis], 0) / blocks.length;
  const middle = [mean(0), mean(1)];
  const page = await browser.newPage({ viewport: SIZE, deviceScaleFactor: 1 });
  try {
    // The last zooms of the archive, one beyond them, and one where blocks are a few pixels.
    for (const [zoom, share] of positions('13 1, 14 1, 15.5 1, 11 0.97')) {
      const wanted = {
        ...source,
        centre: middle,
        zoom,
        colours: Object.entries(COLOURS).flatMap(([m, c]) => [Number(m), c]),
      };
      await page.goto('about:blank');
      await page.goto(`${mapUrl}#${encodeURIComponent(JSON.stringify(wanted))}`);
      await page.evaluate('drawn');
      expect(await page.evaluate('problems')).toEqual([]);
      const positions = JSON.stringify(blocks.map(({ position }) => position));
      const places = (await page.evaluate(`places(${positions})`)) as [number, number][];
      const seen = blocks.flatMap(({ colour }, i) => {
        const [x, y] = places[i];
        const isOnPage =
          x > MARGIN && x < SIZE.width - MARGIN && y > MARGIN && y < SIZE.height - MARGIN;
        return isOnPage ? [{ place: places[i], colour }] : [];
      });
      const png = (await page.screenshot()).toString('base64');
      const spots = JSON.stringify(seen.map(({ place }) => place));
      const found = (await page.evaluate(`coloursOf('${png}', ${spots})`)) as string[];
      const right = seen.filter(({ colour }, i) => found[i] === colour).length;
      expect(seen.length).toBeGreaterThan(30);
      expect({ zoom, enough: right / seen.length >= share }).toEqual({ zoom, enough: true });
      expect(new Set(found).size).toBeGreaterThan(1);
    }
  } finally {
    await page.close();
  }
}

/** The name of a column's tiles: `walk-101`. */
function nameOf(column: number): string {
  const { manifest, taxonomy } = city.release;
  const { leafIds } = taxonomy;
  return `${manifest.modes[Math.floor(column / leafIds.length)]}-${leafIds[column % leafIds.length]}`;
}

test('MapLibre draws every block in the colour of its band, from an archive in object storage', async () => {
  const column = await richestColumn();
  const { archive } = city.release.manifest.tiles[nameOf(column)];
  const storage = await ofThisTest(
    serveMap(await readFile(path.join(inject('demoStore'), archive.name))),
  );
  const server = await ofThisTest(serveMap(new Uint8Array()));
  const url = `pmtiles://${storage.url}archive.pmtiles`;
  await expectEveryBlockDrawn(column, server.url, { url });
});

test('MapLibre draws every block from the tiles of the service, with a key, on a page of another origin', async () => {
  const column = await richestColumn();
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const proxy = await ofThisTest(openProxy(inject('demoStore'), { config: { baseUrl } }));
  const server = await ofThisTest(serveMap(new Uint8Array()));
  await proxy.app.listen({ port, host: '127.0.0.1' });
  const { id, key } = await proxy.customer({ tokens: 1_000 });
  const url = `${baseUrl}/v1/isochrone/tiles/${nameOf(column).replace('-', '/')}.json`;
  await expectEveryBlockDrawn(column, server.url, { url, key });
  const { balance } = (await proxy.ledger.account(id))!;
  expect(balance).toBeLessThan(1_000);
  expect(balance).toBeGreaterThan(800);
});
