import { describe, expect, test } from 'vitest';
import { expectInvalid, expectOk, expectProblem, expectRows } from '../api.ts';
import { demoOfTests, NO_SUCH_BLOCK, NO_SUCH_POI, OPEN_SEA } from '../demo.ts';
import { BATCHES } from '../routes.ts';

const demo = demoOfTests();

const post = (path: string, body: object, as = demo.api.customer) =>
  demo.api.post(path, body, { as });
const point = ({ lon, lat }: { lon: number; lat: number }) => ({ lat, lon });
const WHOLE = { truncated: [], truncated_reason: null };

/** Per batch route: its list's name, a number of known origins, and an unknown one. */
const ORIGINS = {
  '/v1/blocks/summary': { member: 'origins', known: geoids, unknown: () => NO_SUCH_BLOCK },
  '/v1/blocks/pois': { member: 'origins', known: geoids, unknown: () => NO_SUCH_BLOCK },
  '/v1/point/summary': { member: 'origins', known: points, unknown: () => point(OPEN_SEA) },
  '/v1/point/pois': { member: 'origins', known: points, unknown: () => point(OPEN_SEA) },
  '/v1/access': { member: 'origins', known: geoids, unknown: () => NO_SUCH_BLOCK },
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

const FEW: Readonly<Record<string, object>> = {
  '/summary': { type: [101] },
  '/access': { minutes: [10] },
};

/** A body of the given number of known origins, with few rows each. */
function bodyOf(path: Path, count: number, more: object = {}) {
  const { member, known } = ORIGINS[path];
  const few = FEW[path.slice(path.lastIndexOf('/'))] ?? { max_minutes: 3 };
  return { [member]: known(count), ...few, ...more };
}

describe.each(BATCHES)('§4.4 every batch: $route', ({ route, origins }) => {
  const path = route as Path;

  test('takes 1 to 250 origins', async () => {
    expectOk(await post(path, bodyOf(path, 1)));
    expectOk(await post(path, bodyOf(path, 250)));
    expectProblem(await post(path, bodyOf(path, 251)), 'too-many-origins');
  });

  test('the number of origins is checked before their contents', async () => {
    for (const bad of [1.5, {}, '', null, []]) {
      const body = { [origins]: Array(251).fill(bad), mode: 'x', unheard_of: 1 };
      expectProblem(await post(path, body), 'too-many-origins');
    }
    expectProblem(await post(path, { [origins]: [], mode: 'x' }), 'missing-origins');
  });

  test('a hundred thousand origins are too many, although their body has more values than are read', async () => {
    const body = { [origins]: Array(100_000).fill(1), mode: 'walk' };
    expectProblem(await post(path, body), 'too-many-origins');
  });

  test('empty or absent origins give missing-origins', async () => {
    expectProblem(await post(path, {}), 'missing-origins');
    expectProblem(await post(path, { [origins]: [] }), 'missing-origins');
    expectProblem(await post(path, { mode: ['car'], unheard_of: 1 }), 'missing-origins');
  });

  test('origins after more values than any valid request has are not reported missing', async () => {
    const body = { mode: Array(30_000).fill('walk'), [origins]: ORIGINS[path].known(1) };
    expectInvalid(await post(path, body), 'mode');
  });

  test('origins that are not an array, or are of the wrong type, are invalid-parameters', async () => {
    for (const bad of [
      'x',
      5,
      null,
      {},
      [null],
      [true],
      [[]],
      [{}],
      [{ lat: 91, lon: 0 }],
      // A number as a GEOID is an unknown block, not an invalid parameter.
      ...(/blocks|access/.test(path) ? [] : [[1.5]]),
    ]) {
      const response = await post(path, { [origins]: bad });
      expectInvalid(response, origins);
    }
  });

  test('costs one token and returns 200 when no origin can be resolved', async () => {
    const body = expectRows(await post(path, { [origins]: [ORIGINS[path].unknown()] }), 0);
    expect(body).toMatchObject({ results: [], ...WHOLE });
    expect(body.errors).toHaveLength(1);
  });

  test('is not paginated: no limit, no cursor, no next_cursor', async () => {
    for (const name of ['limit', 'cursor']) {
      expectInvalid(await post(path, bodyOf(path, 1, { [name]: 5 })), name);
    }
    expect(expectOk(await post(path, bodyOf(path, 1)))).not.toHaveProperty('next_cursor');
  });
});
