import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ROUTING } from '../../builder/routing-parameters.ts';
import { buildNetwork } from '../../builder/streets/build-network.ts';
import { Impassable } from '../../builder/streets/impassable.ts';
import type { Link, Surroundings } from '../../builder/streets/linker.ts';
import { buildModeNetwork } from '../../builder/streets/mode-network.ts';
import {
  NO_LINKING,
  RIDE_BACKWARD,
  RIDE_FORWARD,
  WALK_BACKWARD,
  WALK_FORWARD,
  withStress,
} from '../../builder/streets/trait-bits.ts';
import { streetTraits } from '../../builder/streets/way-traits.ts';
import { forAll } from '../support/for-all.ts';
import { mappedStreets } from '../support/mapped-streets.ts';
import { boxRing } from '../support/rings.ts';
import { tagsOf } from '../support/tags.ts';

const CALM = withStress(0, 1, 1);
const BOTH = WALK_FORWARD | WALK_BACKWARD | RIDE_FORWARD | RIDE_BACKWARD | CALM;
const RIDE = RIDE_FORWARD | RIDE_BACKWARD | CALM;
const LAT = 36;
const METRES_PER_DEGREE = 111_000 * Math.cos((LAT * Math.PI) / 180);

/**
 * A straight street along a meridian, the given metres east of the middle. With the default number
 * of vertices, it is long enough not to be an island.
 */
function street(metres: number, traits: number, vertices = 100) {
  const lon = -70 + metres / METRES_PER_DEGREE;
  return {
    traits,
    points: Array.from({ length: vertices }, (_, i) => [lon, LAT + (i - vertices / 2) * 1e-4]),
  };
}

/** A river, or similar, along a meridian. */
function river(metres: number) {
  const { points } = street(metres, BOTH, 400);
  return new Impassable({
    count: 1,
    firstPoint: Uint32Array.of(0, points.length),
    lon: Float64Array.from(points, ([lon]) => lon),
    lat: Float64Array.from(points, ([, lat]) => lat),
  });
}

function linkerOf(
  mode: 'walk' | 'bike',
  streets: readonly ReturnType<typeof street>[],
  impassable?: Impassable,
) {
  // Each piece is a way of its own, so that each point of a street is a vertex.
  const firsts = streets.map((_, s) => streets.slice(0, s).flatMap(({ points }) => points).length);
  const ways = streets.flatMap(({ traits, points }, s) =>
    points.slice(1).map((_, i) => ({ traits, refs: [firsts[s] + i, firsts[s] + i + 1] })),
  );
  const places = streets.flatMap(({ points }) => points);
  const network = buildNetwork(...mappedStreets(places, ways));
  const coverage = { minLon: -71, minLat: 35, maxLon: -69, maxLat: 37 };
  return buildModeNetwork(network, mode, { coverage, impassable }).linker;
}

const reason = (link: unknown) => (typeof link === 'string' ? link : 'linked');
const [, FAR] = ROUTING.linkRadii;

test('the reason for a missing link follows from the kinds of street nearby', async () => {
  const kinds = {
    open: (metres: number) => street(metres, BOTH),
    closed: (metres: number) => street(metres, RIDE),
    oneWay: (metres: number) => street(metres, WALK_FORWARD | RIDE),
    island: (metres: number) => street(metres, BOTH, 5),
    tunnel: (metres: number) => street(metres, BOTH | NO_LINKING),
  };
  const kind = fc.constantFrom(...(Object.keys(kinds) as (keyof typeof kinds)[]));
  // No distance is so near to the limit that the error of the projection decides.
  const metres = fc.oneof(
    fc.integer({ min: 1, max: FAR - 50 }),
    fc.integer({ min: FAR + 50, max: 4 * FAR }),
  );
  await forAll(200, fc.array(fc.tuple(kind, metres), { minLength: 1, maxLength: 4 }), (list) => {
    const linker = linkerOf(
      'walk',
      list.map(([name, away]) => kinds[name](away)),
    );
    const near = new Set(list.filter(([, away]) => away <= FAR).map(([name]) => name));
    near.delete('tunnel');
    const expected = near.has('open')
      ? 'linked'
      : near.size > 0
        ? 'not-on-mode-network'
        : 'no-street-near';
    expect(reason(linker.link(-70, LAT))).toBe(expected);
  });
});

test('a cycle track alone links the bike but not walking; beyond the data neither is linked', () => {
  const track = [street(20, RIDE)];
  expect(reason(linkerOf('bike', track).link(-70, LAT))).toBe('linked');
  expect(reason(linkerOf('walk', track).link(-70, LAT))).toBe('not-on-mode-network');
  for (const mode of ['walk', 'bike'] as const) {
    expect(reason(linkerOf(mode, track).link(-72, LAT))).toBe('outside-street-data');
  }
});

test('a bicycle is linked to the nearest way, and to the nearest ridable one, within 300 m', () => {
  const WALK = WALK_FORWARD | WALK_BACKWARD;
  const sidewalk = street(5, WALK);
  const snapsOf = (others: readonly ReturnType<typeof street>[], ...more: [Impassable?]) => {
    const linker = linkerOf('bike', [sidewalk, ...others], ...more);
    const tied = linker.linkStop(-70, LAT) as Link;
    const toRide = linker.linkToRide(-70, LAT, tied);
    return [tied, toRide].map((link) => link && Math.round(link.snap));
  };
  expect(snapsOf([street(-20, BOTH)])).toEqual([5, 20]);
  // A single direction suffices, but not along a street whose traffic makes the rider push.
  expect(snapsOf([street(-20, WALK | RIDE_FORWARD | CALM), street(40, BOTH)])).toEqual([5, 20]);
  expect(snapsOf([street(-20, withStress(BOTH, 4, 4)), street(40, BOTH)])).toEqual([5, 40]);
  const busy = street(-20, withStress(WALK | RIDE_FORWARD, 4, 1));
  expect(snapsOf([busy, street(40, BOTH)])).toEqual([5, 40]);
  expect(snapsOf([street(3, BOTH), street(40, BOTH)])).toEqual([3, null]);
  expect(snapsOf([street(310, BOTH)])).toEqual([5, null]);
  expect(snapsOf([street(20, BOTH)], river(12))).toEqual([5, null]);
});

/** Whole metres to the street that a point is linked to. */
const snapTo = (link: unknown) =>
  typeof link === 'string' ? link : Math.round((link as Link).snap);

test.each<[string, number]>([
  ['highway=trunk', 55],
  ['highway=residential, bridge=yes', 55],
  ['highway=trunk, sidewalk=both', 10],
  ['highway=primary', 10],
])('next to %s trips begin and end on a street up to 50 m farther off: at %i m', (tags, at) => {
  const near = street(10, streetTraits(tagsOf(tags)));
  const tied = (metres: number) => linkerOf('walk', [near, street(-metres, BOTH)]);
  for (const tie of ['link', 'linkBlock'] as const) {
    expect(snapTo(tied(55)[tie](-70, LAT))).toBe(at);
    expect(snapTo(tied(65)[tie](-70, LAT))).toBe(10);
  }
  // A stop lies where its vehicles run.
  expect(snapTo(tied(55).linkStop(-70, LAT))).toBe(10);
  expect(snapTo(linkerOf('walk', [near]).link(-70, LAT))).toBe(10);
});

test('a bicycle is ridden from the nearest ridable street, bridge or not', () => {
  const bridge = street(10, streetTraits(tagsOf('highway=residential, bridge=yes')));
  const linker = linkerOf('bike', [bridge, street(-55, BOTH)]);
  const tied = linker.link(-70, LAT) as Link;
  expect([tied, linker.linkToRide(-70, LAT, tied)].map(snapTo)).toEqual([55, 10]);
});

/** Points along a meridian, some metres east of the middle, south to north in steps of 11 m. */
const line = (metres: number, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => [
    -70 + metres / METRES_PER_DEGREE,
    LAT + (from + i) * 1e-4,
  ]);

/** A linker for walking, where the street data ends at `maxLat` in the north, or at outlines. */
function linkerWithin(
  maxLat: number,
  lines: readonly (readonly (readonly number[])[])[],
  outlines: Surroundings['outlines'] = null,
) {
  const firsts = lines.map((_, at) => lines.slice(0, at).flat().length);
  const pieces = lines.flatMap((points, at) =>
    points.slice(1).map((_, i) => ({ refs: [firsts[at] + i, firsts[at] + i + 1], traits: BOTH })),
  );
  const network = buildNetwork(...mappedStreets(lines.flat(), pieces));
  const coverage = { minLon: -71, minLat: 35, maxLon: -69, maxLat };
  return buildModeNetwork(network, 'walk', { coverage, outlines }).linker;
}

test('a piece cut off where the street data ends counts as 50 m farther off, for stops too', () => {
  // The piece leads on to the north only, and from there to a distant street.
  const piece = [...line(10, -15, 20), ...line(3_000, -80, 20).reverse()];
  const snaps = (maxLat: number, ...more: [Surroundings['outlines']?]) =>
    [55, 65].map((metres) => {
      const linker = linkerWithin(maxLat, [piece, line(-metres, -50, 50)], ...more);
      const stop = snapTo(linker.linkStop(-70, LAT));
      expect(snapTo(linker.link(-70, LAT))).toBe(stop);
      return stop;
    });
  expect(snaps(36.1)).toEqual([10, 10]);
  expect(snaps(36.001)).toEqual([55, 10]);
  expect(snaps(36.1, [{ polygons: [[boxRing(-71, 35, -69, 36.001)]] }])).toEqual([55, 10]);
  // A piece large enough to be a separate town does not count as cut off.
  const town = [...line(10, -45, 20), ...line(3_000, -80, 20).reverse()];
  expect(snapTo(linkerWithin(36.001, [town, line(-55, -50, 50)]).link(-70, LAT))).toBe(10);
  expect(snapTo(linkerWithin(36.001, [piece]).link(-70, LAT))).toBe(10);
});

test('streets beyond the street data do not make an island larger', () => {
  const stub = [line(10, -30, 30)];
  expect(snapTo(linkerWithin(37, stub).link(-70, LAT))).toBe(10);
  expect(linkerWithin(LAT + 5e-4, stub).link(-70, LAT)).toBe('not-on-mode-network');
});

test('no link crosses a river: the street on this side is used, if there is one', () => {
  const streets = [street(60, BOTH), street(-900, BOTH)];
  const snapOf = (link: unknown) =>
    typeof link === 'string' ? link : (link as { snap: number }).snap;
  const linker = linkerOf('walk', streets, river(30));
  expect(snapOf(linker.link(-70, LAT))).toBeCloseTo(900, -1);
  expect(snapOf(linkerOf('walk', streets).link(-70, LAT))).toBeCloseTo(60, 0);
  // A stop may lie between the tracks, or in the dock.
  expect(snapOf(linker.linkStop(-70, LAT))).toBeCloseTo(60, 0);
  expect(reason(linkerOf('walk', [street(60, BOTH)], river(30)).link(-70, LAT))).toBe(
    'no-street-near',
  );
  // A closed street beyond the river is not reported either.
  expect(linkerOf('walk', [street(60, RIDE)], river(30)).link(-70, LAT)).toBe('no-street-near');
  // A block, whose point may lie in the water, takes a nearby street rather than none.
  const blockOf = (metres: number) =>
    linkerOf('walk', [street(metres, BOTH)], river(30)).linkBlock(-70, LAT);
  expect(snapOf(linker.linkBlock(-70, LAT))).toBeCloseTo(900, -1);
  for (const metres of [60, 290]) expect(snapOf(blockOf(metres))).toBeCloseTo(metres, -1);
  expect(blockOf(310)).toBe('no-street-near');
  // The quay is mapped exactly along the shore.
  expect(snapOf(linkerOf('walk', streets, river(60)).link(-70, LAT))).toBeCloseTo(60, 0);
});
