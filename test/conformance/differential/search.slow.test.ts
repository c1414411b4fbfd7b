import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../support/for-all.ts';
import { expectOk, expectProblem, expectRows } from '../api.ts';
import { demoOfTests } from '../demo.ts';
import type { NaivePoi } from '../naive-release.ts';
import { catchmentOf, found, isFound } from '../naive-responses.ts';
import { allPages } from '../paging.ts';
import { degreesToBorder, isInside, metresBetween } from '../plain-geometry.ts';
import { randomQueries } from '../random-queries.ts';

const demo = demoOfTests();
const random = randomQueries(demo);

const SEARCH = '/v1/pois';
/** Allowed difference between sphere and ellipsoid distances. */
const SPHERE_ERROR = 0.006;

interface Found {
  readonly dest_id: number;
}
const byId = (a: Found, b: Found) => a.dest_id - b.dest_id;

/** All rows of a search, ordered by id; a search has its own order. */
async function search(path: string, query: Record<string, string | number | number[] | undefined>) {
  const rows = await allPages<Found>(demo.api, { path, query });
  expect(new Set(rows.map(({ dest_id }) => dest_id)).size).toBe(rows.length);
  return [...rows].sort(byId);
}

/** Expects rows of all POIs that surely match, and allows rows of those that nearly do. */
function expectFound(
  rows: readonly Found[],
  sure: readonly NaivePoi[],
  unsure: readonly NaivePoi[],
) {
  const doubtful = new Set(unsure.map(({ dest_id }) => dest_id));
  expect(rows.filter(({ dest_id }) => !doubtful.has(dest_id))).toEqual(
    sure.map((poi) => found(poi)),
  );
}

const lessAMillionth = (degrees: number) => Number((degrees - 1e-6).toFixed(6));

describe('GET /v1/pois', () => {
  const filters = () => ({ type: random.type, q: random.q, limit: fc.constantFrom(13, 100, 1000) });

  test('a box finds the POIs in it, borders included, also across the antimeridian', async () => {
    const { release } = demo;
    const query = fc.record({ box: random.box, poi: random.poi, kind: fc.nat(5), ...filters() });
    await forAll(75, query, async ({ box, poi, kind, type, q, limit }) => {
      const [west, south, east, north] = [
        box,
        // A box whose east is west of its west, which crosses the antimeridian.
        [box[2] + 230, box[1], box[2], box[3]],
        // The smallest box: a point.
        [poi.lon, poi.lat, poi.lon, poi.lat],
        // A box with a POI in its corner, and two with one just outside their east or north edge.
        [poi.lon, Math.min(poi.lat, box[3]), Math.max(poi.lon, box[2]), Math.max(poi.lat, box[3])],
        [-180, -90, lessAMillionth(poi.lon), 90],
        [-180, -90, 180, lessAMillionth(poi.lat)],
      ][kind];
      const rows = await search(SEARCH, {
        bbox: [west, south, east, north].join(),
        type,
        q,
        limit,
      });
      const isIn = ({ lon, lat }: NaivePoi) =>
        lat >= south &&
        lat <= north &&
        (west <= east ? lon >= west && lon <= east : lon >= west || lon <= east);
      const all = release.pois.filter((one) => isIn(one) && isFound(release, one, { type, q }));
      expect(rows).toEqual(all.map((one) => found(one)));
    });
  });

  test('a box whose south is north of its north is invalid-bbox', () =>
    forAll(20, random.box, async ([west, south, east, north]) => {
      fc.pre(south < north);
      const bbox = [west, north, east, south].join();
      expectProblem(await demo.api.get(SEARCH, { bbox }), 'invalid-bbox');
    }));

  test('a circle finds the POIs within it', async () => {
    const { release } = demo;
    const query = fc.record({ point: random.point, radius_m: random.radius, ...filters() });
    await forAll(50, query, async ({ point, radius_m, type, q, limit }) => {
      const rows = await search(SEARCH, { ...point, radius_m, type, q, limit });
      const matching = release.pois.filter((poi) => isFound(release, poi, { type, q }));
      const isUnsure = (poi: NaivePoi) =>
        Math.abs(metresBetween(point, poi) - radius_m) <= SPHERE_ERROR * radius_m + 0.2;
      expectFound(
        rows,
        matching.filter((poi) => !isUnsure(poi) && metresBetween(point, poi) < radius_m),
        matching.filter(isUnsure),
      );
    });
  });

  test('the order of rows is the same for pages of any size', async () => {
    const bbox = '-70.1,35.9,-69.9,36.1';
    const whole = await allPages(demo.api, { path: SEARCH, query: { bbox, limit: 1000 } });
    expect(whole.length).toBe(demo.release.pois.length);
    for (const limit of [7, 50, 348]) {
      expect(await allPages(demo.api, { path: SEARCH, query: { bbox, limit } })).toEqual(whole);
    }
  });
});

describe('GET /v1/places/{geoid}/pois', () => {
  test('finds the POIs within the boundary', async () => {
    const { release } = demo;
    const query = fc.record({
      geoid: fc.constantFrom(...release.places.map((place) => place.geoid)),
      type: random.type,
      q: random.q,
      limit: fc.constantFrom(29, 1000),
    });
    await forAll(30, query, async ({ geoid, type, q, limit }) => {
      const place = release.places.find((one) => one.geoid === geoid)!;
      const rows = await search(`/v1/places/${geoid}/pois`, { type, q, limit });
      const matching = release.pois.filter((poi) => isFound(release, poi, { type, q }));
      const isUnsure = ({ lon, lat }: NaivePoi) => degreesToBorder(place.polygons, lon, lat) < 2e-6;
      expectFound(
        rows,
        matching.filter((poi) => !isUnsure(poi) && isInside(place.polygons, poi.lon, poi.lat)),
        matching.filter(isUnsure),
      );
    });
  });
});

describe('GET /v1/pois/{dest_id}', () => {
  test('returns each POI as it is in the release', async () => {
    for (const { types, brand, ...facts } of demo.release.pois) {
      const response = await demo.api.get(`/v1/pois/${facts.dest_id}`);
      const attrs = brand === null ? {} : { brand };
      expect(expectRows(response, 1)).toEqual({ ...facts, type_ids: [...types], attrs });
    }
  });
});

describe('GET /v1/pois/{dest_id}/catchment', () => {
  test('is the transpose of the POI rows of blocks, page by page', async () => {
    const { api, release } = demo;
    const query = fc.record({
      mode: random.mode,
      max_minutes: random.maxMinutes,
      limit: fc.constantFrom(60, 500, 1000),
    });
    await forAll(20, random.poi, query, async ({ dest_id }, asked) => {
      const rows = await allPages(api, { path: `/v1/pois/${dest_id}/catchment`, query: asked });
      expect(rows).toEqual(catchmentOf(release, dest_id, asked));
    });
  });

  test('the parameter block restricts the rows to the given blocks', async () => {
    const { api, release } = demo;
    const some = fc.uniqueArray(random.block, { minLength: 1, maxLength: 10 });
    await forAll(20, random.poi, some, async ({ dest_id }, blocks) => {
      const block = blocks.map(({ geoid }) => Number(geoid));
      const query = { block, limit: 1000 };
      const response = await api.get(`/v1/pois/${dest_id}/catchment`, query);
      const geoids = blocks.map(({ geoid }) => geoid);
      const results = catchmentOf(release, dest_id, {}).filter((row) => geoids.includes(row.geoid));
      expect(expectOk(response)).toEqual({ dest_id, results, next_cursor: null });
    });
  });
});
