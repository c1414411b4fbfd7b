import { beforeAll, describe, expect, test } from 'vitest';
import { expectOk, expectRows } from '../api.ts';
import { demoOfTests } from '../demo.ts';

const demo = demoOfTests();
let summary: string;
let pois: string;
beforeAll(() => {
  summary = `/v1/blocks/${demo.block.geoid}/summary`;
  pois = `/v1/blocks/${demo.block.geoid}/pois`;
});

const ADDRESS = ['street', 'city', 'state', 'zip'];

describe('§1 and §2: times', () => {
  test('a travel time is between 1 and 30 minutes, with one decimal', async () => {
    const rows: { travel_time: number }[] = [
      ...expectOk(await demo.api.get(summary)).results,
      ...expectOk(await demo.api.get(pois, { limit: 1000 })).results,
    ];
    expect(rows.length).toBeGreaterThan(100);
    for (const { travel_time } of rows) {
      expect(travel_time).toBeGreaterThanOrEqual(1);
      expect(travel_time).toBeLessThanOrEqual(30);
      expect(String(travel_time)).toMatch(/^\d{1,2}(\.\d)?$/);
    }
  });
});

describe('§4.3 GET /v1/blocks/{geoid}/summary', () => {
  test('returns {block: {geoid, population, land_area_m2}, results: [{dest_type_id, mode, travel_time}]}', async () => {
    const { geoid, population, land_area_m2 } = demo.block;
    const response = await demo.api.get(summary);
    const body = expectRows(response, response.json().results.length);
    expect(body).toEqual({
      block: { geoid, population, land_area_m2 },
      results: expect.any(Array),
    });
    for (const row of body.results) {
      expect(Object.keys(row).sort()).toEqual(['dest_type_id', 'mode', 'travel_time']);
    }
  });

  test('a known block without rows is 200, results [], 1 token', async () => {
    const { api, water } = demo;
    const { geoid, population, land_area_m2 } = water;
    const empty = expectRows(await api.get(`/v1/blocks/${geoid}/summary`), 0);
    const unrouted = ['walk', 'bike', 'transit'].map((mode) => ({
      mode,
      reason: 'no-street-near',
    }));
    expect(empty).toEqual({ block: { geoid, population, land_area_m2 }, results: [], unrouted });
    const pois = expectRows(await api.get(`/v1/blocks/${geoid}/pois`, { mode: 'bike' }), 0);
    expect(pois.unrouted).toEqual(unrouted.slice(1, 2));
  });
});

describe('§4.3 GET /v1/blocks/{geoid}/pois', () => {
  test('returns {block_geoid, results: [PoiTime], next_cursor}', async () => {
    const body = expectRows(await demo.api.get(pois), 100);
    expect(Object.keys(body).sort()).toEqual(['block_geoid', 'next_cursor', 'results']);
    expect(body.block_geoid).toBe(demo.block.geoid);
    for (const row of body.results) {
      expect(Object.keys(row).sort()).toEqual(
        ['address', 'dest_id', 'lat', 'lon', 'mode', 'name', 'travel_time'].sort(),
      );
      expect(Object.keys(row.address)).toEqual(ADDRESS);
      for (const part of ADDRESS) expect(['string', 'object']).toContain(typeof row.address[part]);
      expect(Number.isSafeInteger(row.dest_id)).toBe(true);
    }
  });

  test('coordinates have at most 6 decimals', async () => {
    const { results } = expectOk(await demo.api.get(pois, { limit: 1000 }));
    for (const { lon, lat } of results) {
      expect(Number(lon.toFixed(6))).toBe(lon);
      expect(Number(lat.toFixed(6))).toBe(lat);
    }
  });

  test('limit is 1 to 1000, and 100 when omitted', async () => {
    expectRows(await demo.api.get(pois, { limit: 1 }), 1);
    expect(expectRows(await demo.api.get(pois), 100).next_cursor).not.toBeNull();
    const most = expectOk(await demo.api.get(pois, { limit: 1000, mode: 'walk' }));
    expect(most.next_cursor).toBeNull();
  });
});
