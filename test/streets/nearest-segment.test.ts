import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Impassable, NOTHING_IMPASSABLE } from '../../builder/streets/impassable.ts';
import type { StreetNetwork } from '../../builder/streets/network.ts';
import { StreetSegments } from '../../builder/streets/street-segments.ts';
import { forAll } from '../support/for-all.ts';

type Point = readonly [x: number, y: number];
type Line = readonly Point[];

const coordinate = fc.integer({ min: -6, max: 6 });
const point: fc.Arbitrary<Point> = fc.tuple(coordinate, coordinate);
const lineOf = (minLength: number, at = point) => fc.array(at, { minLength, maxLength: 4 });
/** One of so few points that streets are often at equal distances. */
const corner = fc.tuple(fc.nat(2), fc.nat(2));

/** Points of lines as flat arrays. */
function flat(lines: readonly Line[], [east, north]: readonly [number, number] = [1, 1]) {
  const ends = lines.map((_, i) => lines.slice(0, i + 1).flat().length);
  return {
    firstPoint: Uint32Array.of(0, ...ends),
    lon: Float64Array.from(lines.flat(), ([x]) => x * east),
    lat: Float64Array.from(lines.flat(), ([, y]) => y * north),
  };
}

const segmentsOf = (line: Line) => line.slice(1).map((to, i) => [line[i], to] as const);

describe('what cannot be crossed', () => {
  const impassable = (lines: readonly Line[]) =>
    new Impassable({ count: lines.length, ...flat(lines) });
  const cross = ([ax, ay]: Point, [bx, by]: Point, [cx, cy]: Point) =>
    (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);

  test('lies between two points if the straight line between them crosses any piece of it', () =>
    forAll(
      500,
      fc.array(lineOf(0), { maxLength: 4 }),
      fc.array(fc.tuple(point, point), { minLength: 1, maxLength: 4 }),
      (lines, ways) => {
        const between = impassable(lines);
        for (const [a, b] of ways) {
          const pieces = lines.flatMap(segmentsOf);
          // Where no three points are on a line, there is no doubt about what is crossed.
          const isClear = pieces.every(
            ([c, d]) => cross(a, b, c) && cross(a, b, d) && cross(c, d, a) && cross(c, d, b),
          );
          if (!isClear) continue;
          // The parts of the two lines before their crossing, by Cramer's rule.
          const crosses = pieces.some(([c, d]) => {
            const [ux, uy, vx, vy] = [b[0] - a[0], b[1] - a[1], d[0] - c[0], d[1] - c[1]];
            const [wx, wy] = [c[0] - a[0], c[1] - a[1]];
            const determinant = uy * vx - ux * vy;
            if (determinant === 0) return false;
            const along = (wy * vx - wx * vy) / determinant;
            const across = (ux * wy - uy * wx) / determinant;
            return along > 0 && along < 1 && across > 0 && across < 1;
          });
          expect(between.isBetween(...a, ...b)).toBe(crosses);
        }
      },
    ));

  const river: Line = [
    [0, -3],
    [0, 0],
    [0, 3],
  ];
  test.each<[string, boolean, Point, Point]>([
    ['through a bend', true, [-1, 0], [1, 0]],
    ['up to it', false, [-1, 1], [0, 1]],
    ['from it', false, [0, 1], [1, 1]],
    ['along it', false, [0, -1], [0, 1]],
    ['beyond its end', false, [-1, 4], [1, 4]],
  ])('a way %s crosses a line: %s', (_, crosses, a, b) => {
    expect(impassable([river]).isBetween(...a, ...b)).toBe(crosses);
    expect(impassable([river]).isBetween(...b, ...a)).toBe(crosses);
  });

  test('is nothing in an area without obstacles', () => {
    expect(NOTHING_IMPASSABLE.isBetween(-1, 0, 1, 0)).toBe(false);
  });
});

/** A metre at the equator in degrees, to the east and to the north. */
const METRE = [1 / 111_319.490793, 1 / 110_574.275822] as const;

test('the nearest permitted street counts its detour, and of equal ones the public one wins', () =>
  forAll(
    500,
    fc.array(
      fc.record({
        line: fc.oneof(lineOf(2), lineOf(2, corner)),
        isLocal: fc.boolean(),
        detour: fc.constantFrom(0, 0, 3),
        isIncluded: fc.integer({ min: 1, max: 5 }).map((n) => n > 1),
        isPermitted: fc.integer({ min: 1, max: 5 }).map((n) => n > 1),
      }),
      { minLength: 0, maxLength: 6 },
    ),
    fc.oneof(point, corner),
    fc.integer({ min: 1, max: 12 }),
    (streets, [x, y], radius) => {
      const { firstPoint, lon, lat } = flat(
        streets.map(({ line }) => line),
        METRE,
      );
      const network = {
        edgeCount: streets.length,
        firstPoint,
        pointLon: lon,
        pointLat: lat,
      } as Partial<StreetNetwork> as StreetNetwork;
      const isLocal = Uint8Array.from(streets, (street) => Number(street.isLocal));
      const segments = new StreetSegments(network, isLocal, (e) => streets[e].isIncluded);
      const found = segments.nearestWithin(
        x * METRE[0],
        y * METRE[1],
        // The margin keeps rounding from deciding about points on a grid.
        radius + 0.01,
        ({ edge }) => streets[edge].isPermitted,
        (edge) => streets[edge].detour,
      );
      const candidates = streets.flatMap(({ line, isIncluded, isPermitted, detour }, edge) => {
        if (!isIncluded || !isPermitted) return [];
        return segmentsOf(line).flatMap(([from, to], i) => {
          const distance = distanceTo([x, y], from, to);
          const mm = Math.round(1_000 * (distance + detour));
          return distance <= radius + 0.01 ? [{ edge, point: firstPoint[edge] + i, mm }] : [];
        });
      });
      candidates.sort(
        (a, b) =>
          a.mm - b.mm || isLocal[a.edge] - isLocal[b.edge] || a.edge - b.edge || a.point - b.point,
      );
      const [nearest] = candidates;
      if (nearest === undefined) {
        expect(found).toBeNull();
        return;
      }
      const { edge, point: at, t, distance } = found!;
      expect({ edge, point: at }).toEqual({ edge: nearest.edge, point: nearest.point });
      expect(1_000 * (distance + streets[edge].detour)).toBeCloseTo(nearest.mm, -1);
      const [a, b] = [0, 1].map((i) => streets[edge].line[at - firstPoint[edge] + i]);
      const foot: Point = [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])];
      expect(Math.hypot(foot[0] - x, foot[1] - y)).toBeCloseTo(distance, 3);
    },
  ));

/** Distance to a segment by ternary search, since the distance along it has one minimum. */
function distanceTo([x, y]: Point, from: Point, to: Point): number {
  const at = (t: number) =>
    Math.hypot(from[0] + t * (to[0] - from[0]) - x, from[1] + t * (to[1] - from[1]) - y);
  let [low, high] = [0, 1];
  for (let i = 0; i < 60; i++) {
    const [a, b] = [low + (high - low) / 3, high - (high - low) / 3];
    if (at(a) < at(b)) high = b;
    else low = a;
  }
  return at((low + high) / 2);
}
