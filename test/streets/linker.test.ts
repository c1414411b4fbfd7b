import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ROUTING } from '../../builder/routing-parameters.ts';
import { CoveredArea } from '../../builder/streets/covered-area.ts';
import { ridingSlowdown, walkingSlowdown } from '../../builder/streets/hills.ts';
import { Impassable } from '../../builder/streets/impassable.ts';
import { type Link, Linker } from '../../builder/streets/linker.ts';
import { CLOSED, type ModeCosts } from '../../builder/streets/mode-costs.ts';
import { buildModeGraph } from '../../builder/streets/mode-graph.ts';
import type { StreetNetwork } from '../../builder/streets/network.ts';
import {
  NO_LINKING,
  RIDE_BACKWARD,
  RIDE_FORWARD,
  SELDOM_LINKED,
} from '../../builder/streets/trait-bits.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { forAll } from '../support/for-all.ts';
import { boxRing } from '../support/rings.ts';
import { Dice } from '../transit/dice.ts';

/** A metre at the equator in degrees, to the east and to the north. */
const METRE = [1 / 111_319.490793, 1 / 110_574.275822] as const;
const [NEAR, FAR] = ROUTING.linkRadii;
const DETOUR = ROUTING.seldomLinkedDetour;

type Point = readonly [east: number, north: number];
const degrees = ([east, north]: Point) => [east * METRE[0], north * METRE[1]] as const;

interface Street {
  readonly ends: readonly [number, number];
  readonly shape: readonly Point[];
  readonly traits: number;
  /** Milliseconds along the street and back; `CLOSED` where the mode is not allowed. */
  readonly times: readonly [number, number];
  readonly isLocal: boolean;
  readonly isCutOff: boolean;
  readonly ridden: number;
  /** Grades of equal parts of the street; empty if it is level. */
  readonly grades: readonly number[];
}

/** Streets between a few crossings, within tens to thousands of metres of the middle. */
function randomStreets(dice: Dice) {
  const size = dice.pick([40, 400, 1_500, 4_000]);
  const draw = (): Point => [dice.between(-size, size), dice.between(-size, size)];
  const crossings = Array.from({ length: 2 + dice.below(5) }, draw);
  const streets = Array.from({ length: 1 + dice.below(7) }, (): Street => {
    const ends = [dice.below(crossings.length), dice.below(crossings.length)] as const;
    const isOpen = dice.pick([3, 3, 3, 1, 2, 0]);
    const time = (way: number) => (isOpen & way ? 1_000 + dice.below(500_000) : CLOSED);
    return {
      ends,
      shape: [
        crossings[ends[0]],
        ...Array.from({ length: dice.below(3) }, draw),
        crossings[ends[1]],
      ],
      traits: dice.pick([0, 0, 0, SELDOM_LINKED, NO_LINKING]),
      times: [time(1), time(2)],
      isLocal: dice.chance(0.2),
      isCutOff: dice.chance(0.2),
      ridden: dice.pick([0, 0, RIDE_FORWARD, RIDE_BACKWARD, RIDE_FORWARD | RIDE_BACKWARD]),
      grades: Array.from({ length: dice.below(4) }, () => dice.between(-0.2, 0.2)),
    };
  });
  const shores = Array.from({ length: dice.pick([0, 0, 1, 3]) }, () => [draw(), draw()] as const);
  return { crossings, streets, shores, draw };
}

function sums(counts: readonly number[]): number[] {
  let sum = 0;
  return [0, ...counts.map((count) => (sum += count))];
}

/** Builds the chains of a mode's streets, and the linker of points to them. */
function linkerOf(
  crossings: readonly Point[],
  streets: readonly Street[],
  shores: readonly (readonly Point[])[],
  hasSlopes: boolean,
  coverage: BoundingBox | null = null,
) {
  const points = streets.flatMap(({ shape }) => shape.map(degrees));
  const network = {
    vertexCount: crossings.length,
    edgeCount: streets.length,
    from: Uint32Array.from(streets, ({ ends }) => ends[0]),
    to: Uint32Array.from(streets, ({ ends }) => ends[1]),
    traits: Uint32Array.from(streets, ({ traits }) => traits),
    firstPoint: Uint32Array.from(sums(streets.map(({ shape }) => shape.length))),
    pointLon: Float64Array.from(points, ([lon]) => lon),
    pointLat: Float64Array.from(points, ([, lat]) => lat),
    vertexLon: Float64Array.from(crossings, (point) => degrees(point)[0]),
    vertexLat: Float64Array.from(crossings, (point) => degrees(point)[1]),
    ...(hasSlopes && {
      slopes: {
        firstStep: Uint32Array.from(sums(streets.map(({ grades }) => grades.length))),
        grades: Float32Array.from(streets.flatMap(({ grades }) => grades)),
      },
    }),
  } as Partial<StreetNetwork> as StreetNetwork;
  const costs: ModeCosts = {
    forward: Int32Array.from(streets, ({ times }) => times[0]),
    backward: Int32Array.from(streets, ({ times }) => times[1]),
    isLocal: Uint8Array.from(streets, ({ isLocal }) => Number(isLocal)),
    ridden: Uint8Array.from(streets, ({ ridden }) => ridden),
  };
  const graph = buildModeGraph(network, costs);
  const isCutOff = Uint8Array.from(streets, (street) => Number(street.isCutOff));
  const ends = shores.flat().map(degrees);
  const impassable = new Impassable({
    count: shores.length,
    firstPoint: Uint32Array.from(sums(shores.map((shore) => shore.length))),
    lon: Float64Array.from(ends, ([lon]) => lon),
    lat: Float64Array.from(ends, ([, lat]) => lat),
  });
  const surroundings = { coverage, impassable };
  return {
    chains: graph.chains,
    linker: new Linker(network, costs, graph, isCutOff, surroundings),
  };
}

/** The spot on a straight piece of a street that is nearest to a point. */
interface Spot {
  readonly street: number;
  readonly metres: number;
  readonly foot: Point;
  /** The share of the street's length before the spot. */
  readonly part: number;
}

/** The nearest spot on each straight piece of each street. */
function spotsOf(streets: readonly Street[], [x, y]: Point): Spot[] {
  return streets.flatMap(({ shape }, street) => {
    const lengths = shape.slice(1).map(([c, d], i) => Math.hypot(c - shape[i][0], d - shape[i][1]));
    const all = lengths.reduce((sum, length) => sum + length, 0);
    return lengths.map((length, i) => {
      const [[a, b], [c, d]] = [shape[i], shape[i + 1]];
      const along = length === 0 ? 0 : ((x - a) * (c - a) + (y - b) * (d - b)) / length;
      const t = length === 0 ? 0 : Math.min(1, Math.max(0, along / length));
      const foot: Point = [a + t * (c - a), b + t * (d - b)];
      const before = lengths.slice(0, i).reduce((sum, one) => sum + one, 0);
      const part = all === 0 ? 0 : (before + t * length) / all;
      return { street, metres: Math.hypot(x - foot[0], y - foot[1]), foot, part };
    });
  });
}

/** Whether a shore lies between a point and a spot, up to a metre before the spot. */
function liesBeyond(shores: readonly (readonly Point[])[], point: Point, { foot, metres }: Spot) {
  const part = Math.max(0, 1 - 1 / metres);
  const to = [0, 1].map((axis) => point[axis] + part * (foot[axis] - point[axis]));
  return shores.some(([from, until]) => {
    const [ux, uy, vx, vy] = [
      to[0] - point[0],
      to[1] - point[1],
      until[0] - from[0],
      until[1] - from[1],
    ];
    const [wx, wy] = [from[0] - point[0], from[1] - point[1]];
    const determinant = uy * vx - ux * vy;
    if (determinant === 0) return false;
    const [along, across] = [(wy * vx - wx * vy) / determinant, (ux * wy - uy * wx) / determinant];
    return along > 0 && along < 1 && across > 0 && across < 1;
  });
}

/** The share of a street's time that its first `part` of length takes, piece by piece by grade. */
function shareOf({ grades, ridden }: Street, part: number, direction: number): number {
  if (grades.length === 0) return part;
  const slowdown = ridden & direction ? ridingSlowdown(ROUTING) : walkingSlowdown;
  const timeUntil = (end: number) =>
    grades.reduce((sum, grade, i) => {
      const [from, to] = [i, i + 1].map((at) => Math.min(end, at / grades.length));
      return sum + (to - from) * slowdown(direction === RIDE_BACKWARD ? -grade : grade);
    }, 0);
  return timeUntil(part) / timeUntil(1);
}

describe('on random streets', () => {
  test('points are linked to the nearest spot by the rules of their kind, at its position on the chain', () =>
    forAll(250, fc.nat(), (seed) => {
      const dice = new Dice(seed);
      const { crossings, streets, shores, draw } = randomStreets(dice);
      const hasSlopes = dice.chance(0.4);
      const { linker, chains } = linkerOf(crossings, streets, shores, hasSlopes);
      const isOpen = ({ times }: Street) => !times.includes(CLOSED);
      const mayLink = ({ traits }: Street) => traits !== NO_LINKING;
      const best = (
        spots: readonly Spot[],
        radius: number,
        detour: (street: Street) => number = () => 0,
      ): Spot | undefined => {
        const near = spots.filter(({ metres }) => metres <= radius);
        const mm = (spot: Spot) => Math.round(1_000 * (spot.metres + detour(streets[spot.street])));
        const local = ({ street }: Spot) => Number(streets[street].isLocal);
        return near.sort((a, b) => mm(a) - mm(b) || local(a) - local(b) || a.street - b.street)[0];
      };
      const pieces = ({ isCutOff }: Street) => (isCutOff ? DETOUR : 0);
      const counted = (street: Street) =>
        street.traits === SELDOM_LINKED ? DETOUR : pieces(street);
      const check = (found: unknown, spot: Spot | null | undefined, otherwise: unknown) => {
        if (!spot) {
          expect(found).toBe(otherwise);
          return;
        }
        const link = found as Link;
        const street = streets[spot.street];
        const [there, home] = street.times;
        const sloped = hasSlopes ? street : { ...street, grades: [] };
        const [onward, homeward] = [RIDE_FORWARD, RIDE_BACKWARD].map((direction) =>
          shareOf(sloped, spot.part, direction),
        );
        const isReversed = chains.reversed[spot.street] === 1;
        const along = isReversed ? home * (1 - homeward) : there * onward;
        const back = isReversed ? there * (1 - onward) : home * homeward;
        // Half a millisecond of rounding, and the error of the projection.
        const off = 1.5;
        expect(link.chain).toBe(chains.chainOf[spot.street]);
        expect(link.snap).toBeCloseTo(spot.metres, 3);
        expect(Math.abs(link.offStreet - (spot.metres * 3_600) / 4.8)).toBeLessThan(off);
        expect(Math.abs(link.along - chains.before[spot.street] - along)).toBeLessThan(off);
        expect(Math.abs(link.alongBack - chains.beforeBack[spot.street] - back)).toBeLessThan(off);
      };
      for (let points = 0; points < 4; points++) {
        const point = points === 0 ? ([0, 0] as const) : draw();
        const [lon, lat] = degrees(point);
        const all = spotsOf(streets, point).filter(({ street }) => mayLink(streets[street]));
        const open = all.filter(({ street }) => isOpen(streets[street]));
        const isHere = (spot: Spot) => !liesBeyond(shores, point, spot);
        const closed = all.filter(
          ({ street, metres }) => !isOpen(streets[street]) && metres <= FAR,
        );
        const reason = (hasClosed: boolean) =>
          hasClosed ? 'not-on-mode-network' : 'no-street-near';
        const taken = best(open.filter(isHere), FAR, counted);
        const none = reason(closed.some(isHere));
        const link = linker.link(lon, lat);
        check(link, taken, none);
        check(linker.linkStop(lon, lat), best(open, FAR, pieces), reason(closed.length > 0));
        check(linker.linkBlock(lon, lat), taken ?? best(open, NEAR, counted), none);
        if (typeof link === 'string') continue;
        const ridden = open.filter((spot) => streets[spot.street].ridden !== 0);
        const toRide = best(ridden.filter(isHere), NEAR);
        const isSamePlace = toRide?.foot.join() === taken!.foot.join();
        const isSame = isSamePlace && toRide?.street === taken!.street;
        // Where two streets meet, they may be one chain.
        if (isSamePlace && !isSame) continue;
        check(linker.linkToRide(lon, lat, link), isSame ? null : toRide, null);
      }
    }));
});

/** A street to the east, some metres north of the middle, ridden in the given directions. */
const eastward = (north: number, ridden: number, traits = 0): Street => ({
  ends: north > 0 ? [0, 1] : [2, 3],
  shape: [
    [-50, north],
    [50, north],
  ],
  traits,
  times: [1_000, 1_000],
  isLocal: false,
  isCutOff: false,
  ridden,
  grades: [],
});

test('a bicycle starts elsewhere than its rider only where another spot is ridden', () => {
  const ends: Point[] = [
    [-50, 10],
    [50, 10],
    [-50, -10],
    [50, -10],
  ];
  const spots = (streets: readonly Street[]) => {
    const { linker } = linkerOf(ends, streets, [], false);
    const tied = linker.link(0, 0) as Link;
    const toRide = linker.linkToRide(0, 0, tied);
    const isOneChain = toRide?.chain === tied.chain;
    return [Math.round(tied.snap), toRide && Math.round(toRide.snap), isOneChain];
  };
  const walked = eastward(10, 0);
  expect(spots([walked, eastward(-20, 0)])).toEqual([10, null, false]);
  expect(spots([walked, eastward(-20, RIDE_FORWARD)])).toEqual([10, 20, false]);
  expect(spots([walked, eastward(-20, RIDE_BACKWARD)])).toEqual([10, 20, false]);
  expect(spots([eastward(10, RIDE_FORWARD), eastward(-20, RIDE_FORWARD)])).toEqual([
    10,
    null,
    false,
  ]);
  // The ridable spot may be equally far away, on another chain or on the same one.
  expect(spots([walked, eastward(-10, RIDE_FORWARD)])).toEqual([10, 10, false]);
  const around: Street = {
    ...walked,
    ends: [1, 2],
    shape: [ends[1], [50, -10], ends[2]],
    ridden: RIDE_FORWARD,
  };
  expect(spots([walked, around])).toEqual([10, 10, true]);
  // A ride may start on a bridge, where walks seldom begin.
  const bridge = eastward(10, RIDE_FORWARD, SELDOM_LINKED);
  expect(spots([bridge, eastward(-20, RIDE_FORWARD)])).toEqual([20, 10, false]);
});

test('no point, stop or block outside the street data is linked, however near a street is', () => {
  const coverage = { minLon: -1, minLat: -1, maxLon: 1, maxLat: 5 * METRE[1] };
  const { linker } = linkerOf(
    [
      [-50, 1],
      [50, 1],
    ],
    [eastward(1, 0)],
    [],
    false,
    coverage,
  );
  for (const kind of ['link', 'linkStop', 'linkBlock'] as const) {
    expect(Math.round((linker[kind](0, 4 * METRE[1]) as Link).snap)).toBe(3);
    expect(linker[kind](0, 6 * METRE[1])).toBe('outside-street-data');
  }
});

test('nothing is linked outside the box of the street data, or outside its outlines', () => {
  const boxes = [{ minLon: -2, minLat: -1, maxLon: 3, maxLat: 4 }, null] as const;
  const squares = [boxRing(-3, -3, 0, 3), boxRing(1, 1, 5, 3)];
  const outlines = [squares.map((ring) => ({ polygons: [[ring]] })), null] as const;
  for (const box of boxes) {
    for (const areas of outlines) {
      const covered = new CoveredArea(box, areas);
      for (let x = -4; x <= 6; x++) {
        for (let y = -4; y <= 6; y++) {
          const isInBox = box === null || (x >= -2 && x <= 3 && y >= -1 && y <= 4);
          const isInAreas =
            areas === null ||
            (x >= -3 && x <= 0 && y >= -3 && y <= 3) ||
            (x >= 1 && x <= 5 && y >= 1 && y <= 3);
          expect([x, y, covered.has(x, y)]).toEqual([x, y, isInBox && isInAreas]);
        }
      }
    }
  }
});
