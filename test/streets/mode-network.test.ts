import { expect, test } from 'vitest';
import { ROUTING } from '../../builder/routing-parameters.ts';
import { buildNetwork } from '../../builder/streets/build-network.ts';
import type { Surroundings } from '../../builder/streets/linker.ts';
import { CLOSED } from '../../builder/streets/mode-costs.ts';
import { buildModeNetwork } from '../../builder/streets/mode-network.ts';
import { RIDE, WALK, WALK_LOCAL } from '../../builder/streets/trait-bits.ts';
import { mappedStreets } from '../support/mapped-streets.ts';
import { boxRing } from '../support/rings.ts';

const LEAST = ROUTING.minIslandVertices;

/** Vertices in a row to the east, and pieces of street from each to the next. */
function line(vertices: number, traits: readonly number[] = [WALK]) {
  const places = Array.from({ length: vertices }, (_, i) => [i / 100, 0]);
  const ways = places.slice(1).map((_, i) => ({
    refs: [i, i + 1],
    traits: traits[Math.min(i, traits.length - 1)],
  }));
  return buildNetwork(...mappedStreets(places, ways));
}

/** A box that holds the given number of westernmost vertices. */
const upTo = (vertices: number) => ({
  minLon: -1,
  minLat: -1,
  maxLon: (vertices - 0.5) / 100,
  maxLat: 1,
});

function walked(vertices: number, surroundings: Partial<Surroundings>) {
  const found = buildModeNetwork(line(vertices), 'walk', { coverage: null, ...surroundings });
  return { ...found, open: found.costs.forward.filter((time) => time !== CLOSED).length };
}

test('a connected part of the streets is kept from a certain number of vertices on', () => {
  expect(walked(LEAST, {})).toMatchObject({ islandVertices: 0, open: LEAST - 1, mode: 'walk' });
  expect(walked(LEAST - 1, {})).toMatchObject({ islandVertices: LEAST - 1, open: 0 });
});

test('a short part is kept if its streets go on beyond the area read, within the street data', () => {
  expect(walked(9, { streetArea: upTo(9) }).open).toBe(0);
  expect(walked(9, { streetArea: upTo(8) })).toMatchObject({ islandVertices: 0, open: 8 });
  // Outside both the area read and the street data, the streets end where the data does.
  expect(walked(9, { streetArea: upTo(8), coverage: upTo(8) }).open).toBe(0);
  expect(walked(9, { streetArea: upTo(7), coverage: upTo(8) }).open).toBe(8);
  const outlines = [{ polygons: [[boxRing(-1, -1, 0.075, 1)]] }];
  expect(walked(9, { streetArea: upTo(8), outlines }).open).toBe(0);
});

test('only vertices within the box or the outlines of the street data count', () => {
  for (const [covered, open] of [
    [LEAST - 1, 0],
    [LEAST, LEAST + 4],
  ]) {
    const outline = boxRing(-1, -1, (covered - 0.5) / 100, 1);
    expect(walked(LEAST + 5, { coverage: upTo(covered) }).open).toBe(open);
    expect(walked(LEAST + 5, { outlines: [{ polygons: [[outline]] }] }).open).toBe(open);
  }
});

test('streets outside the street data are cut off; streets that lead beyond the area are not', () => {
  const cutOff = (surroundings: Partial<Surroundings>) =>
    walked(LEAST + 5, surroundings).isCutOff.reduce((sum, flag) => sum + flag, 0);
  expect(cutOff({})).toBe(0);
  // The first of four pieces outside begins within.
  expect(cutOff({ coverage: upTo(LEAST + 1) })).toBe(3);
});

test('streets reached only through private ones are private; a part that leads beyond the area is public', () => {
  const own = WALK | WALK_LOCAL;
  const isLocal = (traits: readonly number[], surroundings: Partial<Surroundings> = {}) =>
    buildModeNetwork(line(LEAST, traits), 'walk', { coverage: null, ...surroundings }).costs
      .isLocal;
  const gated = [WALK, WALK, own, WALK];
  expect([...isLocal(gated)].indexOf(0)).toBe(3);
  // The part that leads beyond the area is public, though it is smaller.
  const west = { ...upTo(LEAST + 1), minLon: 0.005 };
  expect([...isLocal(gated, { streetArea: west })].lastIndexOf(0)).toBe(1);
});

test('each mode has only the streets that it may use, and counts islands on those', () => {
  const network = line(LEAST + 3, [RIDE, RIDE, RIDE, WALK | RIDE]);
  const [walk, bike] = (['walk', 'bike'] as const).map((mode) =>
    buildModeNetwork(network, mode, { coverage: null }),
  );
  expect(walk.costs.forward.indexOf(0)).toBe(-1);
  expect(walk.costs.forward.lastIndexOf(CLOSED)).toBe(2);
  expect(bike.costs.forward.includes(CLOSED)).toBe(false);
  expect([walk.mode, bike.mode]).toEqual(['walk', 'bike']);
  expect(walk.graph.chains.chainOf.lastIndexOf(-1)).toBe(2);
});
