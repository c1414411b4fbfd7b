import { expect, test } from 'vitest';
import { MICRO } from '../../shards/units.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';

const proxy = proxyOfTests();
const CRITERION = { type: 101, mode: 'walk', max_minutes: 15 };

async function post(url: string, body: object) {
  const response = await proxy.post(url, proxy.key, body);
  const slug = response.statusCode === 200 ? null : response.json().type.split('/').at(-1);
  return { status: response.statusCode, slug, body: response.json(), headers: response.headers };
}

/** The centre of a block that cannot be routed, and of one that can, in a county each. */
async function centres(isWanted: (isRoutable: boolean, county: string) => boolean) {
  const release = proxy.releases.current;
  for (const { fips, manifest } of release.counties) {
    const index = await release.index(manifest);
    for (let i = 0; i < index.count; i++) {
      if (!isWanted(index.isRoutable(i), fips)) continue;
      return { lon: index.lon[i] / MICRO, lat: index.lat[i] / MICRO, county: fips };
    }
  }
  throw new Error('the demo city has no such block');
}

test('a request without an area is missing-area, whether the member is empty or absent', async () => {
  for (const area of [{}, { area: {} }]) {
    expect(await post('/v1/coverage', { ...area, type: [101] })).toMatchObject({
      status: 400,
      slug: 'missing-area',
    });
    expect(await post('/v1/blocks/match', { ...area, all_of: [CRITERION] })).toMatchObject({
      status: 400,
      slug: 'missing-area',
    });
  }
});

test('a place that is not known, of whatever form, is place-not-found', async () => {
  for (const geoid of ['abc', '9900000', '99']) {
    const { slug } = await post('/v1/coverage', { area: { places: [geoid] }, type: [101] });
    expect([geoid, slug]).toEqual([geoid, 'place-not-found']);
  }
});

test('blocks near a point that cannot be routed are no-isochrone-data, uncharged', async () => {
  const { lon, lat, county } = await centres((isRoutable) => !isRoutable);
  const near = [{ lon, lat, mode: 'walk', max_minutes: 30 }];
  const body = { area: { counties: [county] }, all_of: [CRITERION], near };
  const { slug, headers } = await post('/v1/blocks/match', body);
  expect([slug, headers['x-tokens-charged']]).toEqual(['no-isochrone-data', '0']);
});

test('without an area, sites are summed over their own counties, and candidates add none', async () => {
  const [first, second] = proxy.releases.current.counties.map(({ fips }) => fips);
  const [site, candidate] = await Promise.all(
    [first, second].map((fips) => centres((isRoutable, county) => isRoutable && county === fips)),
  );
  const { lon, lat } = candidate;
  const body = { sites: [{ id: 'a', lon: site.lon, lat: site.lat }], mode: 'walk', minutes: [10] };
  const alone = await post('/v1/sites/coverage', body);
  const beside = await post('/v1/sites/coverage', { ...body, candidates: [{ id: 'b', lon, lat }] });
  expect(beside.body.area).toEqual(alone.body.area);
  expect(beside.body.results).toEqual(alone.body.results);
});

test('sites of which none is in a block of the release are point-not-covered, uncharged', async () => {
  const body = { sites: [{ id: 'a', lon: 0, lat: 0 }], mode: 'walk', minutes: [10] };
  const { slug, headers } = await post('/v1/sites/coverage', body);
  expect([slug, headers['x-tokens-charged']]).toEqual(['point-not-covered', '0']);
});

test('one type spelled twice is counted once', async () => {
  const { lon, lat } = await centres((isRoutable) => isRoutable);
  const of = ['type:201', 'type:0201'];
  const body = { origins: [{ lon, lat }], of, mode: ['walk'], minutes: [10] };
  const { body: response } = await post('/v1/access', body);
  expect(response.results.map((row: { of: string }) => row.of)).toEqual(['type:201']);
});

test('a decay takes any decimal number, as printers write it', async () => {
  const { lon, lat } = await centres((isRoutable) => isRoutable);
  for (const decay of ['exponential:14.426950408889635', 'linear:1e1', 'logistic:3.5E1:10.']) {
    const url = `/v1/point/access?lon=${lon}&lat=${lat}&mode=walk&decay=${decay}`;
    expect([decay, (await proxy.get(url, proxy.key)).statusCode]).toEqual([decay, 200]);
  }
  const wrong = `/v1/point/access?lon=${lon}&lat=${lat}&mode=walk&decay=linear:61`;
  expect((await proxy.get(wrong, proxy.key)).statusCode).toBe(400);
});

test('an unknown weight is answered with all known ones', async () => {
  const { body } = await post('/v1/coverage', { area: { counties: ['99001'] }, weight: ['foo'] });
  const { weights } = (await proxy.get('/v1/meta/weights')).json();
  for (const { weight } of weights) expect(body.errors[0].msg).toContain(weight);
});
