import { describe, expect, test } from 'vitest';
import { expectOk, expectProblem, type QueryValue } from './api.ts';
import { demoOfTests } from './demo.ts';

const demo = demoOfTests();

const PATH = '/v1/isochrone';

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

describe('§4.5 format=blocks', () => {
  const blocks = async (query: Query = {}) =>
    expectOk(await fromBlock({ format: 'blocks', ...query }));

  test('{blocks: [{geoid, travel_min}], reachable_blocks, block, direction, mode, version, assumptions}', async () => {
    const body = await blocks({ mode: 'bike', direction: 'to' });
    const { version, assumptions } = await meta();
    expect(body).toEqual({
      blocks: expect.any(Array),
      reachable_blocks: body.blocks.length,
      version,
      assumptions,
      block: demo.block.geoid,
      direction: 'to',
      mode: 'bike',
    });
    for (const row of body.blocks) expect(Object.keys(row).sort()).toEqual(['geoid', 'travel_min']);
  });

  test('with contours, each block also names the smallest one that contains it', async () => {
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
});

describe('§4.5 format=geojson', () => {
  const contours = [5, 10, 20, 30];

  test('a FeatureCollection with version, direction, mode, assumptions, block, reachable_blocks', async () => {
    const { version, assumptions } = await meta();
    const body = expectOk(await fromBlock({ contours: contours.join(',') }));
    const reachable_blocks = body.features[0].properties.reachable_blocks;
    expect(body).toEqual({
      type: 'FeatureCollection',
      version,
      direction: 'from',
      mode: 'walk',
      assumptions,
      block: demo.block.geoid,
      reachable_blocks,
      features: expect.any(Array),
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

  test('an origin that cannot be routed reaches no other block', async () => {
    const query = { block: demo.water.geoid, minutes: 10, format: 'blocks' };
    const response = await ask(query);
    expect([200, 404]).toContain(response.statusCode);
    if (response.statusCode === 404) expectProblem(response, 'no-isochrone-data');
    else expect(response.json().blocks.length).toBeLessThanOrEqual(1);
  });
});
