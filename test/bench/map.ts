import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { MAP_COLOURS } from '../../portal/map-classes.ts';
import { PAGE_PATHS } from '../../portal/page-paths.ts';
import type { Release } from '../../shards/release/release.ts';
import { MICRO, type Millis } from '../../shards/units.ts';
import { startDemo } from '../pictures/demo-service.ts';
import { openChromium } from '../support/chromium.ts';
import type { Built } from './built.ts';
import { figure, median } from './figure.ts';

const VIEWPORT = { width: 1280, height: 800 };
/** Options to draw whole pages by WebGL, as browsers with a graphics card do. */
const WHOLE_PAGE_GL = ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
/** A mobile connection: 10 Mb/s either way, and 40 ms to each response. */
const NETWORK = { downloadThroughput: 1.25e6, uploadThroughput: 1.25e6, latency: 40 };
const LOADS = 5;
const WANTED_PAINT_MS: Millis = 1_000;
const WANTED_COLOUR_MS: Millis = 1_200;

/** Blocks in view while the map is panned, or all of a release that has fewer. */
const BLOCKS = 6_000;
const WANTED_FRAMES = 50;
const PAN_MS: Millis = 4_000;
/** Pixels that a pointer drags the map from its middle either way, and the pixels of one step. */
const PAN_PX = 200;
const STEP_PX = 8;
/** Width of the world in pixels at MapLibre's zoom 0. Tiles have blocks from zoom 11. */
const WORLD = 512;
const [LEAST_ZOOM, MOST_ZOOM, ZOOM_STEP] = [11, 15, 0.25];

/**
 * Measures the map in a browser without a graphics card and with an empty cache: how soon something
 * is painted and a block is coloured, and the frames per second while a pointer drags the map,
 * compared with those of a map without tiles.
 */
export async function benchMap({ store, release, place, folder }: Built): Promise<void> {
  const service = await startDemo(path.join(folder, 'map'), { STORE: store });
  const browser = await openChromium(...WHOLE_PAGE_GL);
  try {
    const map = service.portal + PAGE_PATHS.map;
    const opened: Opened[] = [];
    while (opened.length < LOADS) opened.push(await openMap(browser, map));
    const about = { network: '10 Mb/s, 40 ms', loads: LOADS, place };
    const paint = median(opened.map(({ paintedMs }) => paintedMs));
    figure('map.first_paint', paint, 'ms', { wanted_ms: WANTED_PAINT_MS, ...about });
    const colour = median(opened.map(({ colouredMs }) => colouredMs));
    figure('map.first_colour', colour, 'ms', { wanted_ms: WANTED_COLOUR_MS, ...about });
    const view = await viewOf(release);
    const { lat, lon, zoom, blocks } = view;
    const address = `${map}#x=1&map=${zoom}/${lat}/${lon}`;
    const [empty, rate] = [
      await framesWhilePanned(browser, address, openEmpty),
      await framesWhilePanned(browser, address, openDrawn),
    ];
    const most = { of_empty_map: Number(empty.toPrecision(4)) };
    figure('map.frames', rate, '1/s', { wanted: WANTED_FRAMES, ...most, blocks, zoom, place });
  } finally {
    await browser.close();
    await service.stop();
  }
}

/** Times since the page was requested. */
interface Opened {
  readonly paintedMs: Millis;
  readonly colouredMs: Millis;
}

async function openMap(browser: Browser, address: string): Promise<Opened> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', { offline: false, ...NETWORK });
  await page.addInitScript({ content: WATCH_COLOURS });
  await page.goto(address, { waitUntil: 'commit' });
  const coloured = page.locator('[data-coloured-ms]');
  await coloured.waitFor();
  const colouredMs = Number(await coloured.getAttribute('data-coloured-ms'));
  const paintedMs = await page.evaluate<number>(
    `performance.getEntriesByName('first-contentful-paint')[0].startTime`,
  );
  await context.close();
  return { paintedMs, colouredMs };
}

/**
 * Runs in the page, in each frame until a pixel has the colour of a class: looks for a path of the
 * picture under the map, and reads the map after it has drawn. Within a frame, this needs no copy
 * of the canvas, which would cost more than the map.
 */
const WATCH_COLOURS = `{
  const colours = ${JSON.stringify(MAP_COLOURS.light.classes)};
  const bytes = (colour) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
  const number = (rgb) => new Uint32Array(Uint8Array.of(...rgb, 255).buffer)[0];
  const wanted = new Set(colours.map((colour) => number(bytes(colour))));
  let [drawn, isColoured] = [null, false];
  const { drawElements } = WebGL2RenderingContext.prototype;
  WebGL2RenderingContext.prototype.drawElements = function (...args) {
    drawn = this;
    return drawElements.apply(this, args);
  };
  const note = () => {
    isColoured = true;
    document.documentElement.dataset.colouredMs = performance.now();
  };
  const look = (gl) => {
    const [width, height] = [gl.drawingBufferWidth, gl.drawingBufferHeight];
    const pixels = new Uint32Array(width * height);
    const bytes = new Uint8Array(pixels.buffer);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    if (pixels.some((pixel) => wanted.has(pixel))) note();
  };
  const request = window.requestAnimationFrame;
  window.requestAnimationFrame = (act) => request((time) => {
    act(time);
    if (drawn === null || isColoured) return;
    look(drawn);
    drawn = null;
  });
  const follow = () => {
    if (document.querySelector('.still-bands path[d^="M"]') !== null) note();
    if (!isColoured) request(follow);
  };
  request(follow);
}`;

/** A view of the middle of a release at the highest zoom that has enough blocks in it. */
async function viewOf(release: Release) {
  const centres: [x: number, y: number][] = [];
  for (const { manifest } of release.counties) {
    const index = await release.index(manifest);
    for (let i = 0; i < index.count; i++) {
      if (index.landArea(i) === 0) continue;
      centres.push([index.lon[i] / MICRO / 360, northOf(index.lat[i] / MICRO)]);
    }
  }
  const [x, y] = [0, 1].map((axis) => median(centres.map((centre) => centre[axis])));
  const countAt = (zoom: number) => {
    const scale = WORLD * 2 ** zoom;
    const [across, up] = [VIEWPORT.width / 2 / scale, VIEWPORT.height / 2 / scale];
    return centres.filter(([cx, cy]) => Math.abs(cx - x) < across && Math.abs(cy - y) < up).length;
  };
  let zoom = MOST_ZOOM;
  while (zoom > LEAST_ZOOM && countAt(zoom) < BLOCKS) zoom -= ZOOM_STEP;
  const lat = (Math.atan(Math.sinh(y * 2 * Math.PI)) * 180) / Math.PI;
  return { lat: lat.toFixed(5), lon: (x * 360).toFixed(5), zoom, blocks: countAt(zoom) };
}

/** Spherical Mercator: the share of the world's height above the equator. */
function northOf(lat: number): number {
  return Math.asinh(Math.tan((lat * Math.PI) / 180)) / (2 * Math.PI);
}

async function openDrawn(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.locator('[data-drawn]').waitFor();
}

/**
 * Opens the map without its tiles: it draws one fill, and so as many frames as are possible here.
 */
async function openEmpty(page: Page, address: string): Promise<void> {
  await page.route('**/tiles/**', (route) => route.abort());
  await page.goto(address);
  await page.getByText('could not be loaded').waitFor();
}

/** Frames per second while a pointer drags the map to and fro. */
async function framesWhilePanned(
  browser: Browser,
  address: string,
  open: (page: Page, address: string) => Promise<void>,
): Promise<number> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  const page = await context.newPage();
  await open(page, address);
  const rate = await page.evaluate<number>(PAN);
  await context.close();
  return rate;
}

/**
 * Runs in the page, where the pointer moves once per frame. A move from outside would wait for the
 * browser to process it, and frames would wait for the moves.
 */
const PAN = `new Promise((resolve) => {
  const canvas = document.querySelector('.map-canvas canvas');
  const box = canvas.getBoundingClientRect();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const send = (type, at, buttons) => {
    const place = { clientX: x + at, clientY: y + at / 2 };
    canvas.dispatchEvent(new MouseEvent(type, { ...place, buttons, bubbles: true }));
  };
  let [frames, at, step, begun] = [0, 0, ${STEP_PX}, null];
  const draw = (now) => {
    begun ??= now;
    if (now - begun >= ${PAN_MS}) {
      send('mouseup', at, 0);
      resolve((frames * 1000) / (now - begun));
      return;
    }
    if (Math.abs(at + step) > ${PAN_PX}) step = -step;
    at += step;
    send('mousemove', at, 1);
    frames++;
    requestAnimationFrame(draw);
  };
  send('mousedown', 0, 1);
  requestAnimationFrame(draw);
})`;
