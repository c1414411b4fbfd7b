import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AreaIndex } from '../../shards/geometry/area-index.ts';
import { polygonsOf } from '../../shards/geometry/geo-json.ts';
import { isWithin, sideOf } from '../../shards/geometry/point-in-area.ts';
import type { Polygon, Ring } from '../../shards/geometry/polygon.ts';
import { ringsOf } from '../../shards/geometry/rings.ts';
import { polygonFault } from '../../shards/geometry/sweep-line.ts';
import { MICRO } from '../../shards/units.ts';
import { forAll } from '../support/for-all.ts';
import { positions } from '../support/rings.ts';
import { type Cell, isOn, turn } from './exact-cells.ts';

/** Cells of a small grid: points, corners and borders often coincide. */
const SIDE = 8;
const cell: fc.Arbitrary<Cell> = fc.tuple(fc.nat(SIDE), fc.nat(SIDE));

function closed(cells: readonly Cell[]): Ring {
  return [...cells, cells[0]];
}

/** A closed ring in degrees, from one in whole micro-degrees. */
function ringOf(cells: readonly Cell[]): Ring {
  return closed(cells).map(([x, y]) => [x / MICRO, y / MICRO] as const);
}

/** A simple ring around (0, 0): its corners are sorted by direction. */
const starCells = fc
  .uniqueArray(fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 })), {
    minLength: 3,
    maxLength: 12,
    selector: ([x, y]) => Math.atan2(y, x).toFixed(9),
  })
  .map((cells) =>
    cells
      .filter(([x, y]) => x !== 0 || y !== 0)
      .sort(([x1, y1], [x2, y2]) => Math.atan2(y1, x1) - Math.atan2(y2, x2)),
  )
  .filter((cells) => cells.length >= 3 && !crossesByCounting(cells));

/** Finds the side by the winding number, a sum of angles: independent of crossing counts. */
function sideByWinding(cells: readonly Cell[], p: Cell): 'inside' | 'border' | 'outside' {
  let angle = 0;
  for (const [i, a] of cells.entries()) {
    const b = cells[(i + 1) % cells.length];
    if (isOn(a, b, p)) return 'border';
    const [u, v] = [a, b].map(([x, y]) => [x - p[0], y - p[1]]);
    angle += Math.atan2(u[0] * v[1] - u[1] * v[0], u[0] * v[0] + u[1] * v[1]);
  }
  return Math.abs(angle) > Math.PI ? 'inside' : 'outside';
}

/** Whether any two edges of a ring share more than the corner between neighbours. */
function crossesByCounting(cells: readonly Cell[]): boolean {
  const n = cells.length;
  const edge = (i: number) => [cells[i % n], cells[(i + 1) % n]] as const;
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) {
      const [[a, b], [c, d]] = [edge(i), edge(j)];
      const shared = [a, b].filter((p) => [c, d].some((q) => p[0] === q[0] && p[1] === q[1]));
      const isNeighbour = j === i + 1 || (i === 0 && j === n - 1);
      const touches = [isOn(a, b, c), isOn(a, b, d), isOn(c, d, a), isOn(c, d, b)];
      const proper =
        Math.sign(turn(a, b, c)) * Math.sign(turn(a, b, d)) < 0 &&
        Math.sign(turn(c, d, a)) * Math.sign(turn(c, d, b)) < 0;
      if (proper) return true;
      // Neighbours share one corner, which counts for two of the four touches.
      if (isNeighbour ? touches.filter(Boolean).length > 2 : touches.some(Boolean)) return true;
      if (isNeighbour && shared.length > 1) return true;
    }
  }
  return false;
}

const area = (...polygons: Polygon[]) => ringsOf([{ polygons }]);

test('a point is inside, outside or on the border according to the winding number', () =>
  forAll(
    1000,
    starCells,
    fc.tuple(fc.integer({ min: -10, max: 10 }), fc.integer({ min: -10, max: 10 })),
    fc.boolean(),
    (cells, p, reversed) => {
      const rings = area([ringOf(reversed ? cells.toReversed() : cells)]);
      expect(sideOf(rings, 0, ...p)).toBe(sideByWinding(cells, p));
    },
  ));

test('a hole is outside, its border is border, and an island in it is inside', () => {
  const square = (half: number): Cell[] => [
    [-half, -half],
    [half, -half],
    [half, half],
    [-half, half],
  ];
  const rings = area([ringOf(square(9)), ringOf(square(6).toReversed())], [ringOf(square(3))]);
  const sides = [0, 3, 4, 6, 7, 9, 10].map((x) => sideOf(rings, 0, x, 1));
  const expected = ['inside', 'border', 'outside', 'border', 'inside', 'border', 'outside'];
  expect(sides).toEqual(expected);
});

describe('areas that tile a square', () => {
  /** One side of the rim. Any two neighbours on the rim form a triangle with the centre. */
  const rim = [...Array(SIDE).keys()].flatMap((i): Cell[] => [[i, 0]]);
  const outline: Cell[] = [
    ...rim,
    ...rim.map(([i]): Cell => [SIDE, i]),
    ...rim.map(([i]): Cell => [SIDE - i, SIDE]),
    ...rim.map(([i]): Cell => [0, SIDE - i]),
  ];
  const inner = fc.tuple(
    fc.integer({ min: 1, max: SIDE - 1 }),
    fc.integer({ min: 1, max: SIDE - 1 }),
  );

  test('contain each point exactly once, also on borders, and an index finds all areas that it touches', () =>
    forAll(500, inner, inner, (middle, p) => {
      const triangles = outline.map((a, i) => [middle, a, outline[(i + 1) % outline.length]]);
      const rings = ringsOf(triangles.map((cells) => ({ polygons: [[ringOf(cells)]] })));
      const owners = triangles.filter((_, i) => isWithin(rings, i, ...p));
      expect(owners).toHaveLength(1);
      const touched = triangles.flatMap((cells, i) =>
        sideByWinding(cells, p) === 'outside' ? [] : [i],
      );
      expect(new AreaIndex(rings).at(...p)).toEqual(touched);
    }));
});

test('an index of no areas finds none', () => {
  const index = new AreaIndex(ringsOf([]));
  expect(index.at(0, 0)).toEqual([]);
  expect(index.inBox(-1, -1, 1, 1)).toEqual([]);
});

describe('detecting a ring that crosses itself', () => {
  test('agrees with comparing all pairs of edges', () =>
    forAll(2000, fc.array(cell, { minLength: 3, maxLength: 7 }), (cells) => {
      fc.pre(
        cells.every(([x, y], i) => {
          const [nextX, nextY] = cells[(i + 1) % cells.length];
          return x !== nextX || y !== nextY;
        }),
      );
      expect(polygonFault([closed(cells)]) !== null).toBe(crossesByCounting(cells));
    }));

  test('includes two rings that share more than points', () => {
    const square = (x: number, side: number): Cell[] => [
      [x, x],
      [x + side, x],
      [x + side, x + side],
      [x, x + side],
    ];
    const both = (a: Cell[], b: Cell[]) => polygonFault([closed(a), closed(b)]) !== null;
    expect(both(square(0, 9), square(3, 3))).toBe(false);
    expect(both(square(0, 9), square(3, 9))).toBe(true);
    // A hole may touch its shell at a corner, but not run along it.
    expect(both(square(0, 9), positions('0 4, 3 3, 3 5'))).toBe(false);
    expect(both(square(0, 9), positions('0 4, 3 3, 3 5, 0 5'))).toBe(true);
  });
});

test('an area is rebuilt from rings as its original polygons, shells with their holes', async () => {
  const hole: Cell[] = positions('-1 -1, -1 1, 1 1, 1 -1');
  const shell = (x: number): Cell[] => [
    [x - 5, -5],
    [x + 5, -5],
    [x + 5, 5],
    [x - 5, 5],
  ];
  await forAll(100, fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }), (withHole) => {
    const polygons = withHole.map((has, i) => {
      const moved = hole.map(([x, y]): Cell => [x + 20 * i, y]);
      return has ? [ringOf(shell(20 * i)), ringOf(moved)] : [ringOf(shell(20 * i))];
    });
    const other = [[ringOf(shell(-90))]];
    const rings = ringsOf([{ polygons: other[0].map((ring) => [ring]) }, { polygons }]);
    expect(polygonsOf(rings, 1)).toEqual(polygons);
  });
});
