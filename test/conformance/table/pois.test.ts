import { describe, expect, test } from 'vitest';
import { expectOk, expectProblem, expectRows } from '../api.ts';
import { demoOfTests, OPEN_SEA } from '../demo.ts';

const demo = demoOfTests();

const SEARCH = '/v1/pois';
const CITY = '-70.1,35.9,-69.9,36.1';

describe('§4.3 GET /v1/pois', () => {
  test('returns {results: [PoiSearchResult], next_cursor}: no mode, no travel_time', async () => {
    const body = expectRows(await demo.api.get(SEARCH, { bbox: CITY, limit: 9 }), 9);
    expect(Object.keys(body).sort()).toEqual(['next_cursor', 'results']);
    for (const row of body.results) {
      expect(Object.keys(row).sort()).toEqual(['address', 'dest_id', 'lat', 'lon', 'name']);
      expect(Object.keys(row.address)).toEqual(['street', 'city', 'state', 'zip']);
    }
  });

  test('neither bbox nor lat+lon+radius_m is missing-location', async () => {
    const { lon, lat } = demo.poi;
    for (const query of [
      {},
      { type: 101 },
      { q: 'park' },
      { lon },
      { lon, lat },
      { radius_m: 5 },
    ]) {
      expectProblem(await demo.api.get(SEARCH, query), 'missing-location');
    }
  });

  test('a bbox and a circle together are invalid-parameters', async () => {
    const { lon, lat } = demo.poi;
    const query = { bbox: CITY, lon, lat, radius_m: 500 };
    expectProblem(await demo.api.get(SEARCH, query), 'invalid-parameters');
  });

  test.each([
    '',
    '1',
    '1,2,3',
    '1,2,3,4,5',
    'a,b,c,d',
    '1,2,3,',
    ',,,',
    '1;2;3;4',
    'NaN,1,2,3',
    '-181,0,0,1',
    '0,-91,1,1',
    '0,0,181,1',
    '0,0,1,91',
    '0,1,1,0',
    '0,0,1,Infinity',
    '[0,0,1,1]',
  ])('the box %j is malformed: invalid-bbox', async (bbox) => {
    expectProblem(await demo.api.get(SEARCH, { bbox }), 'invalid-bbox');
  });

  test('radius_m may be tiny, and up to 50000', async () => {
    const { lon, lat } = demo.poi;
    expectOk(await demo.api.get(SEARCH, { lon, lat, radius_m: 50_000 }));
    const here = expectOk(await demo.api.get(SEARCH, { lon, lat, radius_m: 0.5 }));
    expect(here.results.map((row: { dest_id: number }) => row.dest_id)).toContain(demo.poi.dest_id);
  });

  test('an empty area has no rows, and costs 1 token', async () => {
    const body = expectRows(await demo.api.get(SEARCH, { ...OPEN_SEA, radius_m: 1000 }), 0);
    expect(body).toEqual({ results: [], next_cursor: null });
  });

  test('q is a part of the name, in any case', async () => {
    const part = demo.poi.name.slice(1, 5);
    for (const q of [part, part.toUpperCase()]) {
      const { results } = expectOk(await demo.api.get(SEARCH, { bbox: CITY, q, limit: 1000 }));
      const ids = results.map((row: { dest_id: number }) => row.dest_id);
      expect(ids).toContain(demo.poi.dest_id);
      for (const { name } of results) expect(name.toLowerCase()).toContain(part.toLowerCase());
    }
    for (const q of ['%', '.*', '_____']) {
      expectRows(await demo.api.get(SEARCH, { bbox: CITY, q }), 0);
    }
  });
});

describe('§4.3 GET /v1/pois/{dest_id}/catchment', () => {
  interface Row {
    readonly dest_id: number;
    readonly geoid: string;
    readonly mode: string;
    readonly travel_time: number;
  }
  const catchment = (query: Record<string, string | number | readonly (string | number)[]> = {}) =>
    demo.api.get(`/v1/pois/${demo.poi.dest_id}/catchment`, query);

  test('returns {dest_id, results: [{dest_id, geoid, mode, travel_time}], next_cursor}', async () => {
    const body = expectRows(await catchment({ limit: 5 }), 5);
    expect(Object.keys(body).sort()).toEqual(['dest_id', 'next_cursor', 'results']);
    expect(body.dest_id).toBe(demo.poi.dest_id);
    for (const row of body.results) {
      expect(Object.keys(row).sort()).toEqual(['dest_id', 'geoid', 'mode', 'travel_time']);
      expect(row.dest_id).toBe(demo.poi.dest_id);
    }
  });

  test('the parameter block restricts the rows to the given blocks, whose GEOIDs are integers', async () => {
    const [a, , b]: Row[] = expectOk(await catchment({ mode: 'bike' })).results;
    const block = [b, a].map((row) => Number(row.geoid));
    const body = expectRows(await catchment({ mode: 'bike', block }), 2);
    expect(body.results).toEqual([a, b]);
  });
});
