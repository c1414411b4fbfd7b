import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { deserialize } from 'flatgeobuf/lib/mjs/geojson.js';
import type { MultiPolygon, Polygon } from 'geojson';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Random } from '../../infra/demo/seeded-random.ts';
import { MAP_COLOURS } from '../../portal/map-classes.ts';
import { drawnBaltimoreStore } from '../support/baltimore-release.ts';
import { SOFTWARE_GL } from '../support/chromium.ts';
import { pixelsOf } from '../support/picture-pixels.ts';
import { openPortalSite, type PortalSite } from '../support/portal-site.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { openWatched } from '../support/watched-page.ts';

const COUNTY = '24510';
const [MODE, TYPE] = ['walk', 101] as const;
const ZOOM = 14;
const CENTRE = { lon: -76.612, lat: 39.295 };
const PIXELS = 500;
/**
 * Distance from a block's edge within which pixels are not compared: tiles have units of an eighth
 * of a pixel, and lines are simplified by a quarter.
 */
const EDGE_PX = 2;

let store: string;
let site: PortalSite;
beforeAll(async () => {
  store = await drawnBaltimoreStore();
  const exampleBlock = '245100101001000';
  site = await openPortalSite({ store, exampleBlock, chromium: SOFTWARE_GL });
});
afterAll(() => site?.close());

type Pixel = readonly [x: number, y: number];
type Box = readonly [left: number, top: number, right: number, bottom: number];

function boxOf(points: readonly Pixel[]): Box {
  const [x, y] = [points.map(([x]) => x), points.map(([, y]) => y)];
  return [Math.min(...x), Math.min(...y), Math.max(...x), Math.max(...y)];
}

const isIn = ([left, top, right, bottom]: Box, [x, y]: Pixel) =>
  x >= left && x <= right && y >= top && y <= bottom;

/** Reads the outlines of the blocks, in pixels of a picture of the given size around the centre. */
async function outlinesIn(width: number, height: number) {
  const scale = 512 * 2 ** ZOOM;
  const north = (lat: number) => Math.asinh(Math.tan((lat * Math.PI) / 180)) / (2 * Math.PI);
  const at = ([lon, lat]: readonly number[]): Pixel => [
    width / 2 + ((lon - CENTRE.lon) / 360) * scale,
    height / 2 - (north(lat) - north(CENTRE.lat)) * scale,
  ];
  const { blocks } = site.proxy.releases.current.county(COUNTY)!.objects;
  const bytes = await readFile(path.join(store, blocks.name));
  const found: { readonly geoid: string; readonly rings: Pixel[][]; readonly box: Box }[] = [];
  for await (const { properties, geometry } of deserialize(new Uint8Array(bytes))) {
    const { type, coordinates } = geometry as Polygon | MultiPolygon;
    const rings = (type === 'Polygon' ? coordinates : coordinates.flat()).map((ring) =>
      ring.map(at),
    );
    const isNear = rings.some((ring) =>
      ring.some(([x, y]) => x > 0 && y > 0 && x < width && y < height),
    );
    if (isNear) found.push({ geoid: properties!.geoid, rings, box: boxOf(rings.flat()) });
  }
  return found;
}

/** Whether a pixel is inside some rings, and its distance in pixels from their nearest edge. */
function judged(rings: readonly Pixel[][], [x, y]: Pixel) {
  let isInside = false;
  let distance = Number.POSITIVE_INFINITY;
  for (const ring of rings) {
    for (let i = 1; i < ring.length; i++) {
      const [[x1, y1], [x2, y2]] = [ring[i - 1], ring[i]];
      if (y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)) isInside = !isInside;
      const squared = (x2 - x1) ** 2 + (y2 - y1) ** 2 || 1;
      const along = ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / squared;
      const share = Math.min(1, Math.max(0, along));
      distance = Math.min(
        distance,
        Math.hypot(x1 + share * (x2 - x1) - x, y1 + share * (y2 - y1) - y),
      );
    }
  }
  return { isInside, distance };
}

test('500 pixels of Baltimore have the colour of the class of the API’s minutes', async () => {
  const context = await ofThisTest(
    site.browser.newContext({
      viewport: { width: 1200, height: 900 },
      deviceScaleFactor: 1,
    }),
  );
  const fragment = `#x=1&m=${MODE}&t=${TYPE}&map=${ZOOM}/${CENTRE.lat}/${CENTRE.lon}`;
  const { page } = await openWatched(context, `${site.address}/map${fragment}`);
  await page.locator('[data-drawn]').waitFor();
  const picture = pixelsOf(await page.locator('.map-canvas').screenshot());
  const outlines = await outlinesIn(picture.width, picture.height);
  const { key } = await site.proxy.customer({ tokens: 1e6 });
  const { classes, beyond } = MAP_COLOURS.light;
  const fills = new Set([...classes, beyond]);
  const random = new Random(1);
  const seen = new Map<string, number>();
  let sampled = 0;
  while (sampled < PIXELS) {
    const [x, y] = [random.below(picture.width), random.below(picture.height)];
    const colour = picture.colourAt(x, y);
    // Streets, lines and names lie over the rest.
    if (!fills.has(colour)) continue;
    const centre: Pixel = [x + 0.5, y + 0.5];
    const holder = outlines.find(
      ({ rings, box }) => isIn(box, centre) && judged(rings, centre).isInside,
    );
    if (holder === undefined || judged(holder.rings, centre).distance < EDGE_PX) continue;
    const url = `/v1/blocks/${holder.geoid}/summary?mode=${MODE}&type=${TYPE}`;
    const { results, unrouted } = (await site.proxy.get(url, key)).json();
    if (unrouted !== undefined) continue;
    const [row] = results;
    const expected = row ? classes[Math.ceil(row.travel_time / 5) - 1] : beyond;
    expect([holder.geoid, x, y, colour]).toEqual([holder.geoid, x, y, expected]);
    seen.set(colour, (seen.get(colour) ?? 0) + 1);
    sampled++;
  }
  expect(seen.size).toBeGreaterThan(4);
});
