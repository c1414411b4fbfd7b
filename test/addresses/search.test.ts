import { expect, inject, test } from 'vitest';
import { planCity } from '../../infra/demo/city-plan.ts';
import { neighbourhoodName } from '../../infra/demo/names.ts';
import type { FoundAddress } from '../../proxy/queries/addresses/find-addresses.ts';
import { DEMO_CITY } from '../support/demo-release.setup.ts';
import { openProxy, proxyOfTests } from '../support/proxy-harness.ts';
import { smallReleaseOfTests } from '../support/small-release.ts';
import { smallCounty } from '../support/small-world.ts';
import { demoAddresses } from './demo-addresses.ts';

const proxy = proxyOfTests();
const COUNTY = smallCounty({ fips: '24510', seed: 3, blocks: 12, pois: 6 });
const store = smallReleaseOfTests(COUNTY);

const urlOf = (q: string, more = '') => `/v1/addresses?q=${encodeURIComponent(q)}${more}`;
async function search(q: string, more = ''): Promise<FoundAddress[]> {
  const response = await proxy.get(urlOf(q, more));
  expect([q, response.statusCode]).toEqual([q, 200]);
  return response.json().results;
}

const LIST = demoAddresses();
/** An address of the demo city on a street whose name has at least six letters. */
const HOUSE = LIST.find(({ street, number }) => street === 'Juniper Avenue' && number > 500)!;

test('each kind of text has its own kind of match, with the block', async () => {
  const { number, street, city, zip, block } = HOUSE;
  const [address] = await search(`${number} ${street}, ${city}, XA ${zip}`);
  expect(address).toMatchObject({ kind: 'interpolated', geoid: block, distance_m: null });
  expect(address.label).toBe(`${number} ${street}, ${zip}`);
  const { lat, lon } = address;
  expect(await search(`${lat}, ${lon}`)).toEqual([
    expect.objectContaining({ kind: 'coordinates', geoid: block, lat, lon, confidence: 1 }),
  ]);
  expect(await search(`${lon} ${lat}`)).toMatchObject([{ kind: 'coordinates', geoid: block }]);
  expect(await search(block)).toMatchObject([{ kind: 'block', geoid: block, confidence: 1 }]);
  expect(await search(block.slice(0, 5))).toMatchObject([{ kind: 'county' }]);
  expect((await search('port meridian'))[0]).toMatchObject({ kind: 'place', geoid: '9957600' });
  expect((await search(street))[0]).toMatchObject({ kind: 'street' });
  expect((await search('Juniper Ave & Fifth St'))[0]).toMatchObject({
    kind: 'intersection',
    label: 'Juniper Avenue & 5th Street',
  });
  expect(await search('no such thing at all')).toEqual([]);
});

test('a neighbourhood is found in its city, misspelt or abbreviated, and is a point in it', async () => {
  const plan = planCity(DEMO_CITY);
  const [longitude, latitude] = plan.lattice.degrees(6.5, 6.5);
  const name = neighbourhoodName(plan, 0);
  const [first, kind] = name.split(' ');
  const typed = [name, name.toUpperCase(), `${name}, Port Meridian`, `${name} Port Meridian XA`];
  for (const q of [...typed, first, `${first.slice(0, 2)}${first.slice(3)} ${kind}`]) {
    const [{ lat, lon, geoid, confidence, ...found }] = await search(q);
    expect([q, found]).toEqual([q, { kind: 'neighbourhood', label: name, distance_m: null }]);
    expect(lat).toBeCloseTo(latitude, 5);
    expect(lon).toBeCloseTo(longitude, 5);
    expect(await search(`${lat}, ${lon}`)).toMatchObject([{ geoid }]);
    expect(confidence).toBeGreaterThan(0.8);
  }
  expect(await search(`${name}, Halcyon`)).toEqual([]);
  for (const q of [`12 ${name}`, `${first} Avenue`, `${first} Street, Port Meridian`]) {
    const kinds = (await search(q)).map((one) => one.kind);
    expect([q, kinds.includes('neighbourhood')]).toEqual([q, false]);
  }
});

test('a county is found by its code and by its name, with or without the state', async () => {
  const county = { kind: 'county', geoid: '99001', label: 'Meridian County, XA' };
  const typed = ['99001', 'Meridian County', 'meridian county, xa', 'Meridian County XA'];
  for (const q of typed) {
    const [first] = await search(q);
    expect([q, first]).toEqual([q, expect.objectContaining(county)]);
    expect(first.confidence).toBeGreaterThan(0.9);
  }
  expect(await search('Meridian Cou')).toMatchObject([county]);
  expect(await search('Meridian County, MD')).toEqual([]);
  expect((await search('Halcyon'))[0]).toMatchObject({ kind: 'place' });
});

test('a street whose number is not known is too uncertain to be taken', async () => {
  for (const q of ['99999 Juniper Avenue', 'Juniper Avenue', 'Jniper Av 77777']) {
    for (const { confidence } of await search(q)) expect(confidence).toBeLessThan(0.8);
  }
});

test('an address of another state, city or country is not taken for one of the release', async () => {
  const { number, street, city, zip, block } = HOUSE;
  const line = `${number} ${street}`;
  const other = city === 'Halcyon' ? 'Port Meridian' : 'Halcyon';
  for (const end of [
    'Boston, MA',
    'MA',
    'Massachusetts',
    `${city}, MA ${zip}`,
    'Boston',
    'Boston, XA',
    `Boston 99999`,
    'Toronto, Canada',
    `${city}, XA, Canada`,
    'Washington, District of Columbia',
    other,
  ]) {
    for (const text of [`${line}, ${end}`, `${line} ${end.replaceAll(',', '')}`]) {
      for (const { label, confidence } of await search(text)) {
        expect([text, label, confidence < 0.8]).toEqual([text, label, true]);
      }
    }
  }
  for (const end of ['XA', 'X.A.', `${city}, XA`, `Old Town, XA ${zip}`, `Old Town ${zip}`]) {
    const [first] = await search(`${line}, ${end}`);
    expect([end, first.geoid, first.confidence >= 0.8]).toEqual([end, block, true]);
  }
});

test.each(['St', 'Ct', 'Rd', 'Dr', 'Pl', 'Street', 'Cl', 'Wk'])(
  'a wrong suffix is not two letters wrong in a name: %s',
  async (suffix) => {
    const { number, street, zip } = HOUSE;
    const [first] = await search(`${number} ${street.replace('Avenue', suffix)} ${zip}`);
    expect(first?.confidence ?? 0).toBeLessThan(0.8);
  },
);

test('a hyphenated number is the first of a range, or one number as in Queens', async () => {
  const { number, street, zip, block } = HOUSE;
  const line = (text: string) => `${text} ${street} ${zip}`;
  const lowest = Math.min(...LIST.flatMap((one) => (one.street === street ? one.number : [])));
  const hasFour = LIST.find((one) => one.number > 1_000 && one.number % 100 < 90)!;
  for (const text of [
    `${number}-${number + 4}`,
    `${number}–${number + 2}`,
    `${number}-${number + 3}`,
  ]) {
    const [first] = await search(line(text));
    expect([text, first.label]).toEqual([text, `${number} ${street}, ${zip}`]);
    expect([first.geoid, first.confidence >= 0.8]).toEqual([block, true]);
  }
  const [hundreds, rest] = [Math.floor(hasFour.number / 100), hasFour.number % 100];
  expect(hundreds).toBeLessThan(lowest);
  const two = (one: number) => String(one).padStart(2, '0');
  for (let house = rest % 2 === 0 ? 2 : 1; house < 100; house += 7) {
    const text = `${hundreds}-${two(house)}`;
    const [first] = await search(`${text} ${hasFour.street} ${hasFour.zip}`);
    expect([text, first.label]).toEqual([
      text,
      expect.stringMatching(`^${hundreds}${two(house)} `),
    ]);
    // A possible range is not certain where the street lacks its first number.
    const isRange = house > hundreds && (house - hundreds) % 2 === 0;
    const [plain] = await search(`${hundreds}${two(house)} ${hasFour.street} ${hasFour.zip}`);
    const isAsSure = first.confidence === plain.confidence;
    expect([text, isAsSure, isRange && first.confidence < 0.8]).toEqual([text, !isRange, isRange]);
  }
});

test('coordinates may have signs and points without digits', async () => {
  const [{ lat, lon, geoid }] = await search(HOUSE.block);
  for (const q of [`+${lat},${lon}`, `+${lat} ${lon}`, `${lon}, +${lat}`]) {
    expect(await search(q)).toMatchObject([{ kind: 'coordinates', geoid }]);
  }
  const plain = await search(`${Math.round(lat)} ${Math.round(lon)}`);
  expect(await search(`${Math.round(lat)}. ${Math.round(lon)}.`)).toEqual(plain);
  expect(plain).toMatchObject([{ kind: 'coordinates' }]);
});

test('a place is found by its GEOID, here and among places', async () => {
  const [named] = await search('Port Meridian');
  expect(await search(' 9957600 ')).toEqual([{ ...named, confidence: 1 }]);
  expect(await search('9900000')).toEqual([]);
  const places = async (q: string) => (await proxy.get(`/v1/places?q=${q}`)).json().places;
  const [place, ...others] = await places('9957600');
  expect(others).toEqual([]);
  expect(place).toMatchObject({ geoid: '9957600', name: 'Port Meridian', state: 'XA' });
  expect(await places('Port%20Meridian')).toContainEqual(place);
  expect(await places('9900000')).toEqual([]);
});

test('matches near a point come first, with their distance', async () => {
  const [west, east] = await search('Juniper Avenue');
  for (const wanted of [west, east]) {
    const [first] = await search('Juniper Avenue', `&near=${wanted.lon},${wanted.lat}`);
    expect(first).toMatchObject({ geoid: wanted.geoid, distance_m: 0 });
  }
});

test('a search costs nothing, has an ETag, and reads each county twice when cold', async () => {
  const cold = await openProxy(inject('demoStore'));
  try {
    const { number, street, zip } = HOUSE;
    const url = urlOf(`${number} ${street} ${zip}`);
    const first = await cold.get(url);
    const objects = cold.store.reads.map((name) => name.replace(/-[0-9a-f]+\..*/, ''));
    expect(objects).toEqual(['address-directory/all', 'addresses/99001', 'addresses/99001']);
    expect(first.headers['cache-control']).toMatch(/public/);
    const again = await cold.get(url, undefined, { 'if-none-match': String(first.headers.etag) });
    expect([again.statusCode, again.body]).toEqual([304, '']);
    expect(cold.store.reads).toHaveLength(3);
  } finally {
    await cold.close();
  }
});

test.each([
  ['', 'q'],
  ['q=', 'q'],
  ['q=elm&near=1', 'near'],
  ['q=elm&near=-70,36,1', 'near'],
  ['q=elm&near=36,-70', 'near'],
  ['q=elm&near=36,-700', 'near'],
  ['q=elm&limit=21', 'limit'],
  ['q=elm&zip=00101', 'zip'],
])('a wrong parameter is refused by name: %s', async (query, name) => {
  const response = await proxy.get(`/v1/addresses?${query}`);
  expect(response.statusCode).toBe(400);
  expect(response.json().errors[0].loc).toEqual(['query', name]);
});

test('a release without addresses finds the rest', async () => {
  const plain = await openProxy(store);
  try {
    const response = await plain.get(urlOf('12 Juniper Avenue'));
    const note = 'this release has no addresses; its operator adds them with tta build --addresses';
    expect(response.json()).toEqual({ results: [], note });
    const [{ geoid }] = COUNTY.blocks;
    const { results, ...others } = (await plain.get(urlOf(geoid))).json();
    expect([results[0].kind, others]).toEqual(['block', {}]);
    const { key } = await plain.customer({ tokens: 10 });
    const origins = [{ address: '12 Juniper Avenue' }];
    const [{ detail }] = (await plain.post('/v1/point/summary', key, { origins })).json().errors;
    expect(detail).toBe(`"12 Juniper Avenue" is not found: ${note}`);
  } finally {
    await plain.close();
  }
});
