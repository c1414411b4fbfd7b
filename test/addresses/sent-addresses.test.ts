import { expect, test } from 'vitest';
import { planCity } from '../../infra/demo/city-plan.ts';
import { neighbourhoodName } from '../../infra/demo/names.ts';
import { LIMITS } from '../../proxy/bounds.ts';
import { DEMO_CITY } from '../support/demo-release.setup.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';
import { demoAddresses } from './demo-addresses.ts';

const proxy = proxyOfTests();
const LIST = demoAddresses();
/** Addresses of the demo city, by its plan. */
const [one, two] = ['Juniper Avenue', 'Plum Avenue'].map(
  (wanted) => LIST.find(({ street, number }) => street === wanted && number > 500)!,
);
const textOf = ({ number, street, zip }: typeof one) => `${number} ${street} ${zip}`;
const matchOf = (address: typeof one) => ({
  address: textOf(address),
  kind: 'interpolated',
  geoid: address.block,
  label: `${address.number} ${address.street}, ${address.zip}`,
});
/** A number that many streets may have, a street, a city and nothing at all. */
const UNSURE = ['Juniper Avenue', 'Port Meridian', 'no such thing', '', 'x'.repeat(101)];
/** Areas that are certain, but no place in them. */
const AREAS = [neighbourhoodName(planCity(DEMO_CITY), 0), 'Meridian County'];

async function post(path: string, body: object, type = 'application/json') {
  const { key } = await proxy.customer({ tokens: 5_000 });
  const response = await proxy.post(path, key, body, { accept: type });
  return { response, charged: Number(response.headers['x-tokens-charged']) };
}

test.each([
  ['/v1/point/summary', {}],
  ['/v1/point/pois', { max_minutes: 5 }],
  ['/v1/access', { minutes: [15] }],
])('%s: an address has the rows of its block, and the match that was taken', async (path, more) => {
  const asked = { mode: ['walk'], ...more };
  const sent = await post(path, { origins: [{ address: textOf(one) }], ...asked });
  expect(sent.response.statusCode).toBe(200);
  const { results, origins } = sent.response.json();
  expect(results.length).toBeGreaterThan(0);
  const { match, origin_lat: lat, origin_lon: lon } = results[0];
  expect(match).toMatchObject({ ...matchOf(one), lat, lon });
  expect(match.confidence).toBeGreaterThanOrEqual(0.8);
  if (origins) expect(origins).toMatchObject([{ resolved_block: one.block, match }]);
  const plain = await post(path, { origins: [{ lat, lon }], ...asked });
  expect(plain.response.json().results).toEqual(
    results.map(({ match: _, ...row }: { match: object }) => row),
  );
  expect(sent.charged).toBe(plain.charged);
});

test('rows of CSV, NDJSON and GeoJSON state the match; those of points alone have no column for it', async () => {
  const body = { origins: [{ address: textOf(one) }], mode: ['walk'], type: [101] };
  const csv = (await post('/v1/point/pois', body, 'text/csv')).response.body.split('\r\n');
  expect(csv[0]).toContain('match_address,match_label,match_kind,match_lat,match_lon,match_geoid');
  expect(csv[1]).toContain(`${textOf(one)},"${matchOf(one).label}",interpolated`);
  const lines = (await post('/v1/point/pois', body, 'application/x-ndjson')).response.body;
  expect(JSON.parse(lines.split('\n')[0]).match).toMatchObject(matchOf(one));
  const [feature] = (await post('/v1/point/pois', body, 'application/geo+json')).response.json()
    .features;
  expect(JSON.stringify(feature.properties)).toContain(textOf(one));
  const { lat, lon } = (await post('/v1/point/summary', body)).response.json().origins[0].match;
  const points = { ...body, origins: [{ lat, lon }] };
  const plain = (await post('/v1/point/pois', points, 'text/csv')).response.body;
  expect(plain).not.toContain('match');
});

test('an address that is not certain is an error with its reason, and is not charged', async () => {
  const origins = UNSURE.map((address) => ({ address }));
  const batch = await post('/v1/point/summary', { origins });
  expect(batch.response.statusCode).toBe(200);
  expect(batch.charged).toBe(0);
  const { results, errors } = batch.response.json();
  expect(results).toEqual([]);
  expect(errors).toMatchObject(
    UNSURE.map((address) => ({ type: 'address-not-found', address: address.slice(0, 101) })),
  );
  const [street, city, none, empty, long] = errors.map(({ detail }: { detail: string }) => detail);
  expect(street).toMatch(/not certain.*Juniper Avenue, 0010\d \(0\.\d+\)/);
  expect(city).toMatch(/is a place, no address/);
  expect(none).toMatch(/like no address/);
  for (const one of [empty, long]) expect(one).toMatch(`text of 1 to ${LIMITS.nameLength}`);
  const noTexts = [5, true, ['12 Elm'], { street: 'Elm' }].map((address) => ({ address }));
  const wrong = (await post('/v1/point/summary', { origins: noTexts })).response.json().errors;
  expect(wrong.map(({ detail }: { detail: string }) => detail)).toEqual(
    noTexts.map(() => `an address must be text of 1 to ${LIMITS.nameLength} characters`),
  );
  const areas = await post('/v1/point/summary', { origins: AREAS.map((address) => ({ address })) });
  expect(areas.response.json().errors).toMatchObject([
    { detail: expect.stringContaining('is a neighbourhood, no address: send a point in it') },
    { detail: expect.stringContaining('is a county, no address: send a point in it') },
  ]);
  const sites = UNSURE.map((address, id) => ({ id, address }));
  const refused = await post('/v1/sites/coverage', { sites, mode: 'walk' });
  expect(refused.response.json()).toMatchObject({
    status: 404,
    detail: expect.stringMatching(/^no site can be measured: 0: "Juniper Avenue" is not certain/),
  });
  expect(refused.charged).toBe(0);
});

test('addresses that the balance does not cover are listed as they can be sent again', async () => {
  const { key } = await proxy.customer({ tokens: 2 });
  const [first, second] = [one, two].map((each) => ({ address: textOf(each) }));
  const body = { origins: [first, second], mode: ['walk'], type: [101] };
  const response = await proxy.post('/v1/point/summary', key, { ...body, max_rows: 1 });
  expect(response.json()).toMatchObject({ truncated: [second], truncated_reason: 'row-budget' });
  const csv = await proxy.post(
    '/v1/point/summary',
    key,
    { ...body, max_rows: 1 },
    { accept: 'text/csv' },
  );
  expect(csv.headers['x-truncated']).toBe(encodeURIComponent(second.address));
});

test('sites and candidates may be addresses, in JSON, CSV and GeoJSON, beside points', async () => {
  const asked = { mode: 'walk', minutes: [10], area: { counties: ['99001'] } };
  const [street] = UNSURE;
  const list = [
    { id: 'a', address: textOf(one) },
    { id: 'lost', address: street },
  ];
  const candidates = [{ id: 'b', address: textOf(two) }];
  const sent = await post('/v1/sites/coverage', { sites: list, candidates, ...asked });
  const { sites, gains, errors } = sent.response.json();
  expect(sites).toMatchObject([{ id: 'a', block: one.block, match: matchOf(one) }]);
  expect(gains).toMatchObject([{ id: 'b', block: two.block, match: matchOf(two) }]);
  expect(errors).toMatchObject([{ id: 'lost', list: 'sites', type: 'address-not-found' }]);
  const { lat, lon } = sites[0].match;
  const point = await post('/v1/sites/coverage', { sites: [{ id: 'a', lat, lon }], ...asked });
  const { match: _, ...plain } = sites[0];
  expect(point.response.json().sites).toEqual([plain]);

  const header = 'id,address,candidate';
  const csv = `${header}\r\na,${textOf(one)},no\r\nlost,${street},\r\n`;
  const features = list.map(({ id, address }) => {
    return { type: 'Feature', geometry: null, properties: { id, address } };
  });
  for (const sites of [csv, { type: 'FeatureCollection', features }]) {
    const same = await post('/v1/sites/coverage', { sites, candidates, ...asked });
    expect(same.response.json()).toEqual(sent.response.json());
    expect(same.charged).toBe(sent.charged);
  }

  const table = await post(
    '/v1/sites/coverage',
    { sites: list, candidates, ...asked },
    'application/x-ndjson',
  );
  const rows = table.response.body
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(rows.slice(0, 3)).toMatchObject([
    { list: 'sites', id: 'a', lat, lon, match: matchOf(one) },
    { list: 'sites', id: 'lost', lat: null, lon: null, error: { type: 'address-not-found' } },
    { list: 'candidates', id: 'b', match: matchOf(two) },
  ]);
});

test('an address column beside coordinates is a column like others', async () => {
  const { lat, lon } = (
    await post('/v1/sites/coverage', {
      sites: [{ id: 'a', address: textOf(one) }],
      mode: 'walk',
    })
  ).response.json().sites[0].match;
  const csv = `id,lat,lon,address\r\na,${lat},${lon},nowhere\r\nb,,,${textOf(two)}\r\n`;
  const { response } = await post('/v1/sites/coverage', { sites: csv, mode: 'walk' });
  expect(response.json().sites).toMatchObject([
    { id: 'a', block: one.block },
    { id: 'b', match: matchOf(two) },
  ]);
});

test('an address beside coordinates or a GEOID is refused', async () => {
  const at = { address: textOf(one), lat: 1, lon: 2 };
  for (const [path, member, item] of [
    ['/v1/point/summary', 'origins', at],
    ['/v1/access', 'origins', at],
    ['/v1/sites/coverage', 'sites', { id: 1, ...at }],
  ] as const) {
    const { response, charged } = await post(path, { [member]: [item], ...modeOf(path) });
    expect([response.statusCode, charged]).toEqual([400, 0]);
    expect(response.json().errors).toEqual([
      {
        loc: ['body', member, 0],
        msg: 'has an address and coordinates: send one of them',
        type: 'conflict',
      },
    ]);
    const { lat: _, lon: _lon, ...plain } = item;
    const withGeoid = await post(path, {
      [member]: [{ ...plain, geoid: one.block }],
      ...modeOf(path),
    });
    expect(withGeoid.response.json().errors[0]).toMatchObject({
      loc: ['body', member, 0, 'geoid'],
      msg: expect.stringMatching(/accepts .*address$/),
    });
    const withNull = await post(path, {
      [member]: [{ ...plain, lat: null, lon: null }],
      ...modeOf(path),
    });
    expect(withNull.response.statusCode).toBe(200);
  }
});

const modeOf = (path: string) => ({ mode: path.includes('sites') ? 'walk' : ['walk'] });
