import { beforeAll, describe, expect, test } from 'vitest';
import { proxyOfTests } from '../support/proxy-harness.ts';
import { boxRing } from '../support/rings.ts';

const proxy = proxyOfTests();
const HINT = 'are lat and lon exchanged?';

/** The centre of a block of the demo city. */
const at = { lon: 0, lat: 0 };

beforeAll(async () => {
  const { lon, lat } = await proxy.releases.current.index(proxy.releases.current.county('99001')!);
  Object.assign(at, { lon: lon[0] / 1e6, lat: lat[0] / 1e6 });
});

const exchanged = () => ({ lat: at.lon, lon: at.lat });
/** A valid point outside the city, whether exchanged or not. */
const elsewhere = { lat: 10, lon: 20 };

const ROUTES = [
  '/v1/point/summary?',
  '/v1/point/pois?',
  '/v1/point/access?',
  '/v1/isochrone?minutes=15&',
];

describe.each(ROUTES)('%s', (route) => {
  const detailOf = async ({ lat, lon }: { lat: number; lon: number }) => {
    const { key } = await proxy.customer({ tokens: 100 });
    const response = await proxy.get(`${route}lat=${lat}&lon=${lon}`, key);
    expect(response.headers['x-tokens-charged']).toBe('0');
    return `${response.statusCode} ${response.json().detail}`;
  };

  test('a point is refused as exchanged only if it would be in the release when exchanged', async () => {
    expect(await detailOf(exchanged())).toMatch(/^400 .*with lon and lat exchanged/);
    expect(await detailOf(elsewhere)).toMatch(/^404 .*any census block of this release$/);
  });

  test('a latitude gets the hint only if it may be a longitude', async () => {
    expect(await detailOf({ lat: -122.4, lon: 37.8 })).toMatch(
      /^400 .*lat.* must be from -90 to 90: are lat and lon exchanged\?$/,
    );
    expect(await detailOf({ lat: 500, lon: 37.8 })).toMatch(/^400 .*lat.* must be from -90 to 90$/);
  });
});

test('exchanged points to be near, centres, sites and origins of batches get the hint', async () => {
  const far = { lat: -122.4, lon: 37.8 };
  const walk = { mode: 'walk', max_minutes: 15 };
  const all_of = [{ type: 101, ...walk }];
  const area = { counties: ['99001'] };
  for (const [path, body] of [
    ['/v1/blocks/match', { area, all_of, near: [{ ...far, ...walk }] }],
    ['/v1/blocks/query', { center: far, radius_m: 500 }],
    ['/v1/coverage', { area: { center: far, radius_m: 500 } }],
    ['/v1/sites/coverage', { sites: [{ id: 1, ...far }], mode: 'walk' }],
  ] as const) {
    const response = await proxy.post(path, proxy.key, body);
    expect([path, response.statusCode, response.body]).toEqual([
      path,
      400,
      expect.stringContaining(HINT),
    ]);
  }
  for (const path of ['/v1/point/summary', '/v1/access']) {
    const batch = await proxy.post(path, proxy.key, { origins: [far, exchanged(), at] });
    const hinted = { type: 'point-not-covered', detail: expect.stringContaining(HINT) };
    expect(batch.json().errors).toMatchObject([hinted, hinted]);
  }
  const sites = await proxy.post('/v1/sites/coverage', proxy.key, {
    sites: [
      { id: 'here', ...at },
      { id: 'there', ...exchanged() },
    ],
    mode: 'walk',
  });
  expect(sites.json().errors).toEqual([
    expect.objectContaining({ id: 'there', detail: expect.stringContaining(HINT) }),
  ]);
});

test('a drawn area that is in the release only if exchanged is refused, uncharged; another is empty', async () => {
  const polygonOf = ({ lon, lat }: { lon: number; lat: number }) => ({
    polygon: {
      type: 'Polygon',
      coordinates: [boxRing(lon - 0.01, lat - 0.01, lon + 0.01, lat + 0.01)],
    },
  });
  const { id, key } = await proxy.customer({ tokens: 1_000 });
  const wrong = exchanged();
  for (const area of [polygonOf(wrong), { center: wrong, radius_m: 500 }]) {
    for (const [path, body] of [
      ['/v1/blocks/query', area],
      ['/v1/coverage', { area }],
    ] as const) {
      const response = await proxy.post(path, key, body);
      expect([response.statusCode, response.json().detail]).toEqual([
        400,
        expect.stringContaining('with lon and lat exchanged'),
      ]);
      expect(response.json().type).toContain('/invalid-geometry');
    }
  }
  expect(await proxy.balance(id)).toBe(1_000);
  const empty = await proxy.post('/v1/blocks/query', key, polygonOf(elsewhere));
  expect([empty.statusCode, empty.json().results]).toEqual([200, []]);
});

test('the problem of half a circle names the missing part', async () => {
  for (const [body, detail] of [
    [{ center: at }, 'radius_m is missing: send polygon, or both center and radius_m'],
    [{ radius_m: 500 }, 'center is missing: send polygon, or both center and radius_m'],
    [{}, 'send polygon, or both center and radius_m'],
  ] as const) {
    const response = await proxy.post('/v1/blocks/query', proxy.key, body);
    expect([response.statusCode, response.json().detail]).toEqual([400, detail]);
    expect(response.json().type).toContain('/missing-area');
  }
});
