import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildNetwork } from '../../builder/streets/build-network.ts';
import { CLOSED, modeCosts } from '../../builder/streets/mode-costs.ts';
import { withPlazaCrossings } from '../../builder/streets/plazas.ts';
import { AREA, WALK } from '../../builder/streets/trait-bits.ts';
import { type WayTime, wayTime } from '../../builder/streets/way-time.ts';
import { streetTraits } from '../../builder/streets/way-traits.ts';
import { forAll } from '../support/for-all.ts';
import { mappedStreets } from '../support/mapped-streets.ts';
import { positions } from '../support/rings.ts';
import { tagsOf } from '../support/tags.ts';
import { Dice } from '../transit/dice.ts';

/** A metre in degrees, to the east and to the north: so near to 0° the surface counts as flat. */
const UNIT = 1 / 111_195;

/** Seconds on foot from the first node to the last, by relaxing until nothing changes. */
function walk(points: readonly (readonly [number, number])[], ways: readonly [number[], string][]) {
  const times = new Map<number, WayTime>();
  ways.forEach(([, tags], w) => {
    const time = wayTime(tagsOf(tags));
    if (time) times.set(w, time);
  });
  const [mapped, nodes] = mappedStreets(
    points.map(([x, y]) => [x * UNIT, y * UNIT]),
    ways.map(([refs, tags]) => ({ refs, traits: streetTraits(tagsOf(tags)) })),
  );
  const network = buildNetwork({ ...mapped, times }, nodes);
  const { forward, backward } = modeCosts(network, 'walk');
  const isAt = (vertex: number, [x, y]: readonly [number, number]) =>
    network.vertexLon[vertex] === x * UNIT && network.vertexLat[vertex] === y * UNIT;
  const label = Array.from(network.vertexLon, (_, v) => (isAt(v, points[0]) ? 0 : Infinity));
  for (let round = 0; round < network.edgeCount; round++) {
    for (let e = 0; e < network.edgeCount; e++) {
      const [a, b] = [network.from[e], network.to[e]];
      if (forward[e] !== CLOSED) label[b] = Math.min(label[b], label[a] + forward[e]);
      if (backward[e] !== CLOSED) label[a] = Math.min(label[a], label[b] + backward[e]);
    }
  }
  return Math.min(...label.filter((_, v) => isAt(v, points[points.length - 1]))) / 1000;
}

const seconds = (metres: number) => metres / (4.8 / 3.6);
const PATH = 'highway=footway';
const PLAZA = 'highway=pedestrian, area=yes';
/** A path to one corner of a square of 100 m, and one from the opposite corner. */
const SQUARE = positions('-50 0, 0 0, 100 0, 100 100, 0 100, 150 100');
const ACROSS: [number[], string][] = [
  [[0, 1], PATH],
  [[3, 5], PATH],
];

test('a plaza is crossed on foot; an outline that is only a path is followed', () => {
  const ring = [1, 2, 3, 4, 1];
  expect(walk(SQUARE, [...ACROSS, [ring, PLAZA]])).toBeCloseTo(seconds(100 + 100 * Math.SQRT2), 0);
  expect(walk(SQUARE, [...ACROSS, [ring, 'highway=pedestrian']])).toBeCloseTo(seconds(300), 0);
});

test('a route across an L-shaped plaza goes by its inward corner, not outside it', () => {
  // An L, entered at the end of each arm; the straight line between these is outside.
  const points = positions('-10 100, 0 100, 0 0, 100 0, 100 20, 20 20, 20 100, 110 0');
  const paths: [number[], string][] = [
    [[0, 1], PATH],
    [[3, 7], PATH],
  ];
  const byTheCorner = 10 + Math.hypot(20, 80) + Math.hypot(80, 20) + 10;
  const found = walk(points, [...paths, [[1, 2, 3, 4, 5, 6, 1], PLAZA]]);
  expect(found).toBeCloseTo(seconds(byTheCorner), 0);
});

test.each<[string, string, number]>([
  ['half of its interval and its duration', ', duration=00:20, interval=00:30', 35 * 60],
  ['how long it says alone, and ten minutes of waiting', ', duration=5', 15 * 60],
  ['where it says nothing, ten minutes and 10 km/h', '', 10 * 60 + 1000 / (10 / 3.6)],
])('a ferry takes %s', (_, tags, expected) => {
  const points = positions('0 0, 400 0, 1000 0');
  const found = walk(points, [[[0, 1, 2], `route=ferry${tags}`]]);
  expect(Math.abs(found - expected)).toBeLessThan(3);
});

test('a ferry drawn as several ways has one wait, and another after each possible landing', () => {
  const points = [0, 300, 400, 1000].map((x) => [x, 0] as const);
  const ferry = 'route=ferry, duration=5, interval=20';
  const pieces: [number[], string][] = [
    [[0, 1], ferry],
    [[2, 1], 'route=ferry, duration=2, interval=10'],
    [[2, 3], ferry],
  ];
  expect(walk(points, pieces)).toBeCloseTo((10 + 5 + 2 + 5) * 60, 1);
  const pier: [number[], string] = [[4, 2], PATH];
  const withPier = [...points.slice(0, 3), points[3], [400, 50] as const];
  // The last point is where the pier ends: 10 minutes for the first two pieces.
  expect(walk(withPier, [...pieces, pier])).toBeCloseTo((10 + 5 + 2) * 60 + seconds(50), 0);
  const through = [points[0], points[1], points[2], withPier[4], points[3]];
  const landing: [number[], string][] = [pieces[0], pieces[1], [[2, 4], ferry], [[3, 2], PATH]];
  expect(walk(through, landing)).toBeCloseTo((20 + 12) * 60, 0);
});

test('a ferry for cars only takes no walkers; an elevator is a way that takes a minute', () => {
  const points = positions('0 0, 0 1');
  expect(streetTraits(tagsOf('route=ferry, foot=no'))).toBe(0);
  expect(walk(points, [[[0, 1], 'highway=elevator']])).toBe(60);
});

type Corner = readonly [x: number, y: number];

/** An outline around a point in either direction, with corners at random distances, some inward. */
function randomOutline(dice: Dice, [east, north]: Corner): Corner[] {
  const count = 3 + dice.below(7);
  const corners = Array.from({ length: count }, (_, i): Corner => {
    const angle = (2 * Math.PI * (i + 0.8 * dice.next())) / count;
    const radius = dice.between(10, 60);
    return [east + radius * Math.cos(angle), north + radius * Math.sin(angle)];
  });
  return dice.chance(0.5) ? corners : corners.reverse();
}

/** The angle from one direction to another, from -180 to 180 degrees, positive to the left. */
function turnBetween([ax, ay]: Corner, [bx, by]: Corner): number {
  const angle = ((Math.atan2(by, bx) - Math.atan2(ay, ax)) * 180) / Math.PI;
  return ((angle + 540) % 360) - 180;
}

const minus = ([ax, ay]: Corner, [bx, by]: Corner): Corner => [ax - bx, ay - by];

/** Whether an outline winds around a point, by the sum of the angles that its sides subtend. */
function windsAround(outline: readonly Corner[], point: Corner): boolean {
  const angles = outline.map((corner, i) =>
    turnBetween(minus(corner, point), minus(outline[(i + 1) % outline.length], point)),
  );
  return Math.abs(angles.reduce((sum, angle) => sum + angle, 0)) > 180;
}

/** Whether two segments without a common end cross between their ends, by Cramer's rule. */
function crosses([a, b]: readonly Corner[], [c, d]: readonly Corner[]): boolean {
  if ([a, b].includes(c) || [a, b].includes(d)) return false;
  const [ux, uy] = minus(b, a);
  const [vx, vy] = minus(d, c);
  const [wx, wy] = minus(c, a);
  const determinant = uy * vx - ux * vy;
  const along = (wy * vx - wx * vy) / determinant;
  const across = (ux * wy - uy * wx) / determinant;
  return along > 0 && along < 1 && across > 0 && across < 1;
}

test('straight ways lead across a plaza between entrances and inward corners in sight of each other', () =>
  forAll(150, fc.nat(), (seed) => {
    const dice = new Dice(seed);
    const outlines = Array.from({ length: 1 + dice.below(2) }, (_, i) =>
      randomOutline(dice, [300 * i, 0]),
    );
    const places: Corner[] = outlines.flat();
    const traits = outlines.map((_, i) => WALK | (i << 24) | (dice.chance(0.9) ? AREA : 0));
    const rings = outlines.map((outline, i) => {
      const first = outlines.slice(0, i).flat().length;
      return outline.map((_, at) => first + at);
    });
    const ways = rings.map((ring, i) => ({ refs: [...ring, ring[0]], traits: traits[i] }));
    const corners = places.length;
    for (let paths = dice.below(7); paths > 0; paths--) {
      places.push([dice.between(-500, 500), dice.between(100, 500)]);
      const refs = [dice.below(corners), places.length - 1];
      ways.splice(dice.below(ways.length + 1), 0, { refs, traits: WALK });
    }
    const isEntrance = (node: number) =>
      ways.some(({ refs }) => refs.length === 2 && refs[0] === node);
    const expected = ways.flatMap(({ refs, traits: own }) => {
      const outline = refs.slice(0, -1).map((node) => places[node]);
      if (!(own & AREA)) return [];
      const turns = outline.map((corner, i) => {
        const [before, after] = [i + outline.length - 1, i + 1].map((at) => at % outline.length);
        return turnBetween(minus(corner, outline[before]), minus(outline[after], corner));
      });
      const isLeft = turns.reduce((sum, turn) => sum + turn, 0) > 0;
      const ends = [...outline.keys()].filter(
        (i) => isEntrance(refs[i]) || turns[i] < 0 === isLeft,
      );
      return ends.flatMap((i) =>
        ends.flatMap((j) => {
          if (j - i < 2 || (i === 0 && j === outline.length - 1)) return [];
          const line = [outline[i], outline[j]];
          const middle: Corner = [(line[0][0] + line[1][0]) / 2, (line[0][1] + line[1][1]) / 2];
          const isFree = outline.every(
            (corner, k) => !crosses(line, [corner, outline[(k + 1) % outline.length]]),
          );
          return isFree && windsAround(outline, middle) ? [[refs[i], refs[j], own]] : [];
        }),
      );
    });
    const [mapped, nodes] = mappedStreets(
      places.map(([x, y]) => [x * UNIT, y * UNIT]),
      ways,
    );
    const crossed = withPlazaCrossings(mapped, nodes);
    const all = Array.from({ length: crossed.count }, (_, w) => [
      ...crossed.refs.subarray(crossed.firstRef[w], crossed.firstRef[w + 1]),
      crossed.traits[w],
    ]);
    expect(all.slice(0, ways.length)).toEqual(ways.map((way) => [...way.refs, way.traits]));
    expect(all.slice(ways.length)).toEqual(expected);
    // An added way has the id of its plaza.
    expect([...crossed.osmId]).toEqual(
      all.map((way, i) => (i < ways.length ? i : ways.findIndex((one) => one.traits === way[2]))),
    );
    expect([crossed.firstRef.length, crossed.refs.length]).toEqual([
      crossed.count + 1,
      crossed.firstRef[crossed.count],
    ]);
  }));

test('a plaza with up to sixty entrances is crossed; one with more is walked around', () => {
  const crossings = (entrances: number) => {
    const corners = Array.from({ length: entrances }, (_, i): Corner => {
      const angle = (2 * Math.PI * i) / entrances;
      return [100 * Math.cos(angle), 100 * Math.sin(angle)];
    });
    const ring = [...corners.keys(), 0];
    const paths = corners.map((_, i) => ({ refs: [i, entrances + i], traits: WALK }));
    const places = [...corners, ...corners.map(([x, y]) => [2 * x, 2 * y])];
    const [mapped, nodes] = mappedStreets(
      places.map(([x, y]) => [x * UNIT, y * UNIT]),
      [{ refs: ring, traits: WALK | AREA }, ...paths],
    );
    return withPlazaCrossings(mapped, nodes).count - 1 - entrances;
  };
  expect(crossings(60)).toBe((60 * 57) / 2);
  expect(crossings(61)).toBe(0);
});

test('an outline that is not closed is no plaza', () => {
  const square = positions('0 0, 100 0, 100 100, 0 100, 0 50');
  const ends = square.map((_, i) => ({ refs: [i, 5], traits: WALK }));
  const places = [...square, [300, 300]].map(([x, y]) => [x * UNIT, y * UNIT]);
  const across = (refs: readonly number[]) => {
    const [mapped, nodes] = mappedStreets(places, [{ refs, traits: WALK | AREA }, ...ends]);
    return withPlazaCrossings(mapped, nodes).count - 1 - ends.length;
  };
  expect(across([0, 1, 2, 3, 4, 0])).toBe(5);
  expect(across([0, 1, 2, 3, 4])).toBe(0);
});
