import { expect, test } from 'vitest';
import { buildNetwork } from '../../builder/streets/build-network.ts';
import { CLOSED, modeCosts } from '../../builder/streets/mode-costs.ts';
import { type WayTime, wayTime } from '../../builder/streets/way-time.ts';
import { streetTraits } from '../../builder/streets/way-traits.ts';
import { mappedStreets } from '../support/mapped-streets.ts';
import { positions } from '../support/rings.ts';
import { tagsOf } from '../support/tags.ts';

/** Degrees are so small here that the surface is flat: one unit is a metre in both coordinates. */
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

test('a plaza is crossed on foot, an outline that is only a path is followed', () => {
  const ring = [1, 2, 3, 4, 1];
  expect(walk(SQUARE, [...ACROSS, [ring, PLAZA]])).toBeCloseTo(seconds(100 + 100 * Math.SQRT2), 0);
  expect(walk(SQUARE, [...ACROSS, [ring, 'highway=pedestrian']])).toBeCloseTo(seconds(300), 0);
});

test('routes go around areas outside the plaza, by its inward corner', () => {
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
