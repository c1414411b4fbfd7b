import { describe, expect, test } from 'vitest';
import {
  expectInvalid,
  expectOk,
  expectProblem,
  type HttpResponse,
  type QueryValue,
} from './api.ts';
import { demoOfTests, NO_SUCH_BLOCK } from './demo.ts';

const demo = demoOfTests();

const PATH = '/v1/isochrone';

type Query = Readonly<Record<string, QueryValue>>;
const ask = (query: Query, as = demo.api.customer) => demo.api.get(PATH, query, { as });
const fromBlock = (query: Query = {}) =>
  ask({ block: demo.block.geoid, ...('contours' in query ? {} : { minutes: 15 }), ...query });
const meta = async () => expectOk(await demo.api.get('/v1/isochrone/meta', {}, { as: null }));
const charged = (response: HttpResponse) => response.headers['x-tokens-charged'];

describe('§2 GET /v1/isochrone/meta', () => {
  test('version, directions, modes, max_minutes 60, assumptions', async () => {
    expect(await meta()).toMatchObject({
      version: expect.stringMatching(/\S/),
      directions: expect.arrayContaining(['to', 'from']),
      modes: [...demo.release.modes],
      max_minutes: 60,
      assumptions: expect.any(Object),
    });
  });

  test('assumptions state departure, percentile, window and cap', async () => {
    const { assumptions, modes } = await meta();
    expect(assumptions.max_trip_duration_min).toBe(60);
    expect(assumptions).toMatchObject({ walk_speed_kmh: 4.8, bike_speed_kmh: 15 });
    expect(assumptions.direction_to).toMatch(/transpose .* not trips that arrive at a set time/);
    if (!modes.includes('transit')) return;
    expect(assumptions.transit_departure).toMatch(/^\d{4}-\d\d-\d\dT08:00(:00)?$/);
    expect(assumptions.transit_percentile).toBe(10);
    expect(assumptions.transit_window_min).toBe(60);
    expect(assumptions.transit_window).toMatch(/each whole minute from 08:00 to 08:59/);
    expect(assumptions.transit_frequent).toContain('in the window am');
    expect(assumptions.transit_percentile_formula).toMatch(/ceil\(percentile/);
    expect(assumptions.feeds).toEqual([
      {
        file: 'demo_transit.zip',
        feed_id: null,
        agency: expect.stringMatching(/\w/),
        service_date: assumptions.transit_departure.slice(0, 10),
      },
    ]);
  });
});

describe('§4.5 parameters', () => {
  test('neither block nor lon+lat is missing-location; both are invalid-parameters', async () => {
    const { geoid, lon, lat } = demo.block;
    expectProblem(await ask({ minutes: 10 }), 'missing-location');
    expectProblem(await ask({}), 'missing-location');
    expectProblem(await ask({ contours: '5,10', minutes: 5, mode: 'bike' }), 'missing-location');
    expectProblem(await ask({ minutes: 10, block: geoid, lon, lat }), 'invalid-parameters');
  });

  test('takes exactly one of minutes and contours', async () => {
    const block = demo.block.geoid;
    expectProblem(await ask({ block }), 'invalid-parameters');
    expectProblem(await ask({ block, minutes: 10, contours: '5,10' }), 'invalid-parameters');
  });

  test('minutes is 1 to max_minutes, a whole number', async () => {
    expectOk(await fromBlock({ minutes: 1 }));
    expectOk(await fromBlock({ minutes: 60 }));
  });

  test('contours are repeated or separated by commas', async () => {
    const commas = expectOk(await fromBlock({ contours: '5,10,15' }));
    const repeated = expectOk(await fromBlock({ contours: [5, 10, 15] }));
    expect(repeated).toEqual(commas);
    expect(commas.features).toHaveLength(3);
  });

  test('mode defaults to walk, direction to from, format to geojson', async () => {
    const plain = expectOk(await fromBlock());
    const reported = { mode: 'walk', direction: 'from', format: 'geojson' };
    expect(expectOk(await fromBlock(reported))).toEqual(plain);
    expect(plain).toMatchObject({ mode: 'walk', direction: 'from', type: 'FeatureCollection' });
    expectInvalid(await fromBlock({ mode: ['walk', 'walk'] }), 'mode');
  });

  test('a point resolves to the block that contains it', async () => {
    const { geoid, lon, lat } = demo.block;
    const byPoint = expectOk(await ask({ lon, lat, minutes: 15 }));
    expect(byPoint).toEqual(expectOk(await ask({ block: geoid, minutes: 15 })));
  });

  test('an unknown block is block-not-found', async () => {
    expectProblem(await ask({ block: NO_SUCH_BLOCK, minutes: 5 }), 'block-not-found');
    expectInvalid(await ask({ block: '12', minutes: 5 }), 'block');
  });

  test('v pins the version of the store: another v is no-isochrone-data, and pinned responses are immutable', async () => {
    const { version } = await meta();
    const pinned = await fromBlock({ v: version });
    expectOk(pinned);
    expect(pinned.headers['cache-control']).toBe('private, max-age=31536000, immutable');
    expectProblem(await fromBlock({ v: 'another' }), 'no-isochrone-data');
  });
});

describe('§5.6 and §8 cost', () => {
  test('is 10 tokens per contour for a normal key, in either format', async () => {
    expect(charged(await fromBlock({ minutes: 10 }))).toBe('10');
    expect(charged(await fromBlock({ minutes: 10, format: 'blocks' }))).toBe('10');
    expect(charged(await fromBlock({ contours: '5' }))).toBe('10');
    expect(charged(await fromBlock({ contours: '5,10,15,20' }))).toBe('40');
  });

  test('is nothing for a member, whose responses have no token headers', async () => {
    const member = await demo.api.newCustomer({ tokens: 0, member: true });
    const response = await ask({ block: demo.block.geoid, contours: '5,10' }, member);
    expectOk(response);
    for (const name of ['x-tokens-charged', 'x-tokens-remaining', 'x-tokens-cost']) {
      expect(response.headers).not.toHaveProperty(name);
    }
    const rows = await demo.api.get(`/v1/blocks/${demo.block.geoid}/summary`, {}, { as: member });
    expectProblem(rows, 'tokens-exhausted');
  });

  test('a member and a normal key get the same bytes and ETag', async () => {
    const member = await demo.api.newCustomer({ tokens: 0, member: true });
    const query = { block: demo.block.geoid, minutes: 12 };
    const [normal, unmetered] = [await ask(query), await ask(query, member)];
    expect(unmetered.body).toBe(normal.body);
    expect(unmetered.headers.etag).toBe(normal.headers.etag);
  });

  test('HEAD states the cost of all contours and the ETag, and reads no row', async () => {
    const call = { path: PATH, query: { block: demo.block.geoid, contours: '3,4' } };
    const { store } = demo.api.proxy;
    for (const encoding of ['gzip', 'identity']) {
      const headers = { 'accept-encoding': encoding };
      store.reads = [];
      const head = await demo.api.call({ method: 'HEAD', ...call, headers });
      expect(store.reads.filter((name) => !name.startsWith('index/'))).toEqual([]);
      expect(head.headers['x-tokens-cost']).toBe('20');
      const whole = await demo.api.call({ ...call, headers });
      expect([encoding, whole.headers.etag]).toEqual([encoding, head.headers.etag]);
    }
  });
});
