import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { deserialize } from 'flatgeobuf/lib/mjs/geojson.js';
import type { MultiPolygon, Polygon } from 'geojson';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createClient } from '../../portal/client/src/index.ts';
import { csvOf, geoJsonOf } from '../../portal/pages/map/blocks/block-files.ts';
import {
  type BlockFacts,
  blockList,
  nearestListing,
} from '../../portal/pages/map/blocks/block-lists.ts';
import { blockOutline, blockPolygons } from '../../portal/pages/map/blocks/block-polygons.ts';
import {
  blocksWithin,
  shareWithin,
  tallyOf,
} from '../../portal/pages/map/blocks/coloured-blocks.ts';
import { measuredIn, nearestMeasure } from '../../portal/pages/map/blocks/measures.ts';
import { seenBox } from '../../portal/pages/map/tiles/frame.ts';
import { forAll } from '../support/for-all.ts';
import { freePort } from '../support/free-port.ts';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';

const [MODE, TYPE] = ['transit', 101] as const;
const MEASURE = nearestMeasure(MODE, [TYPE]);
const listOf = (blocks: BlockFacts, bands: Uint8Array, listed: readonly number[]) =>
  blockList(blocks, listed, 'in view', nearestListing(bands, { mode: MODE, dest_type_id: TYPE }));
const FACTS = { release: 'demo', attribution: '© Someone' };

/** A block with land, with its row from the API. */
interface Known {
  readonly geoid: string;
  readonly lon: number;
  readonly lat: number;
  readonly population: number;
  readonly minutes: number | null;
}

let proxy: ProxyHarness;
let baseUrl: string;
let api: ReturnType<typeof createClient>;
const known: Known[] = [];
beforeAll(async () => {
  const port = await freePort();
  baseUrl = `http://127.0.0.1:${port}`;
  proxy = await openProxy(inject('demoStore'), { config: { baseUrl } });
  await proxy.app.listen({ port, host: '127.0.0.1' });
  api = createClient({ baseUrl });
  const { key } = await proxy.customer({ tokens: 1e6 });
  for (const { manifest } of proxy.releases.current.counties) {
    const index = await proxy.releases.current.index(manifest);
    for (let i = 0; i < index.count; i++) {
      if (index.landArea(i) === 0) continue;
      const geoid = String(index.geoids[i]).padStart(15, '0');
      const url = `/v1/blocks/${geoid}/summary?mode=${MODE}&type=${TYPE}`;
      const { block, results } = (await proxy.get(url, key)).json();
      const [lon, lat] = [index.lon[i] / 1e6, index.lat[i] / 1e6];
      const minutes = results[0]?.travel_time ?? null;
      known.push({ geoid, lon, lat, population: block.population, minutes });
    }
  }
});
afterAll(() => proxy?.close());

type Ring = readonly (readonly [lon: number, lat: number])[];
type Rings = readonly Ring[];
interface Drawn {
  readonly id: string;
  readonly geometry: { readonly type: string; readonly coordinates: readonly Rings[] };
}

/** Area in square degrees, positive if counter-clockwise. */
function areaOf(rings: Rings): number {
  const [x0, y0] = rings[0][0];
  let twice = 0;
  for (const ring of rings) {
    for (let i = 1; i < ring.length; i++) {
      const [[x1, y1], [x2, y2]] = [ring[i - 1], ring[i]];
      twice += (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0);
    }
  }
  return twice / 2;
}

function isInside(rings: Rings, lon: number, lat: number): boolean {
  let isIn = false;
  for (const ring of rings) {
    for (let i = 1; i < ring.length; i++) {
      const [[x1, y1], [x2, y2]] = [ring[i - 1], ring[i]];
      if (y1 > lat !== y2 > lat && lon < x1 + ((lat - y1) / (y2 - y1)) * (x2 - x1)) isIn = !isIn;
    }
  }
  return isIn;
}

/** Metres from a point to the nearest edge. */
function metresFrom(rings: Rings, lon: number, lat: number): number {
  const perDegree = 111_195;
  const east = perDegree * Math.cos((lat * Math.PI) / 180);
  let least = Number.POSITIVE_INFINITY;
  for (const ring of rings) {
    for (let i = 1; i < ring.length; i++) {
      const [[ax, ay], [bx, by]] = [ring[i - 1], ring[i]].map(([x, y]) => [
        (x - lon) * east,
        (y - lat) * perDegree,
      ]);
      const squared = (bx - ax) ** 2 + (by - ay) ** 2 || 1;
      const share = Math.min(1, Math.max(0, -(ax * (bx - ax) + ay * (by - ay)) / squared));
      least = Math.min(least, Math.hypot(ax + share * (bx - ax), ay + share * (by - ay)));
    }
  }
  return least;
}

/** A box that cuts through the city, with no edge within a metre of a block's centre. */
function cityBox(): [number, number, number, number] {
  const lons = known.map(({ lon }) => lon).sort((a, b) => a - b);
  const lats = known.map(({ lat }) => lat).sort((a, b) => a - b);
  const between = (all: number[], share: number) => {
    let i = Math.floor(all.length * share);
    while (all[i + 1] - all[i] < 1e-4) i++;
    return (all[i] + all[i + 1]) / 2;
  };
  return [between(lons, 0.2), between(lats, 0.2), between(lons, 0.7), between(lats, 0.7)];
}

test('the people of each class in a box are those of the API’s rows, block by block', async () => {
  const box = cityBox();
  const { blocks, of } = (await measuredIn(api, box, MEASURE))!;
  const tally = tallyOf(of, blocks.population, blocksWithin(blocks, box));
  const inside = known.filter(
    ({ lon, lat }) => lon > box[0] && lon < box[2] && lat > box[1] && lat < box[3],
  );
  expect(inside.length).toBeGreaterThan(50);
  expect(inside.length).toBeLessThan(known.length);
  const peopleWhere = (is: (minutes: number | null) => boolean) =>
    inside.reduce((sum, { minutes, population }) => sum + (is(minutes) ? population : 0), 0);
  for (let band = 1; band <= 6; band++) {
    const wanted = peopleWhere((m) => m !== null && m > band * 5 - 5 && m <= band * 5);
    expect([band, tally.people[band]]).toEqual([band, wanted]);
  }
  expect(tally.people[0] + tally.people[7]).toBe(peopleWhere((minutes) => minutes === null));
  expect(tally.allPeople).toBe(peopleWhere(() => true));
  expect(shareWithin(tally, 3)).toBeCloseTo(
    peopleWhere((m) => m !== null && m <= 15) / peopleWhere(() => true),
  );
});

test('the Python program of the documents counts the people within 15 minutes as the API does', async () => {
  const text = await readFile('infra/docs/maps.md', 'utf8');
  const [, program] = /```python\n([\s\S]*?)```/.exec(text)!;
  expect(program.trim().split('\n').length).toBeLessThanOrEqual(32);
  const named = program
    .replace('http://127.0.0.1:8080', baseUrl)
    .replace('mode, dest_type_id = "walk", 101', `mode, dest_type_id = "${MODE}", ${TYPE}`);
  const { stdout } = await promisify(execFile)('python3', ['-c', named]);
  const near = known.filter(({ minutes }) => minutes !== null && minutes <= 15);
  const people = near.reduce((sum, { population }) => sum + population, 0);
  expect(people).toBeGreaterThan(0);
  expect(Number(stdout)).toBe(people);
});

test('a map that moves within an area already listed does not list its counties again', async () => {
  const box = cityBox();
  const requested: string[] = [];
  const counting = createClient({
    baseUrl,
    fetch(url, init) {
      requested.push(String(url));
      return fetch(url, init);
    },
  });
  const nearTheSea = [box[0] + 20, box[1], box[2] + 20, box[3]] as const;
  expect((await measuredIn(counting, nearTheSea, MEASURE))!.of).toHaveLength(0);
  await measuredIn(counting, box, MEASURE);
  expect(requested.filter((url) => url.includes('/v1/meta/block-bands?'))).toHaveLength(2);
  const inner = [box[0] + 0.001, box[1] + 0.001, box[2] - 0.001, box[3] - 0.001] as const;
  expect(
    (await measuredIn(counting, inner, nearestMeasure('walk', [601])))!.of.length,
  ).toBeGreaterThan(0);
  expect(requested).toHaveLength(2);
});

test('CSV and GeoJSON have the classes that contain the API’s minutes', async () => {
  const everywhere = [-180, -90, 180, 90] as const;
  const { blocks, of } = (await measuredIn(api, everywhere, MEASURE))!;
  const list = listOf(blocks, of, blocksWithin(blocks, everywhere));
  const [head, ...lines] = csvOf(list, FACTS.release).trimEnd().split('\r\n');
  const rows = lines.map((line) => {
    const cells = line.split(',');
    return Object.fromEntries(head.split(',').map((name, i) => [name, cells[i]]));
  });
  const { features } = JSON.parse(geoJsonOf(list, new Map(), FACTS));
  expect([rows.length, features.length]).toEqual([known.length, known.length]);
  const byGeoid = new Map(known.map((block) => [block.geoid, block]));
  for (const [i, row] of rows.entries()) {
    const { minutes, population, lon, lat } = byGeoid.get(row.geoid)!;
    const isIn =
      minutes === null
        ? row.minutes_to === ''
        : minutes > Number(row.minutes_over) - (row.minutes_over === '0' ? 1 : 0) &&
          minutes <= Number(row.minutes_to);
    expect([row.geoid, isIn, row.population, row.mode]).toEqual([
      row.geoid,
      true,
      String(population),
      MODE,
    ]);
    const { id, geometry, properties } = features[i];
    expect(geometry).toBeNull();
    expect([id, properties.class, properties.minutes_to]).toEqual([
      row.geoid,
      row.class,
      row.minutes_to === '' ? null : Number(row.minutes_to),
    ]);
    expect(Math.abs(properties.lon - lon)).toBeLessThan(6e-6);
    expect(Math.abs(properties.lat - lat)).toBeLessThan(6e-6);
  }
});

test('the outline of a county has its blocks inside, and those of others outside', async () => {
  const { archives } = (await api.getTileArchives()).data;
  const { url } = archives.find(({ layer }) => layer === 'blocks')!;
  const [own, others] = [true, false].map((isOwn) =>
    known.filter(({ geoid }) => geoid.startsWith('99001') === isOwn),
  );
  const [lons, lats] = [own.map(({ lon }) => lon), own.map(({ lat }) => lat)];
  const box = [Math.min(...lons), Math.min(...lats), Math.max(...lons), Math.max(...lats)] as const;
  const outline = await blockOutline(url, box, new Set(own.map(({ geoid }) => Number(geoid))));
  const isWithin = ({ lon, lat }: Known) =>
    outline.some((polygon) => isInside(polygon as unknown as Rings, lon, lat));
  expect(own.filter((block) => !isWithin(block))).toEqual([]);
  expect(others.filter(isWithin)).toEqual([]);
  expect(others.length).toBeGreaterThan(50);
});

test('GeoJSON has the polygons of the blocks, whole where tiles have cut them', async () => {
  const box = cityBox();
  const { blocks, of } = (await measuredIn(api, box, MEASURE))!;
  const seen = blocksWithin(blocks, box);
  const { archives } = (await api.getTileArchives()).data;
  const { url } = archives.find(({ layer }) => layer === 'blocks')!;
  const wanted = new Set(seen.map((i) => blocks.geoids[i]));
  const polygons = await blockPolygons(url, box, wanted);
  const { features } = JSON.parse(geoJsonOf(listOf(blocks, of, seen), polygons, FACTS));
  expect(features).toHaveLength(seen.length);
  const outlines = new Map<string, Rings>();
  for (const { manifest } of proxy.releases.current.counties) {
    const bytes = await readFile(path.join(inject('demoStore'), manifest.objects.blocks.name));
    for await (const { properties, geometry } of deserialize(new Uint8Array(bytes))) {
      const { type, coordinates } = geometry as Polygon | MultiPolygon;
      const rings = type === 'Polygon' ? coordinates : coordinates.flat();
      outlines.set(properties!.geoid, rings as unknown as Rings);
    }
  }
  for (const { id, geometry } of features) {
    expect(geometry.type).toBe('MultiPolygon');
    const rings: Rings = geometry.coordinates.flat();
    // Shells run counter-clockwise, holes clockwise, and each is closed.
    for (const [shell, ...holes] of geometry.coordinates) {
      expect([
        id,
        areaOf([shell]) > 0,
        holes.every((hole: Rings[0]) => areaOf([hole]) < 0),
      ]).toEqual([id, true, true]);
    }
    expect(rings.every((ring) => String(ring[0]) === String(ring.at(-1)))).toBe(true);
    const ratio = areaOf(rings) / areaOf(outlines.get(id)!);
    // Tiles have units of 0.6 m, and their lines are simplified to a quarter of a pixel.
    expect([id, Math.abs(Math.abs(ratio) - 1) < 0.03]).toEqual([id, true]);
  }
  const drawn = new Map<string, Rings>(
    features.map(({ id, geometry }: Drawn) => [id, geometry.coordinates.flat()]),
  );
  const within = (side: 0 | 1) => fc.double({ min: box[side], max: box[side + 2], noNaN: true });
  await forAll(1_000, within(0), within(1), (lon, lat) => {
    const holder = (all: ReadonlyMap<string, Rings>) =>
      [...all].filter(([, rings]) => isInside(rings, lon, lat)).map(([id]) => id);
    const found = holder(drawn);
    const expected = holder(outlines).filter((id) => drawn.has(id));
    if (String(found) === String(expected)) return;
    // Differences occur only where lines have been simplified.
    const near = [...found, ...expected].map((id) => metresFrom(outlines.get(id)!, lon, lat));
    expect(Math.max(...near)).toBeLessThan(3);
  });
});

test('the box that a map shows is that of spherical Mercator', () => {
  // At zoom 0 the world is 512 pixels wide, and as high between 85.0511° north and south.
  const [west, south, east, north] = seenBox({ zoom: 0, lat: 0, lon: 0 }, 512, 512);
  expect([west, east]).toEqual([-180, 180]);
  expect([north, -south].map((lat) => lat.toFixed(4))).toEqual(['85.0511', '85.0511']);
});
