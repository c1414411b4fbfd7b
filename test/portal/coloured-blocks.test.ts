import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createClient } from '../../portal/client/src/index.ts';
import { csvOf, geoJsonOf } from '../../portal/pages/map/blocks/block-files.ts';
import {
  blocksWithin,
  colouredBlocks,
  shareWithin,
  tallyOf,
} from '../../portal/pages/map/blocks/coloured-blocks.ts';
import { seenBox } from '../../portal/pages/map/blocks/seen-box.ts';
import { freePort } from '../support/free-port.ts';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';

const [MODE, TYPE] = ['transit', 101] as const;
const FACTS = { mode: MODE, type: TYPE, release: 'demo', attribution: '© Someone' };

/** A block with land, by the rows of the API. */
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

/** A box that cuts through the city, no edge of it within a metre of a centre. */
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

test('people by class in a box are those of the API’s rows, block by block', async () => {
  const box = cityBox();
  const coloured = (await colouredBlocks(api, box, MODE, TYPE))!;
  const tally = tallyOf(coloured, blocksWithin(coloured, box));
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
  expect(tally.blocks.reduce((sum, one) => sum + one, 0)).toBe(inside.length);
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

test('a map that moves within what it has listed does not list counties again', async () => {
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
  expect((await colouredBlocks(counting, nearTheSea, MODE, TYPE))!.geoids).toHaveLength(0);
  await colouredBlocks(counting, box, MODE, TYPE);
  expect(requested.filter((url) => url.includes('/v1/meta/block-bands?'))).toHaveLength(2);
  const inner = [box[0] + 0.001, box[1] + 0.001, box[2] - 0.001, box[3] - 0.001] as const;
  expect((await colouredBlocks(counting, inner, 'walk', 601))!.geoids.length).toBeGreaterThan(0);
  expect(requested).toHaveLength(2);
});

test('CSV and GeoJSON hold the classes that the API’s minutes are in', async () => {
  const everywhere = [-180, -90, 180, 90] as const;
  const coloured = (await colouredBlocks(api, everywhere, MODE, TYPE))!;
  const blocks = blocksWithin(coloured, everywhere);
  const [head, ...lines] = csvOf(coloured, blocks, FACTS).trimEnd().split('\r\n');
  const rows = lines.map((line) => {
    const cells = line.split(',');
    return Object.fromEntries(head.split(',').map((name, i) => [name, cells[i]]));
  });
  const { features } = JSON.parse(geoJsonOf(coloured, blocks, FACTS));
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
    expect([id, properties.class, properties.minutes_to]).toEqual([
      row.geoid,
      row.class,
      row.minutes_to === '' ? null : Number(row.minutes_to),
    ]);
    expect(Math.abs(geometry.coordinates[0] - lon)).toBeLessThan(6e-6);
    expect(Math.abs(geometry.coordinates[1] - lat)).toBeLessThan(6e-6);
  }
});

test('the box that a map shows is that of spherical Mercator', () => {
  // At zoom 0 the world is 512 pixels wide, and as high between 85.0511° north and south.
  const [west, south, east, north] = seenBox({ zoom: 0, lat: 0, lon: 0 }, 512, 512);
  expect([west, east]).toEqual([-180, 180]);
  expect([north, -south].map((lat) => lat.toFixed(4))).toEqual(['85.0511', '85.0511']);
});
