import { describe, expect, test } from 'vitest';
import { expectInvalid, expectOk, expectProblem } from '../api.ts';
import { demoOfTests, NO_SUCH_BLOCK, NO_SUCH_POI, OPEN_SEA } from '../demo.ts';
import { BATCHES } from '../routes.ts';

const demo = demoOfTests();

const post = (path: string, body: object, as = demo.api.customer) =>
  demo.api.post(path, body, { as });
const point = ({ lon, lat }: { lon: number; lat: number }) => ({ lat, lon });
const WHOLE = { truncated: [], truncated_reason: null };

const OF_BLOCKS = {
  member: 'origins',
  known: geoids,
  unknown: () => NO_SUCH_BLOCK,
  fault: 'block-not-found',
} as const;
const OF_POINTS = {
  member: 'origins',
  known: points,
  unknown: () => point(OPEN_SEA),
  fault: 'point-not-covered',
} as const;
/** Per batch route: its list's name, a number of known origins, an unknown one, and its error. */
const ORIGINS = {
  '/v1/blocks/summary': OF_BLOCKS,
  '/v1/blocks/pois': OF_BLOCKS,
  '/v1/point/summary': OF_POINTS,
  '/v1/point/pois': OF_POINTS,
  '/v1/access': OF_BLOCKS,
  '/v1/pois/catchment': {
    member: 'dest_ids',
    known: destIds,
    unknown: () => NO_SUCH_POI,
    fault: 'poi-not-found',
  },
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

  test('where origins are missing, unknown members are named, since one may be meant as them', async () => {
    const misspelt = { orgins: ORIGINS[path].known(1), mode: ['walk'] };
    const { detail } = (await post(path, misspelt)).json() as { detail: string };
    expect(detail).toMatch(
      /^(origins|dest_ids) must list 1 to 250 origins; unknown member orgins$/,
    );
    const many = Object.fromEntries(
      Array.from({ length: 500 }, (_, i) => [`x${i}`.repeat(200), i]),
    );
    const { detail: short } = (await post(path, many)).json() as { detail: string };
    expect(short).toContain('unknown members x0x0');
    expect(short.length).toBeLessThan(500);
  });

  test('origins after more values than any valid request has are not reported missing', async () => {
    const body = { mode: Array(30_000).fill('walk'), [origins]: ORIGINS[path].known(1) };
    expectInvalid(await post(path, body), 'mode');
  });

  test('origins that are not an array are invalid-parameters', async () => {
    for (const bad of ['x', 5, null, {}]) {
      expectInvalid(await post(path, { [origins]: bad }), origins);
    }
  });

  test('a null or malformed origin fails alone, in every format, and costs nothing', async () => {
    const { known, fault } = ORIGINS[path];
    const malformed = [null, true, [], 1.5, 'x', '\u0000', {}, { lat: 91, lon: 0 }, { lat: null }];
    const body = bodyOf(path, 2);
    const alone = await post(path, body);
    const mixed = { ...body, [origins]: [null, ...known(1), ...malformed, ...known(2).slice(1)] };
    const response = await post(path, mixed);
    const { results, errors, truncated } = expectOk(response);
    expect(results).toEqual(expectOk(alone).results);
    expect(errors.map(({ type }: { type: string }) => type)).toEqual(
      Array(1 + malformed.length).fill(fault),
    );
    expect([truncated, response.headers['x-tokens-charged']]).toEqual([
      [],
      alone.headers['x-tokens-charged'],
    ]);
    for (const accept of ['text/csv', 'application/x-ndjson', 'application/vnd.apache.parquet']) {
      const text = await demo.api.post(path, mixed, { headers: { accept } });
      expect([accept, text.statusCode, text.headers['x-batch-errors']]).toEqual([
        accept,
        200,
        String(1 + malformed.length),
      ]);
      if (accept === 'text/csv') expect(text.headers['x-errors']).toContain(`=${fault}`);
    }
  });

  test('a malformed origin beyond a truncated one is an error, since it need not be sent again', async () => {
    const { known, fault } = ORIGINS[path];
    if (fault === 'block-not-found') return;
    const body = { ...bodyOf(path, 2), [origins]: [...known(2), null], max_rows: 1 };
    const { truncated, truncated_reason, errors } = expectOk(await post(path, body));
    expect([truncated.length, truncated_reason]).toEqual([1, 'row-budget']);
    expect(errors).toMatchObject([{ type: fault }]);
  });

  test('is free and returns 200 when no origin can be resolved', async () => {
    const key: Record<string, string> = { 'idempotency-key': `unresolved ${path}` };
    for (const headers of [{}, key]) {
      const unknown = { [origins]: [ORIGINS[path].unknown()] };
      const response = await demo.api.post(path, unknown, { headers });
      const body = expectOk(response);
      expect(response.headers['x-tokens-charged']).toBe('0');
      expect(body).toMatchObject({ results: [], ...WHOLE });
      expect(body.errors).toHaveLength(1);
    }
  });

  test('is not paginated: no limit, no cursor, no next_cursor', async () => {
    for (const name of ['limit', 'cursor']) {
      expectInvalid(await post(path, bodyOf(path, 1, { [name]: 5 })), name);
    }
    expect(expectOk(await post(path, bodyOf(path, 1)))).not.toHaveProperty('next_cursor');
  });
});
