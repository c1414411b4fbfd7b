import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectOk, expectProblem, type QueryValue } from './api.ts';
import { type Demo, openDemo } from './demo.ts';
import { degreesToBorder, isInside, type Rings } from './plain-geometry.ts';

let demo: Demo;
beforeAll(async () => {
  demo = await openDemo();
});
afterAll(() => demo.api.close());

const PATH = '/v1/isochrone';
/** Nearer to a border than this, a point is taken for neither inside nor outside. */
const SLACK_DEGREES = 2e-6;

type Query = Readonly<Record<string, QueryValue>>;
const ask = (query: Query) => demo.api.get(PATH, query);
const fromBlock = (query: Query = {}) =>
  ask({ block: demo.block.geoid, ...('contours' in query ? {} : { minutes: 15 }), ...query });
const meta = async () => expectOk(await demo.api.get('/v1/isochrone/meta', {}, { as: null }));

interface Feature {
  readonly type: string;
  readonly geometry: { readonly type: string; readonly coordinates: unknown };
  readonly properties: { contour: number; mode: string; reachable_blocks: number };
}
interface ReachedBlock {
  readonly geoid: string;
  readonly travel_min: number;
}

function polygonsOf({ geometry }: Feature): Rings[] {
  expect(['Polygon', 'MultiPolygon']).toContain(geometry.type);
  return (geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates) as Rings[];
}

describe('§4.5 format=blocks', () => {
  const blocks = async (query: Query = {}) =>
    expectOk(await fromBlock({ format: 'blocks', ...query }));

  test('{blocks: [{geoid, travel_min}], reachable_blocks, block, direction, mode, version, assumptions}', async () => {
    const body = await blocks({ mode: 'bike', direction: 'to' });
    const { version, assumptions } = await meta();
    expect(body).toEqual({
      ...{ blocks: expect.any(Array), reachable_blocks: body.blocks.length, version, assumptions },
      ...{ block: demo.block.geoid, direction: 'to', mode: 'bike' },
    });
    for (const row of body.blocks) expect(Object.keys(row).sort()).toEqual(['geoid', 'travel_min']);
  });

  test('travel_min is whole minutes, rounded up, at most what was asked', async () => {
    for (const minutes of [1, 7, 30, 60]) {
      const { blocks: rows } = await blocks({ minutes });
      for (const { travel_min } of rows as ReachedBlock[]) {
        expect(Number.isInteger(travel_min)).toBe(true);
        expect(travel_min).toBeGreaterThanOrEqual(0);
        expect(travel_min).toBeLessThanOrEqual(minutes);
      }
    }
  });

  test('with contours, each block also says the smallest that holds it', async () => {
    const plain: ReachedBlock[] = (await blocks({ minutes: 40, mode: 'bike' })).blocks;
    const one = await blocks({ contours: '40', mode: 'bike' });
    expect(one.blocks).toEqual(plain.map((row) => ({ ...row, contour: 40 })));
    const many = await blocks({ contours: '5,17,40', mode: 'bike' });
    expect(many.blocks).toEqual(
      plain.map((row) => ({
        ...row,
        contour: row.travel_min <= 5 ? 5 : row.travel_min <= 17 ? 17 : 40,
      })),
    );
    expect(new Set(many.blocks.map(({ contour }: { contour: number }) => contour)).size).toBe(3);
  });

  test('fewer minutes give the same rows, cut', async () => {
    const all: ReachedBlock[] = (await blocks({ minutes: 60 })).blocks;
    for (const minutes of [5, 12, 30]) {
      const some = (await blocks({ minutes })).blocks;
      expect(some).toEqual(all.filter(({ travel_min }) => travel_min <= minutes));
    }
  });

  test('who reaches whom: a from b in n minutes is b to a in n minutes', async () => {
    const rows: ReachedBlock[] = (await blocks({ minutes: 20, mode: 'bike' })).blocks;
    for (const { geoid, travel_min } of rows.filter((_, i) => i % 17 === 0)) {
      const query = { block: geoid, minutes: 20, mode: 'bike', direction: 'to', format: 'blocks' };
      const back: ReachedBlock[] = expectOk(await ask(query)).blocks;
      const found = back.find((row) => row.geoid === demo.block.geoid);
      expect([geoid, found?.travel_min]).toEqual([geoid, travel_min]);
    }
  });

  test('the origin block is reached', async () => {
    const rows: ReachedBlock[] = (await blocks({ minutes: 1 })).blocks;
    expect(rows.map(({ geoid }) => geoid)).toContain(demo.block.geoid);
  });
});

describe('§4.5 format=geojson', () => {
  const contours = [5, 10, 20, 30];

  test('a FeatureCollection with version, direction, mode, assumptions, block, reachable_blocks', async () => {
    const { version, assumptions } = await meta();
    const body = expectOk(await fromBlock({ contours: contours.join(',') }));
    const reachable_blocks = body.features[0].properties.reachable_blocks;
    expect(body).toEqual({
      ...{ type: 'FeatureCollection', version, direction: 'from', mode: 'walk', assumptions },
      ...{ block: demo.block.geoid, reachable_blocks, features: expect.any(Array) },
    });
  });

  test('features are ordered largest contour first, with contour, mode and reachable_blocks', async () => {
    const { features } = expectOk(await fromBlock({ contours: contours.join(',') }));
    expect(features.map(({ properties }: Feature) => properties.contour)).toEqual(
      [...contours].reverse(),
    );
    for (const feature of features as Feature[]) {
      const { contour } = feature.properties;
      const query = { minutes: contour, format: 'blocks' };
      const { reachable_blocks } = expectOk(await fromBlock(query));
      expect(feature).toMatchObject({ type: 'Feature' });
      expect(feature.properties).toEqual({ contour, mode: 'walk', reachable_blocks });
    }
  });

  test.each(['from', 'to'])(
    'contours nest exactly and contain the origin block: %s',
    async (direction) => {
      for (const mode of demo.release.modes) {
        const { features } = expectOk(
          await fromBlock({ contours: contours.join(','), direction, mode }),
        );
        const shapes = (features as Feature[]).map(polygonsOf);
        for (const [larger, smaller] of shapes.slice(1).map((shape, i) => [shapes[i], shape])) {
          for (const [lon, lat] of smaller.flat(2)) {
            const isWithin = isInside(larger, lon, lat);
            const isOnBorder = degreesToBorder(larger, lon, lat) < SLACK_DEGREES;
            expect([lon, lat, isWithin || isOnBorder]).toEqual([lon, lat, true]);
          }
        }
        for (const shape of shapes)
          expect(isInside(shape, demo.block.lon, demo.block.lat)).toBe(true);
      }
    },
  );

  test('a contour covers the centres of the blocks that are reached, and no others but in filled holes', async () => {
    const { features } = expectOk(await fromBlock({ minutes: 15 }));
    const shape = polygonsOf(features[0]);
    const rows: ReachedBlock[] = expectOk(
      await fromBlock({ minutes: 15, format: 'blocks' }),
    ).blocks;
    const reached = new Set(rows.map(({ geoid }) => geoid));
    const covered = demo.release.blocks.filter(({ lon, lat }) => isInside(shape, lon, lat));
    for (const geoid of reached) {
      expect(covered.map((block) => block.geoid)).toContain(geoid);
    }
    const filled = covered.filter(({ geoid }) => !reached.has(geoid));
    expect(filled.length).toBeLessThanOrEqual(0.1 * covered.length);
  });

  test('rings are closed, wound as RFC 7946 has it, and have at most 6 decimals', async () => {
    const { features } = expectOk(await fromBlock({ contours: '10,30', mode: 'bike' }));
    for (const feature of features as Feature[]) {
      for (const polygon of polygonsOf(feature)) {
        polygon.forEach((ring, i) => {
          expect(ring.length).toBeGreaterThanOrEqual(4);
          expect(ring.at(-1)).toEqual(ring[0]);
          expect(Math.sign(signedArea(ring))).toBe(i === 0 ? 1 : -1);
          for (const value of ring.flat()) expect(Number(value.toFixed(6))).toBe(value);
        });
      }
    }
  });

  test('an origin that nothing can be routed from reaches nothing else', async () => {
    const query = { block: demo.water.geoid, minutes: 10, format: 'blocks' };
    const answer = await ask(query);
    expect([200, 404]).toContain(answer.statusCode);
    if (answer.statusCode === 404) expectProblem(answer, 'no-isochrone-data');
    else expect(answer.json().blocks.length).toBeLessThanOrEqual(1);
  });
});

/** Twice the area by the shoelace formula: positive for rings that run counter-clockwise. */
function signedArea(ring: Rings[number]): number {
  return ring.slice(1).reduce((sum, [x, y], i) => sum + ring[i][0] * y - x * ring[i][1], 0);
}
