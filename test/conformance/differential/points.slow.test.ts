import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forAll } from '../../support/for-all.ts';
import { expectOk, expectProblem, expectRows } from '../api.ts';
import { demoOfTests } from '../demo.ts';
import { blockAt } from '../naive-release.ts';
import { summaryOf, unroutedOf } from '../naive-responses.ts';
import { degreesToBorder, isInside } from '../plain-geometry.ts';
import { randomQueries } from '../random-queries.ts';

const demo = demoOfTests();
const random = randomQueries(demo);

const SUMMARY = '/v1/point/summary';
/** In degrees, about a tenth of a metre: nearer to a border, plain doubles may be wrong. */
const NEAR_BORDER = 1e-6;

/** The blocks whose border the point is on, or nearly on. */
function bordering(lon: number, lat: number, within = NEAR_BORDER) {
  return demo.release.blocks.filter(({ polygons }) => degreesToBorder(polygons, lon, lat) < within);
}

test('a point lies in the block whose polygon contains it by ray casting', async () => {
  const { api, release } = demo;
  await forAll(100, random.point, random.mode, random.type, async (point, mode, type) => {
    fc.pre(bordering(point.lon, point.lat).length === 0);
    const block = blockAt(release, point.lon, point.lat);
    const response = await api.get(SUMMARY, { ...point, mode, type });
    if (!block) {
      expectProblem(response, 'point-not-covered');
      return;
    }
    const results = summaryOf(release, block.geoid, { mode, type });
    const { geoid, population, land_area_m2 } = block;
    expect(expectRows(response, results.length)).toEqual({
      resolved_block: geoid,
      block: { geoid, population, land_area_m2 },
      results,
      ...unroutedOf(release, block, { mode }),
    });
  });
});

test('a point on a border or a corner lies in exactly one of the adjoining blocks, always the same', async () => {
  const { api, release } = demo;
  const corner = fc
    .tuple(random.block, fc.nat(), fc.constantFrom(0, 0.5, 0.25))
    .map(([block, at, along]) => {
      const ring = block.polygons[0][0];
      const [a, b] = [ring[at % (ring.length - 1)], ring[(at % (ring.length - 1)) + 1]];
      return { lon: a[0] + along * (b[0] - a[0]), lat: a[1] + along * (b[1] - a[1]) };
    });
  await forAll(75, corner, async ({ lon, lat }) => {
    const touching = bordering(lon, lat, 1e-9).map(({ geoid }) => geoid);
    const isInland = [0, 1, 2, 3, 4, 5, 6, 7].every((eighth) => {
      const angle = (eighth + 0.31) * (Math.PI / 4);
      const [x, y] = [lon + 1e-5 * Math.cos(angle), lat + 1e-5 * Math.sin(angle)];
      return release.blocks.some(({ polygons }) => isInside(polygons, x, y));
    });
    const response = await api.get(SUMMARY, { lon, lat, type: 101 });
    if (!isInland && response.statusCode === 404) {
      expectProblem(response, 'point-not-covered');
      return;
    }
    const { resolved_block } = expectOk(response);
    expect(touching).toContain(resolved_block);
    const again = await api.get('/v1/point/pois', { lon, lat, limit: 1 });
    expect(expectOk(again).resolved_block).toBe(resolved_block);
  });
});
