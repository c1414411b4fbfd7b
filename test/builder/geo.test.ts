import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CellRectangle } from '../../builder/geo/cell-rectangle.ts';
import { CellSet, FINE_CELLS } from '../../builder/geo/cell-set.ts';
import { simplify } from '../../builder/geo/simplify.ts';
import type { Ring } from '../../shards/geometry/polygon.ts';
import { polygonFault } from '../../shards/geometry/sweep-line.ts';
import { forAll } from '../support/for-all.ts';
import { positions } from '../support/rings.ts';

/** A wobbly closed ring around the origin, with a radius of up to `size` degrees. */
const wobbly = (size: number): fc.Arbitrary<Ring> =>
  fc
    .array(fc.double({ min: 0.7, max: 1, noNaN: true }), { minLength: 8, maxLength: 60 })
    .map((radii) => {
      const ring = radii.map((radius, i) => {
        const angle = (i / radii.length) * 2 * Math.PI;
        return [size * radius * Math.cos(angle), size * radius * Math.sin(angle)] as const;
      });
      return [...ring, ring[0]];
    });

function distanceToRing([x, y]: readonly [number, number], ring: Ring): number {
  const distances = ring.slice(1).map(([bx, by], i) => {
    const [ax, ay] = ring[i];
    const length = Math.hypot(bx - ax, by - ay);
    const along = length === 0 ? 0 : ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length ** 2;
    const t = Math.max(0, Math.min(1, along));
    return Math.hypot(ax + t * (bx - ax) - x, ay + t * (by - ay) - y);
  });
  return Math.min(...distances);
}

test('a simplified area stays within the tolerance of every point, with fewer points, and stays valid', () =>
  forAll(
    100,
    wobbly(1),
    wobbly(0.3),
    fc.double({ min: 0, max: 0.5, noNaN: true }),
    (shell, hole, tolerance) => {
      const polygon = [shell, hole.toReversed()];
      const { polygons } = simplify({ polygons: [polygon] }, tolerance);
      expect(polygons).toHaveLength(1);
      expect(polygonFault(polygons[0])).toBeNull();
      for (const [r, ring] of polygons[0].entries()) {
        expect(ring.length).toBeGreaterThanOrEqual(4);
        expect(ring.at(-1)).toEqual(ring[0]);
        const points = new Set(polygon[r].map(String));
        expect(ring.every((position) => points.has(String(position)))).toBe(true);
        for (const position of polygon[r]) {
          expect(distanceToRing(position, ring)).toBeLessThanOrEqual(tolerance + 1e-12);
        }
      }
    },
  ));

test('an area that would vanish or self-intersect stays unchanged', () => {
  const sliver: Ring = [
    [0, 0],
    [1, 0],
    [1, 1e-6],
    [0, 0],
  ];
  expect(simplify({ polygons: [[sliver]] }, 0.1)).toEqual({ polygons: [[sliver]] });
  // Without its bay, the shell would run through the island's hole.
  const shell: Ring = positions('0 0, 10 0, 10 10, 5.2 10, 5 9.2, 4.8 10, 0 10, 0 0');
  const bay: Ring = positions('4.9 9.7, 5 9.9, 5.1 9.7, 4.9 9.7');
  const kept = simplify({ polygons: [[shell, bay]] }, 0.5).polygons[0];
  expect(kept).toEqual([shell, bay]);
});

const box = fc
  .record({
    minLon: fc.double({ min: -170, max: 170, noNaN: true }),
    minLat: fc.double({ min: -80, max: 80, noNaN: true }),
    width: fc.double({ min: 0, max: 0.5, noNaN: true }),
    height: fc.double({ min: 0, max: 0.5, noNaN: true }),
  })
  .map(({ minLon, minLat, width, height }) => {
    return { minLon, minLat, maxLon: minLon + width, maxLat: minLat + height };
  });
const share = fc.double({ min: 0, max: 1, noNaN: true });

test('a cover contains every point of its boxes, and no point more than a cell away from all of them', () =>
  forAll(100, fc.array(box, { minLength: 1, maxLength: 4 }), share, share, (boxes, x, y) => {
    const cover = new CellSet(FINE_CELLS);
    for (const part of boxes) cover.add(part);
    for (const { minLon, minLat, maxLon, maxLat } of boxes) {
      expect(cover.hasPoint(minLon + x * (maxLon - minLon), minLat + y * (maxLat - minLat))).toBe(
        true,
      );
    }
    const [lon, lat] = [-170 + 340 * x, -80 + 160 * y];
    const CELL = 0.01;
    const isNear = boxes.some(
      (b) =>
        lon > b.minLon - CELL &&
        lon < b.maxLon + CELL &&
        lat > b.minLat - CELL &&
        lat < b.maxLat + CELL,
    );
    if (!isNear) expect(cover.hasPoint(lon, lat)).toBe(false);
  }));

test('a cover clips a box to its bounds', () => {
  const cover = new CellSet(FINE_CELLS);
  cover.add({ minLon: 1, minLat: 1, maxLon: 2, maxLat: 2 });
  cover.add({ minLon: 3, minLat: 0, maxLon: 4, maxLat: 1 });
  const wide = { minLon: -9, minLat: 0.5, maxLon: 9, maxLat: 9 };
  expect(cover.clip(wide)).toEqual({ minLon: 1, minLat: 0.5, maxLon: 4, maxLat: 2 });
  expect(cover.clip({ minLon: 5, minLat: 0, maxLon: 6, maxLat: 1 })).toBe(null);
});

test('a cut across the longer side leaves each cell in one part, by its line', () => {
  const edge = (most: number) => fc.integer({ min: 0, max: most });
  const sides = fc.record({ west: edge(1_400), south: edge(700), width: edge(9), height: edge(9) });
  return forAll(200, sides, edge(8), ({ west, south, width, height }, wanted) => {
    const cells = CellRectangle.within([west, south, west + width, south + height]);
    if (cells.side === 1) return;
    const last = Math.min(wanted, cells.side - 2);
    const [before, after] = cells.cutAfter(last);
    const lines = new Set<number>();
    for (const cell of cells.touching(cells.box)) {
      if (!cells.has(cell)) continue;
      lines.add(cells.lineOf(cell));
      expect([before.has(cell), after.has(cell)]).toEqual(
        cells.lineOf(cell) <= last ? [true, false] : [false, true],
      );
    }
    expect([...lines].sort((a, b) => a - b)).toEqual([...Array(cells.side).keys()]);
  });
});
