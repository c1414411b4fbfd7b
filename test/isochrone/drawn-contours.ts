import { expect } from 'vitest';
import type { ProxyHarness } from '../support/proxy-harness.ts';
import { type Contour, judgeContours, ringFaults, type Shape, shapeOf } from './judged-contours.ts';

/** Parameters of the isochrones of one origin. */
export interface Question {
  readonly block: string;
  readonly mode: string;
  readonly direction: 'from' | 'to';
  readonly contours: readonly number[];
}

/** Requests contours from a proxy, and the blocks that they represent. */
export async function draw(
  proxy: ProxyHarness,
  key: string,
  { contours, ...question }: Question,
): Promise<Contour[]> {
  const ask = async (more: Record<string, string>) => {
    const query = new URLSearchParams({ ...question, ...more });
    const response = await proxy.get(`/v1/isochrone?${query}`, key);
    expect([`${query}`, response.statusCode]).toEqual([`${query}`, 200]);
    return response.json();
  };
  const { features } = await ask({ contours: contours.join() });
  const { blocks } = await ask({ minutes: String(Math.max(...contours)), format: 'blocks' });
  return features.map((feature: DrawnFeature): Contour => {
    const minutes = feature.properties.contour;
    const within = blocks.filter((row: ReachedBlock) => row.travel_min <= minutes);
    expect(feature.properties.reachable_blocks).toBe(within.length);
    return {
      response: JSON.stringify(question),
      minutes,
      shape: shapeOf(feature.geometry),
      blocks: within.map(({ geoid }: ReachedBlock) => geoid),
    };
  });
}

/**
 * Requests contours, and checks that each is valid, is wound by RFC 7946, is the union of its
 * census blocks except for small holes, contains its origin, and lies within the larger ones.
 */
export async function expectSoundContours(
  proxy: ProxyHarness,
  key: string,
  areas: ReadonlyMap<string, Shape>,
  questions: readonly Question[],
): Promise<void> {
  const { assumptions } = (await proxy.get('/v1/isochrone/meta')).json();
  const contours = (
    await Promise.all(questions.map((question) => draw(proxy, key, question)))
  ).flat();
  for (const { response, minutes, shape, blocks } of contours) {
    expect([response, minutes, ringFaults(shape)]).toEqual([response, minutes, []]);
    expect(blocks).toContain(JSON.parse(response).block);
  }
  const judgements = await judgeContours(contours, areas, assumptions.fill_holes_below_m2);
  expect(judgements).toHaveLength(contours.length);
  for (const { contour, border, ...judged } of judgements) {
    const { response, minutes } = contour;
    const differences = [judged.missing, judged.surplus, judged.outsideLarger];
    const isExact = differences.every((area) => Math.abs(area) <= border);
    expect({ response, minutes, judged, isExact }).toEqual({
      response,
      minutes,
      isExact: true,
      judged: { ...judged, isValid: true, isInOnePiece: true },
    });
  }
}

interface DrawnFeature {
  readonly geometry: { readonly type: string; readonly coordinates: unknown };
  readonly properties: { readonly contour: number; readonly reachable_blocks: number };
}
interface ReachedBlock {
  readonly geoid: string;
  readonly travel_min: number;
}
