import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, test } from 'vitest';
import { geoidFromNumber } from '../../../shards/geoid.ts';
import { forAll } from '../../support/for-all.ts';
import { expectInvalid, expectOk, expectProblem } from '../api.ts';
import { demoOfTests } from '../demo.ts';
import {
  basketOf,
  coverageOf,
  groupsOf,
  matchesOf,
  type NaiveWeight,
  peopleOf,
} from '../naive-coverage.ts';
import { marginOfPeople } from '../naive-margin.ts';
import type { NaiveBlock } from '../naive-release.ts';
import { allPages } from '../paging.ts';
import { degreesToBorder, isInside } from '../plain-geometry.ts';
import { randomQueries } from '../random-queries.ts';

const demo = demoOfTests();
const random = randomQueries(demo);

interface Sums {
  readonly total: number;
  readonly within: Readonly<Record<string, number>>;
  readonly beyond: number;
  readonly no_data: number;
}

const nth = () => fc.integer({ min: 1, max: 5 });
const cells = () =>
  fc.record({
    mode: random.mode.filter((mode) => mode.length > 0),
    type: random.type.filter((type) => type.length > 0),
    nth: nth(),
  });
/**
 * Criteria of leaf types and of parents. Their limits are in hundredths of minutes, so that some
 * equal a stored time and some lie between two.
 */
const criteria = () =>
  fc.array(
    fc.record({
      type: fc.constantFrom(...demo.release.leavesOf.keys()),
      mode: fc.constantFrom(...demo.release.modes),
      max_minutes: fc.integer({ min: 100, max: 3000 }).map((n) => n / 100),
      nth: nth(),
    }),
    { minLength: 1, maxLength: 8 },
  );

/** Random areas of every kind but circles, with their blocks, none on the border of a drawn one. */
const areas = (): fc.Arbitrary<{ area: object; blocks: NaiveBlock[] }> => {
  const { release } = demo;
  const drawn = random.star
    .filter((star) =>
      release.blocks.every(({ lon, lat }) => degreesToBorder([[star]], lon, lat) > 1e-7),
    )
    .map((star) => ({
      area: { polygon: { type: 'Polygon', coordinates: [star] } },
      blocks: release.blocks.filter(({ lon, lat }) => isInside([[star]], lon, lat)),
    }));
  const listed = fc
    .subarray([...release.blocks], { minLength: 1, maxLength: 200 })
    .map((blocks) => ({ area: { blocks: blocks.map(({ geoid }) => geoid) }, blocks }));
  const places = fc.subarray([...release.places], { minLength: 1 }).map((some) => ({
    area: { places: some.map(({ geoid }) => geoid) },
    blocks: release.blocks.filter(({ lon, lat }) =>
      some.some(({ polygons }) => isInside(polygons, lon, lat)),
    ),
  }));
  const fips = [...new Set(release.blocks.map(({ geoid }) => geoid.slice(0, 5)))];
  const counties = fc.subarray(fips, { minLength: 1 }).map((some) => ({
    area: { counties: some },
    blocks: release.blocks.filter(({ geoid }) => some.includes(geoid.slice(0, 5))),
  }));
  return fc.oneof(drawn, listed, places, counties);
};

test('every sum is that over the blocks of its area, and the parts add up to the whole', async () => {
  const { api, release } = demo;
  await forAll(30, areas(), cells(), async ({ area, blocks }, asked) => {
    const response = await api.post('/v1/coverage', { area, ...asked });
    if (blocks.length === 0) return void expectProblem(response, 'point-not-covered');
    const body = expectOk(response);
    expect(body.area).toEqual({
      blocks: blocks.length,
      land_area_m2: blocks.reduce((sum, { land_area_m2 }) => sum + (land_area_m2 ?? 0), 0),
      margin: { people: marginOfPeople(release, blocks) },
    });
    expect(body.results).toEqual(coverageOf(release, blocks, asked));
    expect(body.basket).toBeNull();
    for (const { total, within, beyond, no_data } of body.results as Sums[]) {
      expect(within['30'] + beyond + no_data).toBe(total);
      const ascending = Object.values(within);
      expect(ascending).toEqual([...ascending].sort((a, b) => a - b));
    }
  });
});

test('the sums of a place are those over its rows, with those of missing times', async () => {
  const { api, release, place } = demo;
  const path = `/v1/places/${place.geoid}`;
  const type = [101, 601];
  const rows = await allPages<{
    dest_type_id: number;
    mode: string;
    travel_time: number | null;
    reason?: string;
    population: number | null;
  }>(api, {
    path: `${path}/blocks`,
    query: { type, include_population: true, include_missing: true, limit: 1000 },
  });
  const { results } = expectOk(await api.get(`${path}/coverage`, { type }));
  expect(results).toHaveLength(type.length * release.modes.length);
  for (const { dest_type_id, mode, within, beyond, no_data } of results) {
    const own = rows.filter((row) => row.dest_type_id === dest_type_id && row.mode === mode);
    const people = (is: (row: (typeof own)[number]) => boolean) =>
      own.filter(is).reduce((sum, { population }) => sum + (population ?? 0), 0);
    for (const [minutes, sum] of Object.entries(within)) {
      const isWithin = ({ travel_time }: (typeof own)[number]) =>
        travel_time !== null && travel_time <= Number(minutes);
      expect(sum, `${dest_type_id} ${mode} ${minutes}`).toBe(people(isWithin));
    }
    expect(beyond).toBe(people(({ reason }) => reason === 'not-within-30'));
    expect(no_data).toBe(people(({ reason }) => reason === 'no-data'));
  }
});

test('a GET of a place or a county has the body of a POST for it', async () => {
  const { api, release } = demo;
  const fips = release.blocks[0].geoid.slice(0, 5);
  const wanted = { mode: ['walk'], type: [101, 500], nth: 2 };
  for (const { geoid } of release.places.slice(0, 3)) {
    const posted = await api.post('/v1/coverage', { area: { places: [geoid] }, ...wanted });
    expect(expectOk(await api.get(`/v1/places/${geoid}/coverage`, wanted))).toEqual(
      expectOk(posted),
    );
  }
  const posted = await api.post('/v1/coverage', { area: { counties: [fips] }, ...wanted });
  expect(expectOk(await api.get(`/v1/counties/${fips}/coverage`, wanted))).toEqual(
    expectOk(posted),
  );
});

describe('groups', () => {
  const GROUPS = ['hispanic', 'jobs_low_wage'];

  /** The named weights of the release, as plain maps from block to count. */
  async function weightsNamed(names: readonly string[]): Promise<NaiveWeight[]> {
    const { current } = demo.api.proxy.releases;
    return Promise.all(
      names.map(async (weight) => {
        const counts = new Map<string, number>();
        for (const { manifest } of current.counties) {
          const { geoids } = await current.index(manifest);
          const column = await current.weightCounts(manifest, weight);
          geoids.forEach((geoid, i) => {
            counts.set(geoidFromNumber(geoid), column[i]);
          });
        }
        return { weight, at: ({ geoid }) => counts.get(geoid)! };
      }),
    );
  }

  test('have shares, ratios to the weight and Gini coefficients as over each pair of blocks, if they are not small', async () => {
    const { api, release } = demo;
    const weights = await weightsNamed(['people', ...GROUPS]);
    await forAll(8, areas(), cells(), fc.boolean(), async ({ area, blocks }, asked, small) => {
      const some = blocks.slice(0, small ? 20 : 150);
      fc.pre(some.length > 0);
      const where = { blocks: some.map(({ geoid }) => geoid) };
      const ask = (more: object) =>
        api.post('/v1/coverage', {
          area: some.length < blocks.length ? where : area,
          ...asked,
          ...more,
        });
      const body = expectOk(await ask({ by: GROUPS, small }));
      const { results: plain } = expectOk(await ask({ weight: ['people', ...GROUPS] }));
      for (const [i, { share, ratio, gini, ...sums }] of body.results.entries()) {
        expect(sums).toEqual(plain[i]);
        const cell = { mode: sums.mode, type: sums.dest_type_id, nth: asked.nth, small };
        const expected = groupsOf(release, some, cell, weights)[i % weights.length];
        expect({ weight: sums.weight, share, ratio, gini }).toEqual(expected);
      }
    });
  });

  test('of a place are the same by GET and POST, and in CSV', async () => {
    const { api, place } = demo;
    const wanted = { type: [101], by: GROUPS };
    const json = expectOk(await api.get(`/v1/places/${place.geoid}/coverage`, wanted));
    const posted = await api.post('/v1/coverage', { area: { places: [place.geoid] }, ...wanted });
    expect(expectOk(posted)).toEqual(json);
    expect(json.results).toHaveLength(9);
    const headers = { accept: 'text/csv' };
    const csv = await api.get(`/v1/places/${place.geoid}/coverage`, wanted, { headers });
    const { data } = Papa.parse<Record<string, string>>(csv.body.trimEnd(), { header: true });
    expect(data.map((row) => [row.weight, row.share_15, row.ratio_15, row.gini])).toEqual(
      json.results.map((row: { weight: string; share: object; ratio: object; gini: number }) =>
        [row.weight, Object.values(row.share)[2], Object.values(row.ratio)[2], row.gini].map(
          String,
        ),
      ),
    );
  });

  test('allow a single weight beside them, and must be weights of the release', async () => {
    const { api, place } = demo;
    const path = `/v1/places/${place.geoid}/coverage`;
    expectInvalid(await api.get(path, { by: 'hispanic', weight: ['people', 'jobs'] }), 'by');
    expectInvalid(await api.get(path, { by: 'nobody' }), 'by');
    const area = { places: [place.geoid] };
    expectInvalid(await api.post('/v1/coverage', { area, by: 'hispanic' }), 'by');
    expectInvalid(await api.post('/v1/coverage', { area, by: [] }), 'by');
    expectInvalid(await api.post('/v1/coverage', { area, by: Array(13).fill('jobs') }), 'by');
  });
});

describe('a basket', () => {
  test('counts the people of each block by the criteria it meets', async () => {
    const { api, release } = demo;
    await forAll(30, areas(), criteria(), async ({ area, blocks }, all_of) => {
      const one = { mode: ['walk'], type: [101] };
      const response = await api.post('/v1/coverage', { area, ...one, all_of });
      if (blocks.length === 0) return void expectProblem(response, 'point-not-covered');
      const body = expectOk(response);
      expect(body.basket).toEqual(basketOf(release, blocks, all_of));
      expect(body.basket.total).toBe(peopleOf(blocks));
    });
  });

  test('costs 10 tokens and each row one, with a minimum of 10', async () => {
    const { api, place } = demo;
    const area = { places: [place.geoid] };
    const all_of = [{ type: 101, mode: 'walk', max_minutes: 10 }];
    const type = [100];
    const cost = async (body: object) => {
      const response = await api.post('/v1/coverage', { area, ...body });
      return [expectOk(response).results.length, Number(response.headers['x-tokens-charged'])];
    };
    const [all, ofAll] = await cost({});
    expect(ofAll).toBe(all);
    expect(await cost({ all_of })).toEqual([all, all + 10]);
    expect(await cost({ type: [101], mode: ['walk'], all_of })).toEqual([1, 11]);
    expect(await cost({ type: [101] })).toEqual([3, 10]);
    const [rows, tokens] = await cost({ type });
    expect(rows).toBeGreaterThan(10);
    expect(tokens).toBe(rows);
    expect(await cost({ type, all_of })).toEqual([rows, rows + 10]);
    for (const one of [{ mode: ['walk'] }, { nth: 2 }, { by: ['jobs'] }]) {
      const [selected, price] = await cost({ ...one, all_of });
      expect(selected).toBeGreaterThan(0);
      expect(price).toBe(selected + 10);
    }
    const head = await api.get(`/v1/places/${place.geoid}/coverage`, { type }, { method: 'HEAD' });
    expect(head.headers['x-tokens-cost']).toBe(String(rows));
    expect(head.headers['x-tokens-charged']).toBe('1');
  });
});

test('matching blocks are those that meet all criteria, page by page', async () => {
  const { api, release } = demo;
  const limits = fc.constantFrom(7, 100, 1000);
  await forAll(15, areas(), criteria(), limits, async ({ area, blocks }, all_of, limit) => {
    const some = all_of.slice(0, 2);
    const rows = await allPages(api, {
      method: 'POST',
      path: '/v1/blocks/match',
      body: { area, all_of: some, limit },
    });
    expect(rows).toEqual(matchesOf(release, blocks, some));
  });
});
