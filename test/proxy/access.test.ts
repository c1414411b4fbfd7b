import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { Random } from '../../infra/demo/seeded-random.ts';
import type { Geoid } from '../../shards/geoid.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';

const proxy = proxyOfTests({ rateLimitPerMinute: 1e6 });

/** Members of a row, or of another item of a response. */
interface Row {
  readonly of: string;
  readonly mode: string;
  readonly minutes: number;
  readonly count: number;
  readonly weight: string;
  readonly total: number;
}

const MODES = ['walk', 'bike', 'transit'];
const ORIGINS = 12;
const seed = Math.floor(Math.random() * 2 ** 31);

/** Jobs by block, straight from the file that the release was built with. */
const jobs = new Map<string, number>();
/** People by block, from the API. */
const people = new Map<string, number>();
/** Blocks without a street near their centre. */
const unrouted = new Set<string>();
/** Random blocks with times. */
let origins: string[] = [];

async function get(url: string) {
  const response = await proxy.get(url, proxy.key);
  expect(response.statusCode, `${url}: ${response.body.slice(0, 300)}`).toBe(200);
  return response.json();
}

beforeAll(async () => {
  const file = path.join(inject('demoCity'), 'weights', 'zz_wac_S000_JT00_2022.csv.gz');
  for (const line of gunzipSync(readFileSync(file)).toString().split('\n').slice(1)) {
    const [geoid, all] = line.split(',');
    if (geoid) jobs.set(geoid, Number(all));
  }
  // All blocks, since any of them may be reached.
  const { releases } = proxy;
  const all: string[] = [];
  for (const { manifest } of releases.current.counties) {
    const { geoids } = await releases.current.index(manifest);
    all.push(...Array.from(geoids, (geoid) => String(geoid).padStart(15, '0')));
  }
  for (let first = 0; first < all.length; first += 250) {
    const body = { origins: all.slice(first, first + 250), mode: ['walk'], type: [101] };
    const response = await proxy.post('/v1/blocks/summary', proxy.key, body);
    const { blocks, errors } = response.json();
    for (const { geoid, population } of blocks) people.set(geoid, population ?? 0);
    for (const { geoid } of errors) unrouted.add(geoid);
  }
  const routed = all.filter((geoid) => !unrouted.has(geoid));
  origins = new Random(seed).shuffle(routed).slice(0, ORIGINS);
});

/** The expected count, from the rows of other routes. */
async function byRows(geoid: string, mode: string, direction: string, of: string, minutes: number) {
  if (of.startsWith('type:')) {
    const type = of.slice('type:'.length);
    const found = new Set<number>();
    let cursor = '';
    do {
      const url = `/v1/blocks/${geoid}/pois?mode=${mode}&type=${type}&max_minutes=${minutes}&limit=1000${cursor}`;
      const page = await get(url);
      for (const { dest_id } of page.results) found.add(dest_id);
      cursor = page.next_cursor ? `&cursor=${encodeURIComponent(page.next_cursor)}` : '';
    } while (cursor !== '');
    return found.size;
  }
  const { blocks } = await get(
    `/v1/isochrone?block=${geoid}&mode=${mode}&direction=${direction}&minutes=${minutes}&format=blocks`,
  );
  const counts = of === 'jobs' ? jobs : people;
  return blocks.reduce(
    (sum: number, block: { geoid: string }) => sum + (counts.get(block.geoid) ?? 0),
    0,
  );
}

test('every count is the sum over the rows of the other routes, in both directions', async () => {
  let [compared, positive] = [0, 0];
  for (const geoid of origins) {
    for (const direction of ['from', 'to']) {
      const of = direction === 'to' ? ['jobs', 'people'] : ['jobs', 'people', 'type:100'];
      const query = of.map((one) => `of=${one}`).join('&');
      const url = `/v1/blocks/${geoid}/access?${query}&minutes=7&minutes=25&direction=${direction}`;
      const { block, results, unrouted = [] } = await get(url);
      expect(block.geoid).toBe(geoid);
      const routed = MODES.filter((mode) => !unrouted.some((one: Row) => one.mode === mode));
      const expected = of.flatMap((one) =>
        routed.flatMap((mode) => [7, 25].map((minutes) => ({ of: one, mode, minutes }))),
      );
      expect(results.map(({ count: _, ...row }: Row) => row)).toEqual(expected);
      for (const { count, ...row } of results) {
        const sum = await byRows(geoid, row.mode, direction, row.of, row.minutes);
        expect(count, `seed ${seed}: ${geoid} ${direction} ${JSON.stringify(row)}`).toBe(sum);
        compared++;
        if (count > 0) positive++;
      }
    }
  }
  expect(compared).toBeGreaterThan(ORIGINS * 10);
  expect(positive).toBeGreaterThan(compared / 4);
});

test('a curve has every minute, never falls, and agrees with single minutes and decays', async () => {
  const [geoid] = origins.toSorted((a, b) => (people.get(b) ?? 0) - (people.get(a) ?? 0));
  const url = `/v1/blocks/${geoid}/access?of=jobs&of=type:100&mode=walk`;
  const { results } = await get(`${url}&curve=true`);
  const curveOf = (of: string) => results.filter((row: Row) => row.of === of);
  const [jobsCurve, poiCurve] = [curveOf('jobs'), curveOf('type:100')];
  expect(jobsCurve.map((row: Row) => row.minutes)).toEqual(
    Array.from({ length: 60 }, (_, i) => i + 1),
  );
  expect(poiCurve).toHaveLength(30);
  for (const curve of [jobsCurve, poiCurve]) {
    curve.forEach((row: Row, i: number) => {
      if (i > 0) expect(row.count).toBeGreaterThanOrEqual(curve[i - 1].count);
    });
  }
  const byDefault = (await get(url)).results;
  expect(byDefault.map((row: Row) => row.minutes)).toEqual([15, 30, 45, 60, 15, 30]);
  for (const row of byDefault) expect(results).toContainEqual(row);
  const weighed = {
    'linear:20': (t: number) => Math.max(0, 1 - t / 20),
    'exponential:10': (t: number) => 0.5 ** (t / 10),
    'logistic:15:5': (t: number) => 1 / (1 + Math.exp(((t - 15) * Math.PI) / (5 * Math.sqrt(3)))),
  };
  for (const [decay, weight] of Object.entries(weighed)) {
    const [row, ...others] = (
      await get(`/v1/blocks/${geoid}/access?of=jobs&mode=walk&decay=${decay}`)
    ).results;
    expect(others).toEqual([]);
    expect(Object.keys(row)).toEqual(['of', 'mode', 'count']);
    const sum = jobsCurve.reduce(
      (total: number, { count, minutes }: Row, i: number) =>
        total + (count - (jobsCurve[i - 1]?.count ?? 0)) * weight(minutes),
      0,
    );
    expect(row.count).toBeCloseTo(sum, 2);
  }
});

test('the counts of contours are those of access within the same minutes', async () => {
  const [geoid] = origins.toSorted((a, b) => (people.get(b) ?? 0) - (people.get(a) ?? 0));
  const of = 'of=jobs&of=people&of=type:100';
  const { features } = await get(`/v1/isochrone?block=${geoid}&mode=bike&contours=5,12&${of}`);
  const { results } = await get(`/v1/blocks/${geoid}/access?mode=bike&minutes=5&minutes=12&${of}`);
  for (const { properties } of features) {
    const rows = results.filter((row: Row) => row.minutes === properties.contour);
    expect(properties.counts).toEqual(
      Object.fromEntries(rows.map((row: Row) => [row.of, row.count])),
    );
  }
  const blocks = await get(`/v1/isochrone?block=${geoid}&mode=bike&minutes=12&format=blocks&${of}`);
  expect(blocks.counts).toEqual(features[0].properties.counts);
});

test('a batch has the rows of the single routes, for blocks and for points, as JSON and CSV', async () => {
  const asked = { mode: ['walk'], of: ['jobs', 'type:101'], minutes: [10, 20] };
  const query = 'mode=walk&of=jobs&of=type:101&minutes=10&minutes=20';
  const [noStreet] = unrouted;
  const body = { origins: [...origins.slice(0, 3), '123', noStreet], ...asked };
  const batch = await proxy.post('/v1/access', proxy.key, body);
  expect(batch.statusCode, batch.body).toBe(200);
  const { results, errors } = batch.json();
  expect(errors).toMatchObject([
    { type: 'block-not-found', geoid: '123' },
    { type: 'no-block-data', geoid: noStreet },
  ]);
  const singles = [];
  for (const geoid of origins.slice(0, 3)) {
    const one = await get(`/v1/blocks/${geoid}/access?${query}`);
    singles.push(...one.results.map((row: object) => ({ geoid, ...row })));
  }
  expect(results).toEqual(singles);
  expect(Number(batch.headers['x-tokens-charged'])).toBe(Math.max(1, results.length));

  const { releases } = proxy;
  const [county] = releases.current.counties;
  const index = await releases.current.index(county.manifest);
  const at = index.geoids.findIndex((_, i) => index.isFullyRoutable(i));
  const point = { lat: index.lat[at] / 1e6, lon: index.lon[at] / 1e6 };
  const single = await get(`/v1/point/access?lat=${point.lat}&lon=${point.lon}&${query}`);
  const points = await proxy.post('/v1/access', proxy.key, { origins: [point], ...asked });
  const named = { origin_lat: point.lat, origin_lon: point.lon };
  expect(points.json().results).toEqual(
    single.results.map((row: object) => ({ ...named, ...row })),
  );
  expect(single.resolved_block).toBe(single.block.geoid);

  const csv = await proxy.post('/v1/access', proxy.key, body, { accept: 'text/csv' });
  const [header, first] = csv.body.split('\r\n');
  expect(header).toBe('geoid,of,mode,minutes,count');
  expect(first).toBe(Object.values(singles[0] as object).join());
});

test('access is revalidated by its ETag, and priced by HEAD', async () => {
  const url = `/v1/blocks/${origins[0]}/access?of=jobs&of=people&mode=walk`;
  const { headers } = await proxy.get(url, proxy.key);
  const again = await proxy.get(url, proxy.key, { 'if-none-match': String(headers.etag) });
  expect([again.statusCode, again.headers['x-tokens-charged']]).toEqual([304, '0']);
  const head = await proxy.get(url, proxy.key, {}, 'HEAD');
  expect(head.headers['x-tokens-cost']).toBe(headers['x-tokens-charged']);
  const other = await proxy.get(url.replace('of=people', 'of=workers'), proxy.key);
  expect(other.headers.etag).not.toBe(headers.etag);
});

test('the catalogue lists the weights, people first, with their totals', async () => {
  const response = await proxy.get('/v1/meta/weights');
  const { weights } = response.json();
  const totalOf = (name: string) => weights.find((one: Row) => one.weight === name).total;
  expect(weights[0]).toMatchObject({ weight: 'people', year: 2020, modelled: false });
  const sum = (counts: Map<string, number>) => [...counts.values()].reduce((a, b) => a + b, 0);
  expect(totalOf('people')).toBe(sum(people));
  expect(totalOf('jobs')).toBe(sum(jobs));
});

describe('bad input is refused by name, uncharged', () => {
  test.each([
    ['an unknown weight', 'of=llamas', 'no weight llamas; it has people'],
    ['a weight that is no name', 'of=LLAMAS', 'must be a weight such as people'],
    ['an unknown type', 'of=type:1', 'no destination type 1'],
    ['a type towards the block', 'of=type:101&direction=to', 'type:101 has no direction to'],
    [
      'minutes beyond those of POIs',
      'of=type:101&minutes=31',
      'type:101 is known up to 30 minutes',
    ],
    ['minutes out of order', 'minutes=20&minutes=10', 'ascending'],
    ['fractions of minutes', 'minutes=1.5', 'must be a whole number'],
    [
      'thirteen minutes',
      Array.from({ length: 13 }, (_, i) => `minutes=${i + 1}`).join('&'),
      'must be 1 to 12',
    ],
    ['minutes and a curve', 'minutes=10&curve=true', 'send minutes or curve'],
    ['minutes and a decay', 'minutes=10&decay=linear:20', 'applies only to decay=step'],
    ['a decay of no kind', 'decay=gaussian:4', 'must be step, linear:M'],
    ['a decay by nothing', 'decay=linear:0', 'must be step, linear:M'],
    ['an unknown parameter', 'off=jobs', 'off'],
  ])('%s', async (_what, query, message) => {
    const response = await proxy.get(`/v1/blocks/${origins[0]}/access?${query}`, proxy.key);
    expect(response.statusCode, response.body).toBe(400);
    expect(response.headers['x-tokens-charged']).toBe('0');
    expect(JSON.stringify(response.json())).toContain(message);
  });
});

test('a batch is of points if its first well-formed origin is one; others among them fail alone', async () => {
  const release = proxy.releases.current;
  const index = await release.index(release.county(origins[0].slice(0, 5))!);
  const at = index.ordinalOf(origins[0] as Geoid);
  const { lon, lat } = { lon: index.lon[at] / 1e6, lat: index.lat[at] / 1e6 };
  const ask = (list: unknown[]) =>
    proxy.post('/v1/access', proxy.key, { origins: list, mode: ['walk'], minutes: [10] });
  const alone = (await ask([{ lon, lat }])).json();
  const mixed = (await ask([null, { lon, lat }, origins[0], { lat }])).json();
  expect(mixed.results).toEqual(alone.results);
  expect(mixed.errors).toMatchObject([
    { type: 'point-not-covered', origin_lat: null, origin_lon: null },
    { type: 'point-not-covered', origin_lat: null, origin_lon: null },
    { type: 'point-not-covered', origin_lat: lat, origin_lon: null },
  ]);
  const blocks = (await ask([null, origins[0], { lon, lat }])).json();
  expect(blocks.errors.map(({ type }: { type: string }) => type)).toEqual([
    'block-not-found',
    'block-not-found',
  ]);
  const typo = await ask([{ lng: lon, lat }]);
  expect([typo.statusCode, typo.headers['x-tokens-charged']]).toEqual([400, '0']);
});
