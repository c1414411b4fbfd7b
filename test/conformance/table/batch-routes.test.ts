import { describe, expect, test } from 'vitest';
import { type Answer, expectOk, expectProblem, expectRows } from '../api.ts';
import { BLOCK_ELSEWHERE, demoOfTests, NO_SUCH_BLOCK, NO_SUCH_POI, OPEN_SEA } from '../demo.ts';

const demo = demoOfTests();

const post = (path: string, body: object) => demo.api.post(path, body);
const point = ({ lon, lat }: { lon: number; lat: number }) => ({ lat, lon });
const WHOLE = { truncated: [], truncated_reason: null };

function routable(count: number) {
  return demo.release.blocks.filter(({ isRoutable }) => isRoutable).slice(100, 100 + count);
}
const geoids = (count: number) => routable(count).map(({ geoid }) => geoid);

describe('POST /v1/blocks/summary', () => {
  const path = '/v1/blocks/summary';

  test('results are those of each block with its geoid, in the order of the request', async () => {
    const origins = geoids(3).reverse();
    const answer = await post(path, { origins, mode: ['bike'] });
    const singles: Answer[] = [];
    for (const geoid of origins) {
      singles.push(await demo.api.get(`/v1/blocks/${geoid}/summary`, { mode: 'bike' }));
    }
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
    // Of an answer cut off, the part that came is paid: nobody has all the rows before the end of it.
    expect(Object.keys(body).at(-1)).toBe('results');
    expect(body.errors).toEqual([
      { type: 'no-block-data', detail: expect.any(String), geoid: origins[0] },
      { type: 'block-not-found', detail: expect.any(String), geoid: origins[1] },
      { type: 'block-not-found', detail: expect.any(String), geoid: origins[2] },
    ]);
  });

  test('a GEOID that is not 15 digits is that origin’s block-not-found, as it was sent', async () => {
    const malformed = ['99001', '', 'x', `${demo.block.geoid} `, '٩٩٠٠١٠٠٠١٠٠١٠٠٠'];
    const origins = [malformed, demo.block.geoid, '9'.repeat(5_000)].flat();
    const body = expectOk(await post(path, { origins, type: [101] }));
    expect(body.blocks.map(({ geoid }: { geoid: string }) => geoid)).toEqual([demo.block.geoid]);
    expect(body.errors.map(({ type, geoid }: Record<string, string>) => [type, geoid])).toEqual(
      [...malformed, `${'9'.repeat(39)}…`].map((geoid) => ['block-not-found', geoid]),
    );
  });

  test('a GEOID that comes as a number is read by its digits; without its zero it fails alone', async () => {
    const origins = [Number(demo.block.geoid), Number(demo.block.geoid.slice(1))];
    const body = expectOk(await post(path, { origins, type: [101] }));
    expect(body.blocks.map(({ geoid }: { geoid: string }) => geoid)).toEqual([demo.block.geoid]);
    expect(body.errors).toMatchObject([{ type: 'block-not-found', geoid: String(origins[1]) }]);
  });

  test('an origin that is neither text nor number refuses the request, and says which', async () => {
    const { errors } = expectProblem(
      await post(path, { origins: [demo.block.geoid, {}] }),
      'invalid-parameters',
    );
    expect(errors).toMatchObject([{ loc: ['body', 'origins', 1] }]);
  });
});

describe('POST /v1/blocks/pois', () => {
  const path = '/v1/blocks/pois';

  test('takes dest_id', async () => {
    const dest_id = [demo.poi.dest_id];
    const body = expectOk(await post(path, { origins: [demo.block.geoid], dest_id }));
    expect(new Set(body.results.map((row: { dest_id: number }) => row.dest_id))).toEqual(
      new Set(dest_id),
    );
  });

  test('past 50,000 rows whole origins go to truncated with row-budget', async () => {
    const origins = [...geoids(249), demo.water.geoid];
    const body = expectOk(await post(path, { origins }));
    expect([body.truncated_reason, body.errors]).toEqual(['row-budget', []]);
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
});
