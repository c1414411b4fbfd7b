import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectInvalid, expectOk, expectProblem, expectRows } from '../api.ts';
import { BLOCK_ELSEWHERE, type Demo, NO_SUCH_BLOCK, openDemo } from '../demo.ts';
import { allPages } from '../paging.ts';

let demo: Demo;
let summary: string;
let pois: string;
beforeAll(async () => {
  demo = await openDemo();
  summary = `/v1/blocks/${demo.block.geoid}/summary`;
  pois = `/v1/blocks/${demo.block.geoid}/pois`;
});
afterAll(() => demo.api.close());

interface CategoryTime {
  readonly dest_type_id: number;
  readonly mode: string;
  readonly travel_time: number;
}
interface PoiTime {
  readonly dest_id: number;
  readonly mode: string;
  readonly travel_time: number;
}

const MODE_ORDER = ['walk', 'bike', 'transit'];
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

  test('there is a row only for what is within 30 minutes, and none says zero', async () => {
    const { api, release, block } = demo;
    const { results } = expectOk(await api.get(summary));
    const reached = new Set(
      release.times
        .get(block.geoid)!
        .flatMap(({ mode, poi }) => poi.types.map((type) => `${mode} ${type}`)),
    );
    const rows = results.map((row: CategoryTime) => `${row.mode} ${row.dest_type_id}`);
    expect(new Set(rows)).toEqual(reached);
    expect(rows.length).toBe(reached.size);
  });

  test('a summary row is the nearest of its type among the single places', async () => {
    const { api, release } = demo;
    const { results } = expectOk(await api.get(summary, { type: 101 }));
    for (const { mode, travel_time } of results as CategoryTime[]) {
      const page = expectOk(await api.get(pois, { type: 101, mode, limit: 1000 }));
      const times = page.results.map((row: PoiTime) => row.travel_time);
      expect(Math.min(...times)).toBe(travel_time);
    }
    expect(results.length).toBe(release.modes.length);
  });
});

describe('§4.3 GET /v1/blocks/{geoid}/summary', () => {
  test('answers {block: {geoid, population, land_area_m2}, results: [{dest_type_id, mode, travel_time}]}', async () => {
    const { geoid, population, land_area_m2 } = demo.block;
    const answer = await demo.api.get(summary);
    const body = expectRows(answer, answer.json().results.length);
    expect(body).toEqual({
      block: { geoid, population, land_area_m2 },
      results: expect.any(Array),
    });
    for (const row of body.results) {
      expect(Object.keys(row).sort()).toEqual(['dest_type_id', 'mode', 'travel_time']);
    }
  });

  test('rows are ordered by mode_id, then dest_type_id, and are for leaves', async () => {
    const rows: CategoryTime[] = expectOk(await demo.api.get(summary)).results;
    const keys = rows.map((row) => MODE_ORDER.indexOf(row.mode) * 1e6 + row.dest_type_id);
    expect(keys).toEqual([...keys].sort((a, b) => a - b));
    for (const { dest_type_id } of rows) expect(demo.release.leafIds).toContain(dest_type_id);
  });

  test('a parent in type expands to its leaves', async () => {
    for (const parent of [100, 300, 310]) {
      const leaves = [...demo.release.leavesOf.get(parent)!];
      const byParent = expectOk(await demo.api.get(summary, { type: parent }));
      const byLeaves = expectOk(await demo.api.get(summary, { type: leaves }));
      expect(byParent).toEqual(byLeaves);
      expect(byParent.results.length).toBeGreaterThan(0);
      const both = await demo.api.get(summary, { type: [parent, leaves[0]] });
      expect(expectOk(both)).toEqual(byLeaves);
    }
  });

  test('an unknown type is invalid-parameters', async () => {
    for (const type of [65_000, 0, -1, 1.5, 'x', '', '1e9', '0x65', ' 101', '101,102']) {
      expectInvalid(await demo.api.get(summary, { type }), 'type');
    }
  });

  test('an unknown mode is invalid-parameters; there is no drive mode', async () => {
    for (const mode of ['drive', 'Walk', '', '1', 'walk ', 'null']) {
      expectInvalid(await demo.api.get(summary, { mode }), 'mode');
    }
  });

  test('mode omitted means all modes', async () => {
    const all = expectOk(await demo.api.get(summary));
    const named = expectOk(await demo.api.get(summary, { mode: ['transit', 'bike', 'walk'] }));
    expect(all).toEqual(named);
    expect(new Set(all.results.map((row: CategoryTime) => row.mode))).toEqual(
      new Set(demo.release.modes),
    );
  });

  test('a well-formed and unknown block is block-not-found, in a known county or not', async () => {
    for (const geoid of [NO_SUCH_BLOCK, BLOCK_ELSEWHERE, '000000000000000', '999999999999999']) {
      const answer = await demo.api.get(`/v1/blocks/${geoid}/summary`);
      expect(expectProblem(answer, 'block-not-found').geoid).toBe(geoid);
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
  test('answers {block_geoid, results: [PoiTime], next_cursor}', async () => {
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

  test('rows are ordered by mode_id, then dest_id, over all pages', async () => {
    const rows = await allPages<PoiTime>(demo.api, { path: pois, query: { limit: 150 } });
    const keys = rows.map((row) => [MODE_ORDER.indexOf(row.mode), row.dest_id]);
    const sorted = [...keys].sort(([a, b], [c, d]) => a - c || b - d);
    expect(keys).toEqual(sorted);
  });

  test('limit is 1 to 1000, and 100 when omitted', async () => {
    for (const limit of [0, 1001, -1, 1.5, '1e9', '1e400', 'e2', '', 'all', ' 5']) {
      expectInvalid(await demo.api.get(pois, { limit }), 'limit');
    }
    expectRows(await demo.api.get(pois, { limit: 1 }), 1);
    expect(expectRows(await demo.api.get(pois), 100).next_cursor).not.toBeNull();
    const most = expectOk(await demo.api.get(pois, { limit: 1000, mode: 'walk' }));
    expect(most.next_cursor).toBeNull();
  });

  test('max_minutes is over 0 and at most 30, and counts tenths', async () => {
    for (const max_minutes of [0, -1, 30.1, 31, 'NaN', 'Infinity', '', '1e2', '0x5', ' 5']) {
      expectInvalid(await demo.api.get(pois, { max_minutes }), 'max_minutes');
    }
    const within = async (max_minutes: number) =>
      allPages<PoiTime>(demo.api, { path: pois, query: { max_minutes, limit: 1000 } });
    const all = demo.release.times.get(demo.block.geoid)!;
    const some = all[Math.floor(all.length / 3)].travel_time;
    for (const limit of [some, Number((some - 0.1).toFixed(1)), 30]) {
      const expected = all.filter((row) => row.travel_time <= limit).length;
      expect(await within(limit)).toHaveLength(expected);
    }
  });

  test('dest_id keeps only these places, in any order, known or not', async () => {
    const { api, release, block } = demo;
    const [a, , b] = release.times.get(block.geoid)!.map((row) => row.dest_id);
    const answer = await api.get(pois, { dest_id: [b, a, 1], mode: 'bike' });
    const ids = expectRows(answer, 2).results.map((row: PoiTime) => row.dest_id);
    expect(ids).toEqual([a, b].sort((x, y) => x - y));
  });

  test('a block that is not there is block-not-found', async () => {
    const answer = await demo.api.get(`/v1/blocks/${NO_SUCH_BLOCK}/pois`);
    expectProblem(answer, 'block-not-found');
  });
});
