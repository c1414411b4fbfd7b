import { expect, inject, test, vi } from 'vitest';
import { type Geoid, geoidFromNumber, geoidToNumber } from '../../shards/geoid.ts';
import { Release } from '../../shards/release/release.ts';
import { MICRO } from '../../shards/units.ts';
import { openProxy, type ProxyHarness, proxyOfTests } from '../support/proxy-harness.ts';
import { ofThisTest } from '../support/test-resources.ts';

/** A proxy for accounts that can pay, whose responses show the prices. */
const rich = proxyOfTests();

interface Asked {
  readonly url: string;
  readonly body?: object;
}

const send = (proxy: ProxyHarness, key: string, { url, body }: Asked) =>
  body ? proxy.post(url, key, body) : proxy.get(url, key);

async function firstRoutable() {
  const release = rich.releases.current;
  const [{ manifest, fips }] = release.counties;
  const index = await release.index(manifest);
  const block = Array.from(index.geoids.keys()).find((i) => index.isRoutable(i))!;
  const at = { lon: index.lon[block] / MICRO, lat: index.lat[block] / MICRO };
  return { fips, at, geoid: geoidFromNumber(index.geoids[block]) };
}

/** A block that is within an hour of another by transit, and not on foot. */
async function riddenTo(geoid: Geoid): Promise<Geoid> {
  const release = rich.releases.current;
  const { modes } = release.manifest;
  const reach = await release.reach(release.countyOfBlock(geoid)!, 'from');
  const rows = await reach.row(reach.originOrdinal(geoidToNumber(geoid)));
  const [walked, ridden] = ['walk' as const, 'transit' as const].map(
    (mode) => rows[modes.indexOf(mode)].targets,
  );
  return geoidFromNumber(reach.targets[ridden.find((target) => !walked.includes(target))!]);
}

/** Kinds of objects that hold times and weights: reading one is work on a response. */
const KINDS = [
  'nearest',
  'nth-nearest',
  'pois',
  'catchment',
  'reach-from',
  'reach-to',
  'transit',
  'weights',
];

/** Names of the objects with times or weights that a proxy has read. */
const worked = (proxy: ProxyHarness) =>
  new Set(proxy.store.reads.filter((name) => KINDS.includes(name.split('/')[0])));

test('a response whose price follows from the request is not computed for a smaller balance', async () => {
  const { fips, at, geoid } = await firstRoutable();
  const area = { counties: [fips] };
  const sites = Array.from({ length: 12 }, (_, i) => ({ id: i, ...at }));
  const all_of = [{ type: 101, mode: 'walk', max_minutes: 15 }];
  const requests: Asked[] = [
    { url: `/v1/counties/${fips}/coverage?mode=walk` },
    { url: '/v1/coverage', body: { area, type: [101] } },
    { url: '/v1/coverage', body: { area, type: [101, 601], all_of } },
    { url: '/v1/coverage', body: { area, weight: ['people'], by: ['jobs'] } },
    { url: '/v1/sites/coverage', body: { sites, mode: 'walk', minutes: [10] } },
    { url: '/v1/sites/coverage', body: { sites: sites.slice(0, 1), area, mode: 'bike' } },
    { url: `/v1/isochrone?block=${geoid}&contours=10,20` },
    { url: `/v1/blocks/${geoid}/explain?to=${await riddenTo(geoid)}` },
  ];
  for (const request of requests) {
    const paid = await send(rich, rich.key, request);
    expect([request, paid.statusCode]).toEqual([request, 200]);
    const price = Number(paid.headers['x-tokens-charged']);
    // A new proxy has nothing cached.
    const proxy = await ofThisTest(openProxy(inject('demoStore')));
    const { id, key } = await proxy.customer({ tokens: price - 1 });
    const refused = await send(proxy, key, request);
    expect([refused.statusCode, refused.json().type]).toEqual([
      429,
      expect.stringMatching(/\/tokens-exhausted$/),
    ]);
    expect([request, worked(proxy)]).toEqual([request, new Set()]);
    expect(await proxy.balance(id)).toBe(price - 1);

    const able = await proxy.customer({ tokens: price });
    expect((await send(proxy, able.key, request)).statusCode).toBe(200);
    expect(worked(proxy).size).toBeGreaterThan(request.url.includes('explain') ? 1 : 0);
    expect(await proxy.balance(able.id)).toBe(0);
  }
});

test('an account without tokens is refused before anything that its body names is located', async () => {
  const { fips, at, geoid } = await firstRoutable();
  const sites = Array.from({ length: 12 }, (_, id) => ({ id, ...at }));
  const all_of = [{ type: 101, mode: 'walk', max_minutes: 15 }];
  const near = [{ ...at, mode: 'walk', max_minutes: 15 }];
  const area = { counties: [fips] };
  const bodies = {
    '/v1/sites/coverage': { sites, mode: 'walk' },
    '/v1/coverage': { area: { blocks: [geoid] } },
    '/v1/blocks/match': { area, all_of, near },
    '/v1/blocks/query': { center: at, radius_m: 500 },
    '/v1/point/summary': { origins: [at] },
    '/v1/access': { origins: [geoid] },
  };
  for (const [url, body] of Object.entries(bodies)) {
    const proxy = await ofThisTest(openProxy(inject('demoStore')));
    const { key } = await proxy.customer({ tokens: 0 });
    for (const headers of [{}, { 'if-match': '"x"' }] as Record<string, string>[]) {
      const refused = await proxy.post(url, key, body, headers);
      expect([url, refused.statusCode, proxy.store.reads]).toEqual([url, 429, []]);
    }
    if (url !== '/v1/sites/coverage') continue;
    // No basket of sites costs less than ten.
    for (const tokens of [1, 9]) {
      const poor = await proxy.customer({ tokens });
      const refused = await proxy.post(url, poor.key, body);
      expect([refused.statusCode, proxy.store.reads]).toEqual([429, []]);
      const { detail, tokens_required } = refused.json();
      expect([tokens_required, detail]).toEqual([
        10,
        expect.stringContaining('costs 10 to 12 tokens,'),
      ]);
    }
  }
});

test('how many POIs or blocks an area has is not stated to an account that cannot pay for them', async () => {
  const { fips, at } = await firstRoutable();
  const area = { counties: [fips] };
  const requests = [
    { sites: { type: 'restaurants', area }, mode: 'walk' },
    { sites: { type: 'restaurants' }, area, mode: 'walk' },
    { sites: [{ id: 'here', ...at }], candidates: area, mode: 'walk' },
  ];
  for (const body of requests) {
    const paid = await rich.post('/v1/sites/coverage', rich.key, body);
    const price = Number(paid.headers['x-tokens-charged']);
    expect(price).toBeGreaterThan(12);
    const refusals = [];
    for (const tokens of [11, price - 1]) {
      const { id, key } = await rich.customer({ tokens });
      const refused = await rich.post('/v1/sites/coverage', key, body);
      expect([refused.statusCode, await rich.balance(id)]).toEqual([429, tokens]);
      const { instance: _, ...problem } = refused.json();
      expect(problem.tokens_required).toBeUndefined();
      refusals.push(JSON.stringify(problem).replaceAll(String(tokens), 'N'));
    }
    expect(refusals[0]).toBe(refusals[1]);
  }
});

test('area access is counted before it is read, and its price is not stated', async () => {
  const { fips } = await firstRoutable();
  const release = rich.releases.current;
  const { places } = await release.places(Object.values(release.manifest.states)[0]);
  const area = { counties: [fips] };
  const requests: Asked[] = [
    { url: `/v1/counties/${fips}/access?limit=1000` },
    { url: `/v1/counties/${fips}/access?by=tract` },
    { url: `/v1/places/${places[0].geoid}/access?by=place&include_missing=true` },
    { url: '/v1/access', body: { area, by: 'tract', of: ['jobs', 'people'], limit: 7 } },
    { url: '/v1/access', body: { area, limit: 50 } },
  ];
  const accessRead = (proxy: ProxyHarness) =>
    proxy.store.reads.filter((name) => name.startsWith('access/')).length;
  for (const request of requests) {
    const paid = await send(rich, rich.key, request);
    const price = Number(paid.headers['x-tokens-charged']);
    expect(price).toBe(paid.json().results.length);
    const proxy = await ofThisTest(openProxy(inject('demoStore')));
    const poor = await proxy.customer({ tokens: price - 1 });
    const refused = await send(proxy, poor.key, request);
    expect([request, refused.statusCode, accessRead(proxy)]).toEqual([request, 429, 0]);
    expect(refused.json().tokens_required).toBeUndefined();
    const able = await proxy.customer({ tokens: price });
    const answered = await send(proxy, able.key, request);
    expect([answered.statusCode, accessRead(proxy) > 0]).toEqual([200, true]);
    expect([answered.json().results, await proxy.balance(able.id)]).toEqual([
      paid.json().results,
      0,
    ]);
  }
});

test('a batch counts opportunities only of the origins that the balance pays for', async () => {
  const { geoid } = await firstRoutable();
  const asked = { of: ['jobs', 'people', 'type:101'], curve: true };
  const one = await rich.post('/v1/access', rich.key, { ...asked, origins: [geoid] });
  const rows = one.json().results.length;
  expect(rows).toBeGreaterThan(100);

  const reaches = vi.spyOn(Release.prototype, 'reach');
  const body = { ...asked, origins: new Array(20).fill(geoid) };
  for (const [paid, tokens] of [
    [0, rows - 1],
    [1, 2 * rows - 1],
    [3, 3 * rows],
  ]) {
    const proxy = await ofThisTest(openProxy(inject('demoStore')));
    const { id, key } = await proxy.customer({ tokens });
    reaches.mockClear();
    const response = await proxy.post('/v1/access', key, body);
    expect([paid, response.statusCode]).toEqual([paid, paid === 0 ? 429 : 200]);
    expect(await proxy.balance(id)).toBe(tokens - paid * rows);
    expect(reaches).toHaveBeenCalledTimes(paid);
    if (paid === 0) expect(worked(proxy)).toEqual(new Set());
  }
  reaches.mockRestore();
});

test('HEAD states a price that follows from the request, and computes nothing', async () => {
  const { fips, at, geoid } = await firstRoutable();
  const release = rich.releases.current;
  const { places } = await release.places(Object.values(release.manifest.states)[0]);
  const point = `lon=${at.lon}&lat=${at.lat}`;
  for (const url of [
    `/v1/counties/${fips}/coverage`,
    `/v1/counties/${fips}/coverage?mode=walk&type=101`,
    // The fifth-nearest POI is beyond half an hour of many blocks.
    `/v1/counties/${fips}/coverage?mode=walk&type=601&nth=5&by=jobs&names=true`,
    `/v1/places/${places[0].geoid}/coverage?weight=jobs&weight=people`,
    `/v1/isochrone?block=${geoid}&minutes=1`,
    `/v1/isochrone?block=${geoid}&contours=10,20,30&of=jobs`,
    `/v1/isochrone?${point}&mode=bike&minutes=10&format=blocks`,
  ]) {
    const price = (await rich.get(url, rich.key)).headers['x-tokens-charged'];
    const proxy = await ofThisTest(openProxy(inject('demoStore')));
    const { id, key } = await proxy.customer({ tokens: 1 });
    const head = await proxy.get(url, key, {}, 'HEAD');
    const { 'x-tokens-cost': cost, 'x-tokens-charged': charged, etag } = head.headers;
    expect([url, head.statusCode, cost, charged]).toEqual([url, 200, price, '1']);
    expect([url, worked(proxy)]).toEqual([url, new Set()]);
    expect(await proxy.balance(id)).toBe(0);
    const known = await rich.get(url, rich.key, { 'if-none-match': String(etag) });
    expect(known.statusCode).toBe(304);
  }
});

test('HEAD of a location without data is refused like its GET, uncharged', async () => {
  const release = rich.releases.current;
  const index = await release.index(release.counties[0].manifest);
  const unrouted = index.geoids.find((_, i) => !index.isRoutable(i))!;
  const { id, key } = await rich.customer({ tokens: 100 });
  for (const [url, status] of [
    ['/v1/counties/98765/coverage', 404],
    ['/v1/places/9912345/coverage', 404],
    ['/v1/isochrone?lon=0&lat=0&minutes=10', 404],
    [`/v1/isochrone?block=${geoidFromNumber(unrouted)}&minutes=10`, 404],
  ] as const) {
    expect([url, (await rich.get(url, key)).statusCode]).toEqual([url, status]);
    expect([url, (await rich.get(url, key, {}, 'HEAD')).statusCode]).toEqual([url, status]);
  }
  expect(await rich.balance(id)).toBe(100);
});

test('a search for matching blocks ends where the balance is used up', async () => {
  const counties = rich.releases.current.counties.map(({ fips }) => fips);
  expect(counties.length).toBeGreaterThan(1);
  const all_of = [{ type: 101, mode: 'bike', max_minutes: 30 }];
  const request = { url: '/v1/blocks/match', body: { area: { counties }, all_of, limit: 1000 } };
  for (const [tokens, statusCode, searched] of [
    [1, 429, 1],
    [1000, 200, counties.length],
  ]) {
    const proxy = await ofThisTest(openProxy(inject('demoStore')));
    const { id, key } = await proxy.customer({ tokens });
    const response = await send(proxy, key, request);
    const objects = [...worked(proxy)].filter((name) => name.startsWith('nth-nearest/'));
    expect([tokens, response.statusCode, objects.length]).toEqual([tokens, statusCode, searched]);
    const charged = statusCode === 200 ? response.json().results.length : 0;
    expect(await proxy.balance(id)).toBe(tokens - charged);
  }
});

test('a replay needs no balance, and computes nothing', async () => {
  const { fips, at } = await firstRoutable();
  const request = { area: { counties: [fips] }, sites: [{ id: 'a', ...at }], mode: 'walk' };
  const { id, key } = await rich.customer({ tokens: 10 });
  const headers = { 'idempotency-key': 'sites' };
  const first = await rich.post('/v1/sites/coverage', key, request, headers);
  expect([first.statusCode, await rich.balance(id)]).toEqual([200, 0]);
  rich.store.reads = [];
  const again = await rich.post('/v1/sites/coverage', key, request, headers);
  expect([again.body, again.headers['idempotency-replayed']]).toEqual([first.body, 'true']);
  expect(rich.store.reads).toEqual([]);
});
