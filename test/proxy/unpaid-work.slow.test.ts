import { expect, inject, test, vi } from 'vitest';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { Release } from '../../shards/release/release.ts';
import { MICRO } from '../../shards/units.ts';
import { ofThisTest } from '../support/of-tests.ts';
import { openProxy, type ProxyHarness, proxyOfTests } from '../support/proxy-harness.ts';

/** Responds to rich accounts: prices are those of its responses. */
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

/** Kinds of objects that hold times and weights: reading one is work on a response. */
const KINDS = ['nearest', 'nth-nearest', 'pois', 'catchment', 'reach-from', 'reach-to', 'weights'];

/** The objects with times or weights that were read, by county. */
const worked = (proxy: ProxyHarness) =>
  new Set(proxy.store.reads.filter((name) => KINDS.includes(name.split('/')[0])));

test('a response whose price follows from the request is not computed for less', async () => {
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
  ];
  for (const request of requests) {
    const paid = await send(rich, rich.key, request);
    expect([request, paid.statusCode]).toEqual([request, 200]);
    const price = Number(paid.headers['x-tokens-charged']);
    // Nothing is cached before.
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
    expect(worked(proxy).size).toBeGreaterThan(0);
    expect(await proxy.balance(able.id)).toBe(0);
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

test('HEAD of a response that the account cannot pay still states its price for one token', async () => {
  const { fips } = await firstRoutable();
  const { id, key } = await rich.customer({ tokens: 9 });
  const url = `/v1/counties/${fips}/coverage?mode=walk&type=101`;
  const head = await rich.get(url, key, {}, 'HEAD');
  expect([head.statusCode, head.headers['x-tokens-cost']]).toEqual([200, '10']);
  expect(await rich.balance(id)).toBe(8);
});

test('a search for matching blocks ends where the balance does', async () => {
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
