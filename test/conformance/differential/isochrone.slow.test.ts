import fc from 'fast-check';
import { beforeAll, expect, inject, test } from 'vitest';
import { forAll } from '../../support/for-all.ts';
import { expectOk } from '../api.ts';
import { demoOfTests } from '../demo.ts';
import { blockAt, type NaiveReaches, readNaiveReach } from '../naive-release.ts';
import { degreesToBorder, isInside, type Rings } from '../plain-geometry.ts';
import { randomQueries } from '../random-queries.ts';

const demo = demoOfTests();
const random = randomQueries(demo);
let reaches: NaiveReaches;
beforeAll(async () => {
  reaches = await readNaiveReach(demo.api.proxy.releases.current, inject('demoStore'));
});

const PATH = '/v1/isochrone';
const NEAR_BORDER = 3e-6;

interface Asked {
  readonly mode: string;
  readonly direction: 'from' | 'to';
  readonly minutes: number;
}
const anyQuestion = () =>
  fc.record({
    mode: fc.constantFrom(...demo.release.modes),
    direction: fc.constantFrom('from' as const, 'to' as const),
    minutes: fc.integer({ min: 1, max: 60 }),
  });

/** Blocks within reach and their minutes. */
function reachOf(geoid: string, { mode, direction, minutes }: Asked): Map<string, number> {
  return new Map(
    (reaches[direction].get(geoid) ?? [])
      .filter((row) => row.mode === mode && row.minutes <= minutes)
      .map((row) => [direction === 'from' ? row.to : row.from, row.minutes]),
  );
}

test('the blocks of an isochrone match the plain arrays, in both directions', () =>
  forAll(30, random.routableBlock, anyQuestion(), async ({ geoid }, asked) => {
    const response = await demo.api.get(PATH, { block: geoid, format: 'blocks', ...asked });
    const body = expectOk(response);
    const rows: [string, number][] = body.blocks.map(
      (row: { geoid: string; travel_min: number }) => [row.geoid, row.travel_min],
    );
    expect(rows.length).toBe(body.reachable_blocks);
    expect(new Map(rows)).toEqual(reachOf(geoid, asked));
  }));

test('a contour covers every point of the reached blocks', async () => {
  const { api, release } = demo;
  const points = fc.array(random.point, { minLength: 30, maxLength: 30 });
  await forAll(20, random.routableBlock, anyQuestion(), points, async ({ geoid }, asked, some) => {
    const { features } = expectOk(await api.get(PATH, { block: geoid, ...asked }));
    const { geometry, properties } = features[0];
    const shape: Rings[] =
      geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
    const reached = reachOf(geoid, asked);
    expect(properties).toEqual({
      contour: asked.minutes,
      mode: asked.mode,
      reachable_blocks: reached.size,
    });
    for (const { lon, lat } of some) {
      const block = blockAt(release, lon, lat);
      if (!block || !reached.has(block.geoid)) continue;
      if (degreesToBorder(block.polygons, lon, lat) < NEAR_BORDER) continue;
      expect([lon, lat, isInside(shape, lon, lat)]).toEqual([lon, lat, true]);
    }
  });
});
