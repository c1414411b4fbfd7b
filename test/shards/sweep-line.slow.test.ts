import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isWithin } from '../../shards/geometry/point-in-area.ts';
import type { Polygon, Ring } from '../../shards/geometry/polygon.ts';
import { ringsOf } from '../../shards/geometry/rings.ts';
import { polygonFault, SweepLine } from '../../shards/geometry/sweep-line.ts';
import { MICRO } from '../../shards/units.ts';
import { forAll } from '../support/for-all.ts';
import { boxRing } from '../support/rings.ts';
import { leastProcessorMs } from '../support/standard-work.ts';
import { type Cell, isOn, turn } from './exact-cells.ts';

const overlap = (polygons: readonly Polygon[]) => new SweepLine(polygons).fault() !== null;

const SIDE = 7;
const cell: fc.Arbitrary<Cell> = fc.tuple(fc.nat(SIDE), fc.nat(SIDE));
/**
 * Simple rings on a small grid, where corners and edges often meet. Simplicity is checked by
 * comparing all pairs of edges.
 */
const simpleRing = fc
  .uniqueArray(cell, { minLength: 3, maxLength: 6, selector: String })
  .filter((cells) => isSimple(cells))
  .map((cells): Ring => [...cells, cells[0]]);

function edgesOf(ring: Ring): (readonly [Cell, Cell])[] {
  return ring.slice(1).map((b, i) => [ring[i], b] as const);
}

function isSimple(cells: readonly Cell[]): boolean {
  const edges = edgesOf([...cells, cells[0]]);
  return edges.every(([a, b], i) =>
    edges.every(([c, d], j) => {
      if (i >= j) return true;
      const touches = [isOn(a, b, c), isOn(a, b, d), isOn(c, d, a), isOn(c, d, b)];
      const isNeighbour = j === i + 1 || (i === 0 && j === edges.length - 1);
      return touches.filter(Boolean).length <= (isNeighbour ? 2 : 0) && !crossing(a, b, c, d);
    }),
  );
}

/** Whether two edges pass through each other. */
function crossing(a: Cell, b: Cell, c: Cell, d: Cell): boolean {
  return turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0;
}

/** Whether two edges overlap along a stretch. */
function alongside(a: Cell, b: Cell, c: Cell, d: Cell): boolean {
  if (turn(a, b, c) !== 0 || turn(a, b, d) !== 0) return false;
  const common = [a, b, c, d].filter((p) => isOn(a, b, p) && isOn(c, d, p));
  return new Set(common.map(String)).size > 1;
}

/** Finds the side of a point by the angles at which the ring's edges are seen from it. */
function sideOf(ring: Ring, [x, y]: Cell): 'in' | 'on' | 'out' {
  let angle = 0;
  for (const [a, b] of edgesOf(ring)) {
    const [[ux, uy], [vx, vy]] = [
      [a[0] - x, a[1] - y],
      [b[0] - x, b[1] - y],
    ];
    const [cross, dot] = [ux * vy - uy * vx, ux * vx + uy * vy];
    if (Math.abs(cross) < 1e-9 && dot <= 1e-9) return 'on';
    angle += Math.atan2(cross, dot);
  }
  return Math.abs(angle) > Math.PI ? 'in' : 'out';
}

/** The midpoints of the pieces into which one ring's corners cut another. */
function middles(ring: Ring, other: Ring): Cell[] {
  return edgesOf(ring).flatMap(([a, b]) => {
    const far = ([x, y]: Cell) => Math.hypot(x - a[0], y - a[1]);
    const cuts = [a, ...other.filter((p) => isOn(a, b, p)), b].sort((p, q) => far(p) - far(q));
    return cuts
      .slice(1)
      .map(([x, y], i): Cell => [(x + cuts[i][0]) / 2, (y + cuts[i][1]) / 2])
      .filter((middle, i) => String(middle) !== String(cuts[i]));
  });
}

function anyPair(a: Ring, b: Ring, holds: typeof crossing): boolean {
  return edgesOf(a).some(([p, q]) => edgesOf(b).some(([r, s]) => holds(p, q, r, s)));
}

/** A point within a ring: the midpoint of a stretch between two of its crossings. */
function pointWithin(ring: Ring): Cell {
  const y = Math.min(...ring.map(([, cy]) => cy)) + 0.3719;
  const xs = edgesOf(ring)
    .filter(([[, y1], [, y2]]) => y1 > y !== y2 > y)
    .map(([[x1, y1], [x2, y2]]) => x1 + ((y - y1) / (y2 - y1)) * (x2 - x1))
    .sort((p, q) => p - q);
  return [(xs[0] + xs[1]) / 2, y];
}

/**
 * Whether a hole lies in its shell: no piece of its border is outside the shell, and none runs
 * along the shell's border.
 */
function isHoleIn(shell: Ring, hole: Ring): boolean {
  if (anyPair(shell, hole, crossing) || anyPair(shell, hole, alongside)) return false;
  return middles(hole, shell).every((middle) => sideOf(shell, middle) === 'in');
}

/**
 * Whether two rings overlap: the border of one is partly inside the other, or both are identical.
 */
function haveCommonGround(a: Ring, b: Ring): boolean {
  return (
    anyPair(a, b, crossing) ||
    middles(a, b).some((middle) => sideOf(b, middle) === 'in') ||
    middles(b, a).some((middle) => sideOf(a, middle) === 'in') ||
    sideOf(b, pointWithin(a)) === 'in'
  );
}

describe('a polygon is invalid', () => {
  test('where a hole is not in its shell, by the midpoints of its edges', async () => {
    const seen = { whole: 0, not: 0 };
    await forAll(8_000, simpleRing, simpleRing, (one, other) => {
      for (const [shell, hole] of [
        [one, other],
        [other, one],
      ]) {
        const isWhole = isHoleIn(shell, hole);
        seen[isWhole ? 'whole' : 'not']++;
        expect(polygonFault([shell, hole]) === null).toBe(isWhole);
        expect(polygonFault([shell.toReversed(), hole]) === null).toBe(isWhole);
      }
    });
    expect(Math.min(seen.whole, seen.not)).toBeGreaterThan(20);
  });

  test('where holes overlap or run along each other', async () => {
    const shell: Ring = boxRing(-1, -1, SIDE + 1, SIDE + 1);
    await forAll(3_000, simpleRing, simpleRing, (a, b) => {
      const isFault = haveCommonGround(a, b) || anyPair(a, b, alongside);
      expect(polygonFault([shell, a, b]) !== null).toBe(isFault);
    });
  });
});

test('polygons overlap where they share ground, not where they share only a border', async () => {
  await forAll(3_000, simpleRing, simpleRing, (a, b) => {
    expect(overlap([[a], [b]])).toBe(haveCommonGround(a, b));
  });
  const square = (x: number): Polygon => [boxRing(x, 0, x + 2, 2)];
  expect(overlap([square(0), square(2), square(4)])).toBe(false);
  expect(overlap([square(0), square(4), square(0)])).toBe(true);
});

test('a hole must lie in the shell it is given with', () => {
  const square = (x: number, side: number): Ring => boxRing(x, 0, x + side, side);
  const inner = square(1, 1).map(([x, y]): Cell => [x, y + 1]);
  expect(new SweepLine([[square(0, 9), inner], [square(20, 9)]]).fault()).toBeNull();
  expect(new SweepLine([[square(0, 9)], [square(20, 9), inner]]).fault()).toBe('hole');
  expect(new SweepLine([[square(20, 9), inner], [square(0, 9)]]).fault()).toBe('hole');
});

test('a polygon in the hole of another does not overlap it', () => {
  const square = (half: number): Ring => boxRing(-half, -half, half, half);
  expect(overlap([[square(9), square(6)], [square(6)]])).toBe(false);
  expect(overlap([[square(9), square(6)], [square(7)]])).toBe(true);
});

test('point-in-polygon tests agree with ray casting, in any query order', async () => {
  const micro = (ring: Ring): Ring => ring.map(([x, y]) => [x / MICRO, y / MICRO] as const);
  const points = fc.array(fc.tuple(fc.nat(2 * SIDE), fc.nat(2 * SIDE)), { maxLength: 40 });
  await forAll(3_000, simpleRing, simpleRing, points, fc.boolean(), (a, b, asked, isSorted) => {
    const polygons = isHoleIn(a, b) ? [[a, b]] : haveCommonGround(a, b) ? [[a]] : [[a], [b]];
    const sweep = new SweepLine(polygons);
    expect(sweep.fault()).toBeNull();
    const areas = polygons.map((polygon) => ringsOf([{ polygons: [polygon.map(micro)] }]));
    if (isSorted) asked.sort(([x1], [x2]) => x1 - x2);
    for (const [x, y] of asked.map(([p, q]): Cell => [p / 2, q / 2])) {
      expect(sweep.isInside(x, y)).toBe(areas.some((area) => isWithin(area, 0, x, y)));
    }
  });
});

describe('2,000 edges of any shape take less than ten times as long as 500', () => {
  /** A comb whose teeth span its whole width or height: the box of each edge meets all others. */
  const comb = (edges: number, isUpright: boolean): Ring => {
    const cells = Array.from({ length: edges - 2 }, (_, i): Cell => [i % 2 ? 90 : 1, i]);
    const ring: Cell[] = [...cells, [100, edges], [100, -1], cells[0]];
    return isUpright ? ring : ring.map(([x, y]) => [y, x]);
  };
  /** A fan, whose edges run side by side, a hair apart, between the same two x. */
  const fan = (edges: number): Ring => {
    const half = edges / 2 - 1;
    const out = Array.from({ length: half }, (_, i): Cell => [i % 2 ? 50 : 0, i / edges / 8]);
    return [...out, [60, 1], [60, -1], out[0]];
  };
  const star = (edges: number): Ring => {
    const cells = Array.from({ length: edges }, (_, i): Cell => {
      const [angle, radius] = [(2 * Math.PI * i) / edges, i % 2 ? 1 : 50];
      return [radius * Math.cos(angle), radius * Math.sin(angle)];
    });
    return [...cells, cells[0]];
  };
  const shapes: Readonly<Record<string, (edges: number) => Ring>> = {
    'a comb that lies': (edges) => comb(edges, false),
    'a comb that stands': (edges) => comb(edges, true),
    'a fan': fan,
    'a star': star,
  };
  const timeOf = (ring: Ring): Promise<number> =>
    leastProcessorMs(() => expect(polygonFault([ring])).toBeNull(), 7);

  test.each(Object.entries(shapes))('%s', async (_, shape) => {
    await timeOf(shape(500));
    const [few, many] = [await timeOf(shape(500)), await timeOf(shape(2_000))];
    // Comparing all pairs would take sixteen times as long.
    expect(many / few).toBeLessThan(10);
  });
});
