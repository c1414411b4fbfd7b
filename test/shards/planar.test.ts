import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pointInside, squareMetresOf } from '../../shards/geometry/planar.ts';
import type { Ring } from '../../shards/geometry/polygon.ts';
import { forAll } from '../support/for-all.ts';
import { boxRing, positions } from '../support/rings.ts';

const RUNS = 2_000;
/** Cells of a grid, of about 10 m, with corners that often coincide. */
const CELL = 1e-4;
const SIDE = 6;

/** Any closed walk over the corners of the grid: bow ties, spikes, loops, lines there and back. */
const anyRing: fc.Arbitrary<Ring> = fc
  .array(fc.tuple(fc.nat(SIDE), fc.nat(SIDE)), { minLength: 3, maxLength: 9 })
  .map((cells) => [...cells, cells[0]].map(([x, y]) => [x * CELL - 70, y * CELL + 36] as const));

/** A rectangle in any direction, whose corners are in the order of a Z. */
const zRectangle: fc.Arbitrary<Ring> = fc
  .record({
    lon: fc.double({ min: -125, max: -65, noNaN: true }),
    lat: fc.double({ min: 18, max: 70, noNaN: true }),
    width: fc.double({ min: 1e-4, max: 1e-2, noNaN: true }),
    height: fc.double({ min: 1e-4, max: 1e-2, noNaN: true }),
    turned: fc.double({ min: 0, max: Math.PI, noNaN: true }),
  })
  .map(({ lon, lat, width, height, turned }) => {
    const [cos, sin] = [Math.cos(turned), Math.sin(turned)];
    return positions('0 0, 1 0, 0 1, 1 1, 0 0').map(([x, y]) => [
      toOsm(lon + x * width * cos - y * height * sin),
      toOsm(lat + x * width * sin + y * height * cos),
    ]);
  });

/** A coordinate as OpenStreetMap has it, of seven decimals. */
function toOsm(degrees: number): number {
  return Math.round(degrees * 1e7) / 1e7;
}

/** Whether a ring goes an odd number of times around a point, by the sum of angles. */
function isAround(ring: Ring, [px, py]: Ring[number]): boolean {
  let angle = 0;
  for (let i = 1; i < ring.length; i++) {
    const [[ux, uy], [vx, vy]] = [ring[i - 1], ring[i]].map(([x, y]) => [x - px, y - py]);
    angle += Math.atan2(ux * vy - uy * vx, ux * vx + uy * vy);
  }
  return Math.round(angle / (2 * Math.PI)) % 2 !== 0;
}

/** Whether any of many points of the grid, none of them on an edge, is inside. */
function hasInside(ring: Ring): boolean {
  const steps = Array.from({ length: 8 * SIDE }, (_, i) => (i + Math.SQRT1_2) / 8);
  return steps.some((x) =>
    steps.some((y) => isAround(ring, [x * CELL - 70, (y + 1e-3) * CELL + 36])),
  );
}

/** Whether a point is inside a ring, or on a level edge with the inside north or south of it. */
function isWithin(ring: Ring, [lon, lat]: Ring[number]): boolean {
  return [1e-5, -1e-5].some((north) => isAround(ring, [lon, lat + north * CELL]));
}

/** How far a point is from the box of a ring, or from its nearest edge. */
function distances(ring: Ring, [x, y]: Ring[number]): { toBox: number; toEdge: number } {
  const [xs, ys] = [ring.map(([lon]) => lon), ring.map(([, lat]) => lat)];
  const dx = Math.max(Math.min(...xs) - x, 0, x - Math.max(...xs));
  const dy = Math.max(Math.min(...ys) - y, 0, y - Math.max(...ys));
  const toEdges = ring.slice(1).map(([bx, by], i) => {
    const [ax, ay] = ring[i];
    const squared = (bx - ax) ** 2 + (by - ay) ** 2;
    const along = squared && ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / squared;
    const t = Math.max(0, Math.min(1, along));
    return Math.hypot(ax + t * (bx - ax) - x, ay + t * (by - ay) - y);
  });
  return { toBox: Math.hypot(dx, dy), toEdge: Math.min(...toEdges) };
}

describe('an outline that may cross itself', () => {
  test('has its point inside if it has an inside, and else on it', () =>
    forAll(RUNS, anyRing, (ring) => {
      const point = pointInside([[ring]]);
      expect(distances(ring, point).toBox).toBe(0);
      if (hasInside(ring)) expect(isWithin(ring, point), `${point}`).toBe(true);
      else expect(distances(ring, point).toEdge).toBeLessThan(CELL / 2);
      expect(squareMetresOf([[ring]])).toBeGreaterThanOrEqual(0);
    }));

  test('has its point inside, whatever holes cross or exceed it', () =>
    forAll(RUNS, anyRing, anyRing, anyRing, (shell, hole, other) => {
      const point = pointInside([[shell, hole, other]]);
      expect(distances(shell, point).toBox).toBe(0);
      if (hasInside(shell)) expect(isWithin(shell, point), `${point}`).toBe(true);
      expect(squareMetresOf([[shell, hole, other]])).toBeGreaterThanOrEqual(0);
    }));

  test('has its point beside a hole that reaches out of it', () => {
    const [shell, hole] = [boxRing(0, 0, 4, 2), boxRing(1, -1, 9, 3)];
    expect(pointInside([[shell, hole]])).toEqual([0.5, 1]);
    expect(squareMetresOf([[shell, hole], [shell]])).toBe(squareMetresOf([[shell]]));
  });

  test('has its point in one of two loops whose areas cancel', () =>
    forAll(RUNS, zRectangle, (ring) => {
      const point = pointInside([[ring]]);
      expect(isAround(ring, point), `${ring} has ${point}`).toBe(true);
      expect(distances(ring, point).toBox).toBe(0);
      expect(squareMetresOf([[ring]])).toBeGreaterThanOrEqual(0);
    }));

  test('that is only a line there and back has a corner', () => {
    for (const line of ['-70 36, -70 36.1, -70 36', '-70 36, -69.9 36, -70 36', '-70 36, -70 36']) {
      const ring = positions(line);
      expect(ring).toContainEqual(pointInside([[ring]]));
      expect(squareMetresOf([[ring]])).toBe(0);
    }
  });

  test('gives way to a part that has an inside', () => {
    const line = positions('-70 36, -69 37, -70 36');
    const [lon, lat] = pointInside([[line], [boxRing(-71, 35, -70.5, 35.5)]]);
    expect(lon).toBeCloseTo(-70.75, 9);
    expect(lat).toBeCloseTo(35.25, 9);
  });
});
