import { describe, expect, test } from 'vitest';
import { expectInvalid, expectOk } from '../api.ts';
import { type Demo, demoOfTests } from '../demo.ts';
import { BATCHES } from '../routes.ts';

const BUDGET = 400;

/** The known origins of a batch, in request order, and the entry of each in `truncated`. */
type Origins = (demo: Demo, count: number) => { readonly sent: unknown; readonly name: unknown }[];

const blocks = (demo: Demo, count: number) =>
  demo.release.blocks.filter(({ isRoutable }) => isRoutable).slice(150, 150 + count);
const geoids: Origins = (demo, count) =>
  blocks(demo, count).map(({ geoid }) => ({ sent: geoid, name: geoid }));
const points: Origins = (demo, count) =>
  blocks(demo, count).map(({ lon, lat }) => ({
    sent: { lon, lat },
    name: { origin_lat: lat, origin_lon: lon },
  }));
const pois: Origins = (demo, count) =>
  demo.release.pois.slice(30, 30 + count).map(({ dest_id }) => ({ sent: dest_id, name: dest_id }));

const ORIGINS: Readonly<Record<string, Origins>> = {
  '/v1/blocks/summary': geoids,
  '/v1/blocks/pois': geoids,
  '/v1/point/summary': points,
  '/v1/point/pois': points,
  '/v1/pois/catchment': pois,
  '/v1/access': geoids,
};

/** A filter that leaves some tens of rows per origin. */
const filterOf = (route: string) => (/summary|access/.test(route) ? {} : { max_minutes: 6 });

const demo = demoOfTests(() => ({ config: { batchRowBudget: BUDGET } }));

describe.each(BATCHES)('max_rows of $route', ({ route, origins: member }) => {
  const ask = async (sent: readonly unknown[], more: object = {}) => {
    const body = { [member]: sent, ...filterOf(route), ...more };
    return demo.api.post(route, body);
  };
  /** Number of rows of each origin, requested separately. */
  const rowsOfEach = async (count: number) => {
    const origins = ORIGINS[route](demo, count);
    const rows: number[] = [];
    for (const { sent } of origins) rows.push(expectOk(await ask([sent])).results.length);
    return { origins, rows };
  };

  test('limits what a batch returns and costs to whole origins; the rest is truncated', async () => {
    const { origins, rows } = await rowsOfEach(6);
    const sent = origins.map((one) => one.sent);
    const sums = rows.map((_, i) => rows.slice(0, i + 1).reduce((a, b) => a + b));
    for (const max_rows of new Set([1, sums[0], sums[2] - 1, sums[2], sums[2] + 1])) {
      if (max_rows < 1 || max_rows > BUDGET) continue;
      const response = await ask(sent, { max_rows });
      const body = expectOk(response);
      // The first origin is delivered whatever the budget; origins without rows cost no more.
      const given = Math.max(1, sums.filter((sum) => sum <= max_rows).length);
      expect(body.results).toHaveLength(sums[given - 1]);
      expect(response.headers['x-tokens-charged']).toBe(String(Math.max(1, sums[given - 1])));
      expect(body.truncated).toEqual(origins.slice(given).map(({ name }) => name));
      expect(body.truncated_reason).toBe(given < origins.length ? 'row-budget' : null);
    }
  });

  test('sending truncated again eventually gives all rows, however small max_rows is', async () => {
    const { origins, rows } = await rowsOfEach(4);
    let left = origins;
    let given = 0;
    for (let round = 0; left.length > 0; round++) {
      expect(round).toBeLessThan(origins.length);
      const body = expectOk(
        await ask(
          left.map((one) => one.sent),
          { max_rows: 1 },
        ),
      );
      given += body.results.length;
      left = left.slice(left.length - body.truncated.length);
    }
    expect(given).toBe(rows.reduce((a, b) => a + b));
  });

  test('is a whole number from 1 to the service’s budget, which the document states', async () => {
    const [{ sent }] = ORIGINS[route](demo, 1);
    for (const max_rows of [0, -1, 1.5, '5', [], BUDGET + 1, 1e300]) {
      expectInvalid(await ask([sent], { max_rows }), 'max_rows');
    }
    const { detail } = (await ask([sent], { max_rows: BUDGET + 1 })).json();
    expect(detail).toBe(`body.max_rows: must be from 1 to ${BUDGET}`);
    for (const max_rows of [1, BUDGET]) expectOk(await ask([sent], { max_rows }));
    const { paths, components, info } = expectOk(await demo.api.get('/openapi.json'));
    const { schema } = paths[route].post.requestBody.content['application/json'];
    const { $ref } = schema.properties.max_rows;
    expect($ref).toBe('#/components/schemas/MaxRows');
    expect(components.schemas.MaxRows).toMatchObject({
      type: 'integer',
      minimum: 1,
      maximum: BUDGET,
    });
    expect(info.description).toContain(`${BUDGET} rows`);
  });
});

test('an origin given twice is returned and charged twice', async () => {
  const [{ sent }] = geoids(demo, 1);
  const ask = (origins: unknown[]) =>
    demo.api.post('/v1/blocks/summary', { origins, mode: ['walk'] });
  const once = expectOk(await ask([sent]));
  const twice = await ask([sent, sent]);
  const { results, blocks } = expectOk(twice);
  expect(results).toEqual([...once.results, ...once.results]);
  expect(blocks).toEqual([...once.blocks, ...once.blocks]);
  expect(twice.headers['x-tokens-charged']).toBe(String(2 * once.results.length));
});
