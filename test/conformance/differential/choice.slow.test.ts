import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forAll } from '../../support/for-all.ts';
import { boxRing } from '../../support/rings.ts';
import { expectInvalid, expectOk, expectRows } from '../api.ts';
import { demoOfTests, PORT_MERIDIAN } from '../demo.ts';
import { arealNthTimesOf, nthTimesOf } from '../naive-responses.ts';
import { allPages } from '../paging.ts';
import { isInside } from '../plain-geometry.ts';
import { randomQueries } from '../random-queries.ts';

const demo = demoOfTests();
const random = randomQueries(demo);

const asked = () =>
  fc
    .record({
      mode: random.mode,
      type: random.type,
      nth: fc.uniqueArray(fc.integer({ min: 1, max: 5 }), { maxLength: 5 }),
      count_within: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
    })
    .map(({ nth, count_within, ...cells }) => ({
      ...cells,
      ...(nth.length > 0 && { nth }),
      ...(count_within !== undefined && { count_within }),
    }))
    .filter((query) => 'nth' in query || 'count_within' in query);

test('the n-th nearest and the counts within minutes of a summary are those of its sorted times', async () => {
  const { api, release } = demo;
  await forAll(40, random.block, asked(), async ({ geoid }, query) => {
    const rows = nthTimesOf(release, geoid, query);
    const body = expectRows(await api.get(`/v1/blocks/${geoid}/summary`, query), rows.length);
    expect(body.results).toEqual(rows);
  });
});

test('pages of a summary of any length have the rows of n-th times and counts', async () => {
  const { api, release } = demo;
  const limits = fc.integer({ min: 1, max: 50 });
  await forAll(10, random.routableBlock, asked(), limits, async ({ geoid }, query, limit) => {
    const path = `/v1/blocks/${geoid}/summary`;
    const rows = await allPages(api, { path, query: { ...query, limit } });
    expect(rows).toEqual(nthTimesOf(release, geoid, query));
  });
});

test('a batch has the n-th times and counts of each origin', async () => {
  const { api, release } = demo;
  const blocks = fc.array(random.routableBlock, { minLength: 1, maxLength: 20 });
  await forAll(10, blocks, asked(), async (some, { mode, type, ...choice }) => {
    const cells = { ...(mode.length > 0 && { mode }), ...(type.length > 0 && { type }) };
    const origins = some.map(({ geoid }) => geoid);
    const { results } = expectOk(
      await api.post('/v1/blocks/summary', { origins, ...cells, ...choice }),
    );
    expect(results).toEqual(
      origins.flatMap((geoid) =>
        nthTimesOf(release, geoid, { ...cells, ...choice }).map((row) => ({ geoid, ...row })),
      ),
    );
  });
});

/**
 * Half the side, in degrees, of a box around open water that holds blocks with times and blocks
 * without. No block's centre is on its edge.
 */
const HALF = 0.0250005;

test('the blocks of an area have n-th times and counts, page by page, with and without missing times', async () => {
  const { api, release, water } = demo;
  const [west, south] = [water.lon - HALF, water.lat - HALF];
  const ring = boxRing(west, south, water.lon + HALF, water.lat + HALF);
  const blocks = release.blocks.filter(
    ({ lon, lat }) => Math.abs(lon - water.lon) < HALF && Math.abs(lat - water.lat) < HALF,
  );
  const limits = fc.constantFrom(19, 250, 1000);
  const some = asked().filter(({ type }) => type.length > 0);
  await forAll(12, some, limits, fc.boolean(), async (query, limit, include_missing) => {
    // An empty list is an error; an omitted one requests everything.
    const mode = query.mode.length > 0 ? { mode: query.mode } : {};
    const polygon = { type: 'Polygon', coordinates: [ring] };
    const body = { ...query, mode: undefined, ...mode, polygon, limit, include_missing };
    const rows = await allPages(api, { method: 'POST', path: '/v1/blocks/query', body });
    expect(rows).toEqual(arealNthTimesOf(release, blocks, query, include_missing));
  });
});

test('the blocks of a place have n-th times and counts', async () => {
  const { api, release, place } = demo;
  const blocks = release.blocks.filter(({ lon, lat }) => isInside(place.polygons, lon, lat));
  const path = `/v1/places/${PORT_MERIDIAN}/blocks`;
  await forAll(6, asked(), async ({ mode, nth, count_within }) => {
    const query = { mode, type: [101], nth, count_within };
    const rows = await allPages(api, { path, query: { ...query, limit: 1000 } });
    expect(rows).toEqual(arealNthTimesOf(release, blocks, query, false));
  });
});

test('nth and count_within are part of the ETag of a place’s blocks', async () => {
  const { api } = demo;
  const path = `/v1/places/${PORT_MERIDIAN}/blocks`;
  const tags = new Set<unknown>();
  for (const asked of [{}, { nth: 1 }, { nth: [1, 3] }, { count_within: 9 }]) {
    tags.add((await api.get(path, asked)).headers.etag);
  }
  expect(tags.size).toBe(4);
});

test('nth=1 returns the rows of a summary without nth', async () => {
  const { api } = demo;
  await forAll(20, random.block, async ({ geoid }) => {
    const path = `/v1/blocks/${geoid}/summary`;
    const { results } = expectOk(await api.get(path));
    const first = expectOk(await api.get(path, { nth: 1 }));
    expect(first.results).toEqual(results.map((row: object) => ({ ...row, nth: 1 })));
  });
});

test('CSV has columns for n-th times, counts and reasons only if the request selects them', async () => {
  const { api, block } = demo;
  const headers = { accept: 'text/csv' };
  const columns = async (query: object) => {
    const query_ = { type: 101, mode: 'bike', ...query };
    const { body } = await api.get(`/v1/blocks/${block.geoid}/summary`, query_, { headers });
    return body.split('\r\n')[0];
  };
  expect(await columns({})).toBe('dest_type_id,mode,travel_time');
  expect(await columns({ nth: [1, 2] })).toBe('dest_type_id,mode,travel_time,nth');
  expect(await columns({ count_within: 9 })).toBe('dest_type_id,mode,travel_time,count');
  const area = { center: { lon: block.lon, lat: block.lat }, radius_m: 500, nth: [2] };
  const asked_ = { ...area, count_within: 9, include_missing: true };
  const areal = await api.post('/v1/blocks/query', asked_, { headers });
  expect(areal.body.split('\r\n')[0]).toBe(
    'geoid,dest_type_id,mode_id,mode,travel_time,nth,count,reason',
  );
  const sent = { origins: [block.geoid], nth: [2], count_within: 9 };
  const batch = await api.post('/v1/blocks/summary', sent, { headers });
  expect(batch.body.split('\r\n')[0]).toBe('geoid,dest_type_id,mode,travel_time,nth,count');
});

test('nth and count_within out of range are refused by name', async () => {
  const { api, block } = demo;
  const path = `/v1/blocks/${block.geoid}/summary`;
  for (const nth of [0, 6, 1.5, 'x', '1,2']) expectInvalid(await api.get(path, { nth }), 'nth');
  for (const count_within of [0, 31, 2.5, 'x']) {
    expectInvalid(await api.get(path, { count_within }), 'count_within');
  }
  const origins = [block.geoid];
  for (const nth of [3, [], [0], ['1']]) {
    expectInvalid(await api.post('/v1/blocks/summary', { origins, nth }), 'nth');
  }
});
