import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectInvalid, expectOk, expectProblem, expectRows } from '../api.ts';
import {
  BLOCK_ELSEWHERE,
  type Demo,
  NO_SUCH_BLOCK,
  NO_SUCH_POI,
  OPEN_SEA,
  openDemo,
} from '../demo.ts';
import { BATCHES } from '../routes.ts';

let demo: Demo;
beforeAll(async () => {
  demo = await openDemo();
});
afterAll(() => demo.api.close());

const post = (path: string, body: object, as = demo.api.customer) =>
  demo.api.post(path, body, { as });
const point = ({ lon, lat }: { lon: number; lat: number }) => ({ lat, lon });
const WHOLE = { truncated: [], truncated_reason: null };

/** What each batch takes an array of, some that exist, and one that does not. */
const ORIGINS = {
  '/v1/blocks/summary': { member: 'origins', known: geoids, unknown: () => NO_SUCH_BLOCK },
  '/v1/blocks/pois': { member: 'origins', known: geoids, unknown: () => NO_SUCH_BLOCK },
  '/v1/point/summary': { member: 'origins', known: points, unknown: () => point(OPEN_SEA) },
  '/v1/point/pois': { member: 'origins', known: points, unknown: () => point(OPEN_SEA) },
  '/v1/pois/catchment': { member: 'dest_ids', known: destIds, unknown: () => NO_SUCH_POI },
} as const;
type Path = keyof typeof ORIGINS;

function geoids(count: number): string[] {
  return routable(count).map(({ geoid }) => geoid);
}
function points(count: number) {
  return routable(count).map(point);
}
function destIds(count: number): number[] {
  const { pois } = demo.release;
  return Array.from({ length: count }, (_, i) => pois[i % pois.length].dest_id);
}
function routable(count: number) {
  const blocks = demo.release.blocks.filter(({ isRoutable }) => isRoutable);
  return blocks.slice(100, 100 + count);
}

/** A body of so many known origins, with few rows each. */
function bodyOf(path: Path, count: number, more: object = {}) {
  const { member, known } = ORIGINS[path];
  const few = path.endsWith('summary') ? { type: [101] } : { max_minutes: 3 };
  return { [member]: known(count), ...few, ...more };
}

describe.each(BATCHES)('§4.4 every batch: $route', ({ route, origins }) => {
  const path = route as Path;

  test('takes 1 to 250 origins', async () => {
    expectOk(await post(path, bodyOf(path, 1)));
    expectOk(await post(path, bodyOf(path, 250)));
    expectProblem(await post(path, bodyOf(path, 251)), 'too-many-origins');
  });

  test('empty or absent origins give missing-origins', async () => {
    expectProblem(await post(path, {}), 'missing-origins');
    expectProblem(await post(path, { [origins]: [] }), 'missing-origins');
  });

  test('origins that are no array, or of no such kind, are invalid-parameters', async () => {
    for (const bad of ['x', 5, null, {}, [null], ['x'], [[]], [{}], [1.5], [{ lat: 91, lon: 0 }]]) {
      const answer = await post(path, { [origins]: bad });
      expectInvalid(answer, origins);
    }
  });

  test('origins that cannot be resolved are in errors; the others still return results', async () => {
    const { known, unknown } = ORIGINS[path];
    const [first, second] = known(2);
    const alone = expectOk(await post(path, bodyOf(path, 2)));
    const mixed = expectOk(
      await post(path, { ...bodyOf(path, 1), [origins]: [first, unknown(), second] }),
    );
    expect(mixed.results).toEqual(alone.results);
    expect(mixed.errors).toHaveLength(1);
    expect(mixed.errors[0]).toMatchObject({
      detail: expect.stringMatching(/\w/),
      type: expect.stringMatching(/^(block-not-found|point-not-covered|poi-not-found)$/),
    });
    expect(mixed).toMatchObject(WHOLE);
  });

  test('when no origin can be resolved it is 200, one token', async () => {
    const body = expectRows(await post(path, { [origins]: [ORIGINS[path].unknown()] }), 0);
    expect(body).toMatchObject({ results: [], ...WHOLE });
    expect(body.errors).toHaveLength(1);
  });

  test('costs 1 token a row over all origins', async () => {
    const answer = await post(path, bodyOf(path, 5));
    expectRows(answer, answer.json().results.length);
  });

  test('is not paginated: no limit, no cursor, no next_cursor', async () => {
    expectInvalid(await post(path, bodyOf(path, 1, { limit: 5 })), 'limit');
    expectInvalid(await post(path, bodyOf(path, 1, { cursor: 'x' })), 'cursor');
    expect(expectOk(await post(path, bodyOf(path, 1)))).not.toHaveProperty('next_cursor');
  });

  test('arrays in the body must be arrays, of the right kind', async () => {
    expectInvalid(await post(path, bodyOf(path, 1, { mode: 'walk' })), 'mode');
    expectInvalid(await post(path, bodyOf(path, 1, { mode: [1] })), 'mode');
    expectInvalid(await post(path, bodyOf(path, 1, { mode: ['drive'] })), 'mode');
    if (path === '/v1/pois/catchment') return;
    expectInvalid(await post(path, bodyOf(path, 1, { type: 101 })), 'type');
    expectInvalid(await post(path, bodyOf(path, 1, { type: [65_000] })), 'type');
  });

  test('whole origins are delivered while they can be paid; the rest is in truncated', async () => {
    const all = expectOk(await post(path, bodyOf(path, 6)));
    const rows: Record<string, unknown>[] = all.results;
    const half = Math.floor(rows.length / 2);
    const as = await demo.api.newCustomer({ tokens: half });
    const answer = await post(path, bodyOf(path, 6), as);
    const some = expectRows(answer, answer.json().results.length);
    expect(some.truncated_reason).toBe('insufficient-balance');
    expect(some.truncated.length).toBeGreaterThan(0);
    expect(some.results.length).toBeLessThanOrEqual(half);
    expect(some.results).toEqual(rows.slice(0, some.results.length));
    const rest = { ...bodyOf(path, 1), [origins]: some.truncated.map(asOrigin) };
    const others = expectOk(await post(path, rest));
    expect([...some.results, ...others.results]).toEqual(rows);
  });

  test('a zero balance is tokens-exhausted', async () => {
    const as = await demo.api.newCustomer({ tokens: 0 });
    expectProblem(await post(path, bodyOf(path, 2), as), 'tokens-exhausted');
  });
});

/** A truncated point says which one under the names that rows have. */
function asOrigin(truncated: unknown): unknown {
  if (typeof truncated !== 'object' || truncated === null) return truncated;
  const { origin_lat, origin_lon } = truncated as { origin_lat: number; origin_lon: number };
  return { lat: origin_lat, lon: origin_lon };
}

describe('POST /v1/blocks/summary', () => {
  const path = '/v1/blocks/summary';

  test('results are those of each block with its geoid, in the order of the request', async () => {
    const origins = geoids(3).reverse();
    const answer = await post(path, { origins, mode: ['bike'] });
    const singles = await Promise.all(
      origins.map((geoid) =>
        demo.api.proxy.get(`/v1/blocks/${geoid}/summary?mode=bike`, demo.api.customer.key),
      ),
    );
    const body = expectRows(answer, singles.flatMap((single) => single.json().results).length);
    expect(body).toEqual({
      results: singles.flatMap((single, i) =>
        single.json().results.map((row: object) => ({ ...row, geoid: origins[i] })),
      ),
      blocks: singles.map((single) => single.json().block),
      errors: [],
      ...WHOLE,
    });
  });

  test('a block that no mode could be routed from is no-block-data; one unknown block-not-found', async () => {
    const origins = [demo.water.geoid, BLOCK_ELSEWHERE, NO_SUCH_BLOCK, demo.block.geoid];
    const body = expectOk(await post(path, { origins, type: [101] }));
    expect(body.errors).toEqual([
      { type: 'no-block-data', detail: expect.any(String), geoid: origins[0] },
      { type: 'block-not-found', detail: expect.any(String), geoid: origins[1] },
      { type: 'block-not-found', detail: expect.any(String), geoid: origins[2] },
    ]);
  });

  test('a GEOID that is not 15 digits refuses the request, and says which', async () => {
    const { errors } = expectProblem(
      await post(path, { origins: [demo.block.geoid, '99001'] }),
      'invalid-parameters',
    );
    expect(errors[0].loc.map(String)).toEqual(expect.arrayContaining(['origins', '1']));
  });
});

describe('POST /v1/blocks/pois', () => {
  const path = '/v1/blocks/pois';

  test('each origin returns all matching POIs within max_minutes, as its single route does', async () => {
    const origins = geoids(3);
    const filter = { mode: ['walk'], type: [100, 400], max_minutes: 9 };
    const body = expectOk(await post(path, { origins, ...filter }));
    const expected: object[] = [];
    for (const geoid of origins) {
      const single = await demo.api.get(`/v1/blocks/${geoid}/pois`, { ...filter, limit: 1000 });
      for (const row of expectOk(single).results) expected.push({ ...row, geoid });
    }
    expect(expected.length).toBeGreaterThan(0);
    expect(body).toEqual({ results: expected, errors: [], ...WHOLE });
  });

  test('takes dest_id', async () => {
    const dest_id = [demo.poi.dest_id];
    const body = expectOk(await post(path, { origins: [demo.block.geoid], dest_id }));
    expect(new Set(body.results.map((row: { dest_id: number }) => row.dest_id))).toEqual(
      new Set(dest_id),
    );
  });

  test('past 50,000 rows whole origins go to truncated with row-budget', async () => {
    const origins = geoids(250);
    const body = expectOk(await post(path, { origins }));
    expect(body.truncated_reason).toBe('row-budget');
    const fits: string[] = [];
    let rows = 0;
    for (const geoid of origins) {
      rows += demo.release.times.get(geoid)!.length;
      if (rows > 50_000) break;
      fits.push(geoid);
    }
    const delivered = new Set(body.results.map((row: { geoid: string }) => row.geoid));
    expect([...delivered]).toEqual(fits);
    expect(body.truncated).toEqual(origins.slice(fits.length));
  });
});

describe('POST /v1/point/summary', () => {
  test('origins say what each point resolved to; rows carry the point as it was given', async () => {
    const [a, b] = routable(2);
    const origins = [point(b), point(a), point(OPEN_SEA)];
    const body = expectOk(await post('/v1/point/summary', { origins, type: [101] }));
    expect(body.origins).toEqual(
      [b, a].map(({ lon, lat, geoid, population, land_area_m2 }) => ({
        ...{ origin_lat: lat, origin_lon: lon, resolved_block: geoid, population, land_area_m2 },
      })),
    );
    const { lat: origin_lat, lon: origin_lon } = OPEN_SEA;
    expect(body.errors).toEqual([
      { type: 'point-not-covered', detail: expect.any(String), origin_lat, origin_lon },
    ]);
    const path = `/v1/blocks/${b.geoid}/summary`;
    const single = expectOk(await demo.api.get(path, { type: 101 })).results;
    expect(body.results.slice(0, single.length)).toEqual(
      single.map((row: object) => ({ ...row, origin_lat: b.lat, origin_lon: b.lon })),
    );
  });
});

describe('POST /v1/point/pois', () => {
  test('origins {origin_lat, origin_lon, resolved_block}; rows as those of the block', async () => {
    const [a] = routable(1);
    const filter = { mode: ['bike'], type: [601], max_minutes: 20 };
    const body = expectOk(await post('/v1/point/pois', { origins: [point(a)], ...filter }));
    const path = `/v1/blocks/${a.geoid}/pois`;
    const single = expectOk(await demo.api.get(path, { ...filter, limit: 1000 })).results;
    const origin = { origin_lat: a.lat, origin_lon: a.lon };
    expect(body).toEqual({
      results: single.map((row: object) => ({ ...row, ...origin })),
      origins: [{ ...origin, resolved_block: a.geoid }],
      errors: [],
      ...WHOLE,
    });
  });
});

describe('POST /v1/pois/catchment', () => {
  const path = '/v1/pois/catchment';

  test('one row per POI, block and mode, as the single route has them', async () => {
    const dest_ids = destIds(3).reverse();
    const filter = { mode: ['walk'], max_minutes: 6 };
    const body = expectOk(await post(path, { dest_ids, ...filter }));
    const expected: object[] = [];
    for (const dest_id of dest_ids) {
      const single = await demo.api.get(`/v1/pois/${dest_id}/catchment`, {
        ...filter,
        limit: 1000,
      });
      expected.push(...expectOk(single).results);
    }
    expect(expected.length).toBeGreaterThan(0);
    expect(body).toEqual({ results: expected, errors: [], ...WHOLE });
  });

  test('block keeps only these blocks', async () => {
    const block = [Number(demo.block.geoid)];
    const body = expectOk(await post(path, { dest_ids: [demo.poi.dest_id], block }));
    for (const row of body.results) expect(row.geoid).toBe(demo.block.geoid);
    expect(body.results.length).toBeGreaterThan(0);
  });

  test('an unknown POI is poi-not-found with its dest_id', async () => {
    const body = expectOk(await post(path, { dest_ids: [NO_SUCH_POI] }));
    expect(body.errors).toEqual([
      { type: 'poi-not-found', detail: expect.any(String), dest_id: NO_SUCH_POI },
    ]);
  });

  test('max_minutes is a number, at most 30', async () => {
    for (const max_minutes of [0, 30.5, '5', null, []]) {
      expectInvalid(await post(path, { dest_ids: [demo.poi.dest_id], max_minutes }), 'max_minutes');
    }
  });
});
