import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forAll } from '../../support/for-all.ts';
import { demoOfTests } from '../demo.ts';
import type { NaiveBlock } from '../naive-release.ts';
import { arealOf } from '../naive-responses.ts';
import { allPages } from '../paging.ts';
import { degreesToBorder, isInside, metresBetween } from '../plain-geometry.ts';
import { randomQueries } from '../random-queries.ts';

const demo = demoOfTests();
const random = randomQueries(demo);

const QUERY = '/v1/blocks/query';
const NEAR_BORDER = 1e-7;
/** Allowed difference between sphere and ellipsoid distances. */
const SPHERE_ERROR = 0.006;

const filters = () => ({
  mode: random.mode.filter((mode) => mode.length > 0),
  // A few types, to keep the number of pages small.
  type: random.type.filter((type) => type.length > 0),
  include_population: fc.boolean(),
  limit: fc.constantFrom(333, 1000),
});

test('a polygon has the rows of the blocks whose centres are inside it', async () => {
  const { api, release } = demo;
  const query = fc.record({ star: random.star, ...filters() });
  await forAll(20, query, async ({ star, ...asked }) => {
    const polygon = { type: 'Polygon', coordinates: [star] };
    const isOnBorder = ({ lon, lat }: NaiveBlock) =>
      degreesToBorder([[star]], lon, lat) < NEAR_BORDER;
    fc.pre(!release.blocks.some(isOnBorder));
    const blocks = release.blocks.filter(({ lon, lat }) => isInside([[star]], lon, lat));
    const rows = await allPages(api, {
      method: 'POST',
      path: QUERY,
      body: { polygon, ...asked },
    });
    expect(rows).toEqual(arealOf(release, blocks, asked, asked.include_population));
  });
});

test('a circle has the rows of the blocks whose centres are within it', async () => {
  const { api, release } = demo;
  const query = fc.record({ center: random.point, radius_m: random.radius, ...filters() });
  await forAll(20, query, async ({ center, radius_m, ...asked }) => {
    const slack = SPHERE_ERROR * radius_m + 0.2;
    const off = (block: NaiveBlock) => metresBetween(center, block) - radius_m;
    const rows = await allPages<{ geoid: string }>(api, {
      method: 'POST',
      path: QUERY,
      body: { center, radius_m, ...asked },
    });
    const unsure = new Set(
      release.blocks.filter((block) => Math.abs(off(block)) <= slack).map(({ geoid }) => geoid),
    );
    const blocks = release.blocks.filter((block) => off(block) < -slack);
    expect(rows.filter(({ geoid }) => !unsure.has(geoid))).toEqual(
      arealOf(release, blocks, asked, asked.include_population),
    );
  });
});

test('a place has the rows of the blocks whose centres are in it', async () => {
  const { api, release } = demo;
  const geoids = fc.constantFrom(...release.places.map(({ geoid }) => geoid));
  await forAll(12, geoids, fc.record(filters()), async (geoid, asked) => {
    const place = release.places.find((one) => one.geoid === geoid)!;
    const blocks = release.blocks.filter(({ lon, lat }) => isInside(place.polygons, lon, lat));
    const path = `/v1/places/${geoid}/blocks`;
    const rows = await allPages(api, { path, query: asked });
    expect(rows).toEqual(arealOf(release, blocks, asked, asked.include_population));
  });
});
