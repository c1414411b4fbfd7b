import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, expectInvalid, expectOk, expectProblem, type QueryValue } from './api.ts';
import { type Demo, NO_SUCH_BLOCK, OPEN_SEA, openDemo } from './demo.ts';
import { degreesToBorder, isInside, type Rings } from './plain-geometry.ts';

let demo: Demo;
beforeAll(async () => {
  demo = await openDemo();
});
afterAll(() => demo.api.close());

const PATH = '/v1/isochrone';
/** Nearer to a border than this, a point is taken for neither inside nor outside. */
const SLACK_DEGREES = 2e-6;

type Query = Readonly<Record<string, QueryValue>>;
const ask = (query: Query, as = demo.api.customer) => demo.api.get(PATH, query, { as });
const fromBlock = (query: Query = {}) =>
  ask({ block: demo.block.geoid, ...('contours' in query ? {} : { minutes: 15 }), ...query });
const meta = async () => expectOk(await demo.api.get('/v1/isochrone/meta', {}, { as: null }));

interface Feature {
  readonly type: string;
  readonly geometry: { readonly type: string; readonly coordinates: unknown };
  readonly properties: { contour: number; mode: string; reachable_blocks: number };
}
interface ReachedBlock {
  readonly geoid: string;
  readonly travel_min: number;
}

function polygonsOf({ geometry }: Feature): Rings[] {
  expect(['Polygon', 'MultiPolygon']).toContain(geometry.type);
  return (geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates) as Rings[];
}
const charged = (answer: Answer) => answer.headers['x-tokens-charged'];

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

  test('assumptions say departure, percentile, window and cap as they should be read', async () => {
    const { assumptions, modes } = await meta();
    expect(assumptions.max_trip_duration_min).toEqual(expect.any(Number));
    if (!modes.includes('transit')) return;
    expect(assumptions.transit_departure).toMatch(/^\d{4}-\d\d-\d\dT08:00(:00)?$/);
    expect(assumptions.transit_percentile).toBe(10);
    expect(assumptions.transit_window_min).toBe(60);
  });

  test('is free and raises no key errors', async () => {
    const rest = { as: null, headers: { authorization: 'Bearer nonsense' } };
    expectOk(await demo.api.get('/v1/isochrone/meta', {}, rest));
  });
});

describe('§4.5 what is asked', () => {
  test('neither block nor lon+lat is missing-location; both are invalid-parameters', async () => {
    const { geoid, lon, lat } = demo.block;
    expectProblem(await ask({ minutes: 10 }), 'missing-location');
    for (const half of [{ lon }, { lat }]) {
      const answer = await ask({ minutes: 10, ...half });
      expect([answer.statusCode, answer.body]).toEqual([
        400,
        expect.stringMatching(/missing-location|invalid-parameters/),
      ]);
    }
    expectProblem(await ask({ minutes: 10, block: geoid, lon, lat }), 'invalid-parameters');
  });

  test('exactly one of minutes and contours', async () => {
    const block = demo.block.geoid;
    expectProblem(await ask({ block }), 'invalid-parameters');
    expectProblem(await ask({ block, minutes: 10, contours: '5,10' }), 'invalid-parameters');
  });

  test('minutes is 1 to max_minutes, a whole number', async () => {
    for (const minutes of [0, 61, -1, 1.5, 'x', '', [5, 10]]) {
      expectInvalid(await fromBlock({ minutes }), 'minutes');
    }
    expectOk(await fromBlock({ minutes: 1 }));
    expectOk(await fromBlock({ minutes: 60 }));
  });

  test('contours are 1 to 4, strictly ascending, repeated or with commas', async () => {
    for (const contours of [
      '',
      '10,5',
      '5,5',
      '1,2,3,4,5',
      '0,5',
      '5,61',
      '5,x',
      '5,,10',
      '5;10',
    ]) {
      expectInvalid(await fromBlock({ contours }), 'contours');
    }
    const commas = expectOk(await fromBlock({ contours: '5,10,15' }));
    const repeated = expectOk(await fromBlock({ contours: [5, 10, 15] }));
    expect(repeated).toEqual(commas);
    expect(commas.features).toHaveLength(3);
  });

  test('mode is walk unless told, direction from, format geojson', async () => {
    const plain = expectOk(await fromBlock());
    const told = { mode: 'walk', direction: 'from', format: 'geojson' };
    expect(expectOk(await fromBlock(told))).toEqual(plain);
    expect(plain).toMatchObject({ mode: 'walk', direction: 'from', type: 'FeatureCollection' });
    for (const [name, bad] of [
      ['mode', 'drive'],
      ['direction', 'both'],
      ['format', 'kml'],
    ]) {
      expectInvalid(await fromBlock({ [name]: bad }), name);
      expectInvalid(
        await fromBlock({ [name]: [told[name as 'mode'], told[name as 'mode']] }),
        name,
      );
    }
  });

  test('a point stands for the block that it lies in', async () => {
    const { geoid, lon, lat } = demo.block;
    const byPoint = expectOk(await ask({ lon, lat, minutes: 15 }));
    expect(byPoint).toEqual(expectOk(await ask({ block: geoid, minutes: 15 })));
  });

  test('an unknown block is block-not-found, a point in none point-not-covered', async () => {
    expectProblem(await ask({ block: NO_SUCH_BLOCK, minutes: 5 }), 'block-not-found');
    expectInvalid(await ask({ block: '12', minutes: 5 }), 'block');
    expectProblem(await ask({ ...OPEN_SEA, minutes: 5 }), 'point-not-covered');
  });

  test('v pins the version of the store: another is no-isochrone-data, pinned answers immutable', async () => {
    const { version } = await meta();
    const pinned = await fromBlock({ v: version });
    expectOk(pinned);
    expect(pinned.headers['cache-control']).toMatch(/immutable/);
    expectProblem(await fromBlock({ v: 'another' }), 'no-isochrone-data');
  });

  test('a mode that was not routed is no-isochrone-data', async () => {
    const absent = ['walk', 'bike', 'transit'].filter(
      (mode) => !demo.release.modes.includes(mode as 'walk'),
    );
    for (const mode of absent) expectProblem(await fromBlock({ mode }), 'no-isochrone-data');
  });
});

describe('§4.5 format=blocks', () => {
  const blocks = async (query: Query = {}) =>
    expectOk(await fromBlock({ format: 'blocks', ...query }));

  test('{blocks: [{geoid, travel_min}], reachable_blocks, block, direction, mode, version, assumptions}', async () => {
    const body = await blocks({ mode: 'bike', direction: 'to' });
    const { version, assumptions } = await meta();
    expect(body).toEqual({
      ...{ blocks: expect.any(Array), reachable_blocks: body.blocks.length, version, assumptions },
      ...{ block: demo.block.geoid, direction: 'to', mode: 'bike' },
    });
    for (const row of body.blocks) expect(Object.keys(row).sort()).toEqual(['geoid', 'travel_min']);
  });

  test('travel_min is whole minutes, rounded up, at most what was asked', async () => {
    for (const minutes of [1, 7, 30, 60]) {
      const { blocks: rows } = await blocks({ minutes });
      for (const { travel_min } of rows as ReachedBlock[]) {
        expect(Number.isInteger(travel_min)).toBe(true);
        expect(travel_min).toBeGreaterThanOrEqual(0);
        expect(travel_min).toBeLessThanOrEqual(minutes);
      }
    }
  });

  test('fewer minutes give the same rows, cut', async () => {
    const all: ReachedBlock[] = (await blocks({ minutes: 60 })).blocks;
    for (const minutes of [5, 12, 30]) {
      const some = (await blocks({ minutes })).blocks;
      expect(some).toEqual(all.filter(({ travel_min }) => travel_min <= minutes));
    }
  });

  test('who reaches whom: a from b in n minutes is b to a in n minutes', async () => {
    const rows: ReachedBlock[] = (await blocks({ minutes: 20, mode: 'bike' })).blocks;
    for (const { geoid, travel_min } of rows.filter((_, i) => i % 17 === 0)) {
      const query = { block: geoid, minutes: 20, mode: 'bike', direction: 'to', format: 'blocks' };
      const back: ReachedBlock[] = expectOk(await ask(query)).blocks;
      const found = back.find((row) => row.geoid === demo.block.geoid);
      expect([geoid, found?.travel_min]).toEqual([geoid, travel_min]);
    }
  });

  test('the origin block is reached', async () => {
    const rows: ReachedBlock[] = (await blocks({ minutes: 1 })).blocks;
    expect(rows.map(({ geoid }) => geoid)).toContain(demo.block.geoid);
  });
});

describe('§4.5 format=geojson', () => {
  const contours = [5, 10, 20, 30];

  test('a FeatureCollection with version, direction, mode, assumptions, block, reachable_blocks', async () => {
    const { version, assumptions } = await meta();
    const body = expectOk(await fromBlock({ contours: contours.join(',') }));
    const reachable_blocks = body.features[0].properties.reachable_blocks;
    expect(body).toEqual({
      ...{ type: 'FeatureCollection', version, direction: 'from', mode: 'walk', assumptions },
      ...{ block: demo.block.geoid, reachable_blocks, features: expect.any(Array) },
    });
  });

  test('features are ordered largest contour first, with contour, mode and reachable_blocks', async () => {
    const { features } = expectOk(await fromBlock({ contours: contours.join(',') }));
    expect(features.map(({ properties }: Feature) => properties.contour)).toEqual(
      [...contours].reverse(),
    );
    for (const feature of features as Feature[]) {
      const { contour } = feature.properties;
      const query = { minutes: contour, format: 'blocks' };
      const { reachable_blocks } = expectOk(await fromBlock(query));
      expect(feature).toMatchObject({ type: 'Feature' });
      expect(feature.properties).toEqual({ contour, mode: 'walk', reachable_blocks });
    }
  });

  test.each(['from', 'to'])(
    'contours nest exactly and contain the origin block: %s',
    async (direction) => {
      for (const mode of demo.release.modes) {
        const { features } = expectOk(
          await fromBlock({ contours: contours.join(','), direction, mode }),
        );
        const shapes = (features as Feature[]).map(polygonsOf);
        for (const [larger, smaller] of shapes.slice(1).map((shape, i) => [shapes[i], shape])) {
          for (const [lon, lat] of smaller.flat(2)) {
            const isWithin = isInside(larger, lon, lat);
            const isOnBorder = degreesToBorder(larger, lon, lat) < SLACK_DEGREES;
            expect([lon, lat, isWithin || isOnBorder]).toEqual([lon, lat, true]);
          }
        }
        for (const shape of shapes)
          expect(isInside(shape, demo.block.lon, demo.block.lat)).toBe(true);
      }
    },
  );

  test('a contour covers the centres of the blocks that are reached, and no others but in filled holes', async () => {
    const { features } = expectOk(await fromBlock({ minutes: 15 }));
    const shape = polygonsOf(features[0]);
    const rows: ReachedBlock[] = expectOk(
      await fromBlock({ minutes: 15, format: 'blocks' }),
    ).blocks;
    const reached = new Set(rows.map(({ geoid }) => geoid));
    const covered = demo.release.blocks.filter(({ lon, lat }) => isInside(shape, lon, lat));
    for (const geoid of reached) {
      expect(covered.map((block) => block.geoid)).toContain(geoid);
    }
    const filled = covered.filter(({ geoid }) => !reached.has(geoid));
    expect(filled.length).toBeLessThanOrEqual(0.1 * covered.length);
  });

  test('rings are closed, wound as RFC 7946 has it, and have at most 6 decimals', async () => {
    const { features } = expectOk(await fromBlock({ contours: '10,30', mode: 'bike' }));
    for (const feature of features as Feature[]) {
      for (const polygon of polygonsOf(feature)) {
        polygon.forEach((ring, i) => {
          expect(ring.length).toBeGreaterThanOrEqual(4);
          expect(ring.at(-1)).toEqual(ring[0]);
          expect(Math.sign(signedArea(ring))).toBe(i === 0 ? 1 : -1);
          for (const value of ring.flat()) expect(Number(value.toFixed(6))).toBe(value);
        });
      }
    }
  });

  test('an origin that nothing can be routed from reaches nothing else', async () => {
    const query = { block: demo.water.geoid, minutes: 10, format: 'blocks' };
    const answer = await ask(query);
    expect([200, 404]).toContain(answer.statusCode);
    if (answer.statusCode === 404) expectProblem(answer, 'no-isochrone-data');
    else expect(answer.json().blocks.length).toBeLessThanOrEqual(1);
  });
});

describe('§5.6 and §8 what it costs', () => {
  test('10 tokens a contour for a normal key, in either format', async () => {
    expect(charged(await fromBlock({ minutes: 10 }))).toBe('10');
    expect(charged(await fromBlock({ minutes: 10, format: 'blocks' }))).toBe('10');
    expect(charged(await fromBlock({ contours: '5' }))).toBe('10');
    expect(charged(await fromBlock({ contours: '5,10,15,20' }))).toBe('40');
  });

  test('nothing for a member, without token headers', async () => {
    const member = await demo.api.newCustomer({ tokens: 0, member: true });
    const answer = await ask({ block: demo.block.geoid, contours: '5,10' }, member);
    expectOk(answer);
    for (const name of ['x-tokens-charged', 'x-tokens-remaining', 'x-tokens-cost']) {
      expect(answer.headers).not.toHaveProperty(name);
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

  test('a balance one short is tokens-exhausted', async () => {
    const as = await demo.api.newCustomer({ tokens: 19 });
    const answer = await ask({ block: demo.block.geoid, contours: '5,10' }, as);
    expect(expectProblem(answer, 'tokens-exhausted')).toMatchObject({
      tokens_required: 20,
      tokens_remaining: 19,
    });
  });

  test('304 is free; HEAD is free and says the cost', async () => {
    const first = await fromBlock({ contours: '5,10' });
    const headers = { 'if-none-match': String(first.headers.etag) };
    const query = { block: demo.block.geoid, contours: '5,10' };
    const as = await demo.api.newCustomer({ tokens: 0 });
    const again = await demo.api.get(PATH, query, { headers, as });
    expect([again.statusCode, again.body]).toEqual([304, '']);
    const head = await demo.api.call({ method: 'HEAD', path: PATH, query, as });
    expect([head.statusCode, head.headers['x-tokens-cost']]).toEqual([200, '20']);
  });

  test('needs a key', async () => {
    const query = { block: demo.block.geoid, minutes: 5 };
    expectProblem(await demo.api.get(PATH, query, { as: null }), 'missing-key');
  });
});

/** Twice the area by the shoelace formula: positive for rings that run counter-clockwise. */
function signedArea(ring: Rings[number]): number {
  return ring.slice(1).reduce((sum, [x, y], i) => sum + ring[i][0] * y - x * ring[i][1], 0);
}
