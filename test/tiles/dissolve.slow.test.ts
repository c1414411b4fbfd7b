import fc from 'fast-check';
import type { GeometryCollection as GeoJsonCollection, MultiPolygon, Polygon } from 'geojson';
import { merge } from 'topojson-client';
import { topology } from 'topojson-server';
import type { GeometryCollection } from 'topojson-specification';
import { beforeAll, expect, inject, test } from 'vitest';
import { runToCompletion } from '../../shards/concurrency/run-to-completion.ts';
import { dissolve } from '../../shards/geometry/dissolve.ts';
import { polygonsOfAll } from '../../shards/geometry/geo-json.ts';
import { type Rings, twiceSignedArea } from '../../shards/geometry/rings.ts';
import { sharedBorderSteps } from '../../shards/geometry/shared-borders.ts';
import { isInside } from '../conformance/plain-geometry.ts';
import { forAll } from '../support/for-all.ts';
import { positions } from '../support/rings.ts';
import { type CountyOutlines, outlinesOf } from './block-outlines.ts';
import { areasOf, gridAreas } from './grid-areas.ts';
import { judge } from './validity.ts';

const SIDE = 9;
const CELL = 1000;
const GRID = gridAreas(SIDE, SIDE, CELL);
const cells = fc.array(fc.boolean(), { minLength: SIDE * SIDE, maxLength: SIDE * SIDE });
const chosen = (grid: readonly boolean[]) =>
  Uint32Array.from(grid.keys()).filter((cell) => grid[cell]);
const whole = (areas: Uint32Array, fillHolesBelow = 0) =>
  dissolve([{ outlines: GRID, areas }], fillHolesBelow);

let city: CountyOutlines[];
beforeAll(async () => {
  city = await outlinesOf(inject('demoStore'));
});

test('the union of any squares covers those squares and no others', () =>
  forAll(100, cells, (grid) => {
    const polygons = whole(chosen(grid));
    grid.forEach((inside, cell) => {
      const x = ((cell % SIDE) + 0.5) * CELL;
      const y = (Math.floor(cell / SIDE) + 0.5) * CELL;
      expect(polygonsAround(polygons, x, y)).toBe(inside ? 1 : 0);
    });
  }));

test('every ring is simple; shells turn left, holes turn right; a polygon is one piece', () =>
  forAll(100, cells, (grid) => {
    const polygons = whole(chosen(grid));
    for (let p = 0; p + 1 < polygons.firstRing.length; p++) {
      for (let r = polygons.firstRing[p]; r < polygons.firstRing[p + 1]; r++) {
        const [start, end] = [polygons.firstPoint[r], polygons.firstPoint[r + 1]];
        const area = twiceSignedArea(polygons.x, polygons.y, start, end);
        expect(Math.sign(area)).toBe(r === polygons.firstRing[p] ? 1 : -1);
        const points = Array.from({ length: end - start }, (_, i) =>
          [polygons.x[start + i], polygons.y[start + i]].join(),
        );
        expect(new Set(points).size).toBe(points.length);
      }
    }
    expect(polygons.firstRing.length - 1).toBe(piecesOf(grid));
  }));

test('GEOS finds every union valid and of the right area', async () => {
  const seed = 20_261_121;
  const grids = fc.sample(cells, { numRuns: 400, seed });
  // Nearly full and nearly empty grids have more holes and more pieces.
  const thinned = fc.sample(fc.array(fc.nat(3), { minLength: 81, maxLength: 81 }), {
    numRuns: 300,
    seed,
  });
  grids.push(...thinned.map((grid) => grid.map((roll) => roll > 0)));
  grids.push(...thinned.map((grid) => grid.map((roll) => roll === 0)));
  const filled = grids.filter((grid) => grid.includes(true));
  const verdicts = await judge(filled.map((grid) => polygonsOfAll(whole(chosen(grid)))));
  expect(verdicts).toHaveLength(filled.length);
  verdicts.forEach(({ valid, area }, i) => {
    expect({ grid: filled[i], valid }).toEqual({ grid: filled[i], valid: true });
    expect(area / (CELL * 1e-6) ** 2).toBeCloseTo(chosen(filled[i]).length, 6);
  });
});

test('the union depends neither on the side of a county line that areas are on, nor on their order', () =>
  forAll(100, cells, fc.nat(SIDE), (grid, line) => {
    const areas = chosen(grid);
    const west = areas.filter((cell) => cell % SIDE < line);
    const east = areas.filter((cell) => cell % SIDE >= line);
    const parts = [east, west].map((side) => ({ outlines: GRID, areas: side.reverse() }));
    expect(canonical(dissolve(parts, 0))).toEqual(canonical(whole(areas)));
  }));

test('small holes are filled, including their islands; large ones stay', () => {
  const map = [
    '#########',
    '#.......#',
    '#.#####.#',
    '#.#...#.#',
    '#.#.#.#.#',
    '#.#...#.#',
    '#.#####.#',
    '#.......#',
    '#########',
  ];
  const areas = chosen([...map.join('')].map((sign) => sign === '#'));
  const cellArea = (CELL * 0.111_195) ** 2;
  expect(shape(whole(areas))).toEqual([2, 2, 1]);
  expect(shape(whole(areas, cellArea * 8.5))).toEqual([2, 2, 1]);
  expect(shape(whole(areas, cellArea * 9.5))).toEqual([2, 1]);
  expect(shape(whole(areas, cellArea * 48.5))).toEqual([2, 1]);
  expect(shape(whole(areas, cellArea * 49.5))).toEqual([1]);
});

test('a hole that touches its shell stays a hole; pieces that touch are two polygons', () => {
  const touching = ['.###', '#.##', '####', '####'];
  const grid = gridAreas(4, 4, CELL);
  const of = (map: readonly string[]) =>
    dissolve([{ outlines: grid, areas: chosen([...map.join('')].map((s) => s === '#')) }], 0);
  expect(shape(of(touching))).toEqual([2]);
  expect(shape(of(['##..', '##..', '..##', '..##']))).toEqual([1, 1]);
});

test.each([
  ['on the neighbour’s edge', 0],
  ['a hair inside the neighbour', -1],
  ['a hair off the neighbour', 1],
])('a corner %s, missing from the neighbour, leaves no seam', (_, off) => {
  const areas = areasOf([
    positions('0 0, 2000 0, 2000 1000, 0 1000'),
    [
      [0, 1000],
      [1000, 1000 + off],
      [1000, 2000],
      [0, 2000],
    ],
    [
      [1000, 1000 + off],
      [2000, 1000],
      [2000, 2000],
      [1000, 2000],
    ],
  ]);
  const union = dissolve([{ outlines: areas, areas: Uint32Array.of(0, 1, 2) }], 0);
  expect(shape(union)).toEqual([1]);
  expect(twiceSignedArea(union.x, union.y, 0, union.firstPoint[1])).toBe(2 * 2000 * 2000);
});

test('blocks of two counties join as in topojson', async () => {
  const features = city.flatMap(({ outlines }, county) =>
    Array.from(outlines.geoids.keys(), (area) => ({ outlines, county, area })),
  );
  const geometries = features.map(({ outlines, area }): Polygon | MultiPolygon => ({
    type: 'MultiPolygon',
    coordinates: polygonsOfAll(onlyArea(outlines, area)),
  }));
  const collection: GeoJsonCollection = { type: 'GeometryCollection', geometries };
  const world = topology({ all: collection });
  const all = world.objects.all as GeometryCollection;
  await forAll(15, fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(), (share, seed) => {
    const isPicked = (_: unknown, i: number) => roll(i, seed) <= share;
    const picked = features.filter(isPicked);
    const parts = city.map(({ outlines }, county) => ({
      outlines,
      areas: Uint32Array.from(picked.filter((f) => f.county === county).map((f) => f.area)),
    }));
    const ours = dissolve(parts, 0);
    const theirs = merge(world, all.geometries.filter(isPicked) as Parameters<typeof merge>[1]);
    const sum = picked.reduce(
      (sum, f) => sum + area(polygonsOfAll(onlyArea(f.outlines, f.area))),
      0,
    );
    expect(area(polygonsOfAll(ours))).toBeCloseTo(sum, 12);
    for (let i = 0; i < 50; i++) {
      const { outlines, area } = features[(i * 7919 + seed) % features.length];
      const [x, y] = somewhereIn(outlines, area);
      // Rings of topojson may touch themselves: a point inside has an odd number of them around it.
      const inside = isInside(theirs.coordinates, x / 1e6, y / 1e6);
      expect(polygonsAround(ours, x, y)).toBe(inside ? 1 : 0);
    }
  });
});

test('precomputed shared borders give the same union, point by point', async () => {
  const borders = city.map(({ outlines }) => runToCompletion(sharedBorderSteps(outlines)));
  await forAll(25, fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(), (share, seed) => {
    const parts = city.map(({ outlines }, county) => ({
      outlines,
      areas: Uint32Array.from(outlines.geoids.keys()).filter(
        (area) => roll(area * city.length + county, seed) <= share,
      ),
    }));
    const withBorders = parts.map((part, county) => ({ ...part, borders: borders[county] }));
    expect(dissolve(withBorders, 1e4)).toEqual(dissolve(parts, 1e4));
  });
});

test('shared borders work for areas with holes, spurs, and corners missing from the neighbour', () => {
  // The second area lies in a hole of the first, and a corner of that hole is on its edge. The
  // third area has a spur, and a hole that no area fills.
  const areas: Rings = {
    firstRing: Uint32Array.of(0, 2, 3, 5),
    firstPoint: Uint32Array.of(0, 4, 9, 13, 20, 24),
    x: Int32Array.of(
      0,
      9,
      9,
      0,
      3,
      3,
      6,
      6,
      4,
      3,
      6,
      6,
      3,
      9,
      20,
      20,
      15,
      15,
      15,
      9,
      11,
      11,
      12,
      12,
    ).map((x) => x * CELL),
    y: Int32Array.of(0, 0, 9, 9, 3, 6, 6, 3, 3, 3, 3, 6, 6, 0, 0, 9, 9, 14, 9, 9, 2, 3, 3, 2).map(
      (y) => y * CELL,
    ),
  };
  const borders = runToCompletion(sharedBorderSteps(areas));
  for (let union = 0; union < 8; union++) {
    const chosen = Uint32Array.of(0, 1, 2).filter((area) => (union >> area) % 2 === 1);
    const part = { outlines: areas, areas: chosen };
    expect(dissolve([{ ...part, borders }], 0)).toEqual(dissolve([part], 0));
  }
});

test('all blocks of the city are one polygon without a hole', () => {
  const parts = city.map(({ outlines }) => ({
    outlines,
    areas: Uint32Array.from(outlines.geoids.keys()),
  }));
  expect(shape(dissolve(parts, 0))).toEqual([1]);
});

/** Number of rings of each polygon, most first. */
function shape({ firstRing }: Rings): number[] {
  return Array.from(firstRing.subarray(1), (end, p) => end - firstRing[p]).sort((a, b) => b - a);
}

function roll(i: number, seed: number): number {
  return (Math.imul(i + 1, 2_654_435_761 + (seed | 0)) >>> 0) / 2 ** 32;
}

function onlyArea(outlines: Rings, area: number): Rings {
  const rings = outlines.firstRing.slice(area, area + 2);
  return { ...outlines, firstRing: rings };
}

/** A point just inside the middle of an area's first edge. */
function somewhereIn({ firstRing, firstPoint, x, y }: Rings, area: number): [number, number] {
  const p = firstPoint[firstRing[area]];
  const [dx, dy] = [x[p + 1] - x[p], y[p + 1] - y[p]];
  const length = Math.hypot(dx, dy);
  return [(x[p] + x[p + 1]) / 2 - (0.3 * dy) / length, (y[p] + y[p + 1]) / 2 + (0.3 * dx) / length];
}

/** The number of polygons that contain a point: in the shell, and in no hole. */
function polygonsAround(polygons: Rings, x: number, y: number): number {
  return polygonsOfAll(polygons).filter((polygon) => isInside([polygon], x / 1e6, y / 1e6)).length;
}

/** Area of polygons in square degrees, without their holes. */
function area(polygons: readonly number[][][][]): number {
  let twice = 0;
  for (const polygon of polygons) {
    polygon.forEach((ring, hole) => {
      let ringTwice = 0;
      for (let i = 1; i < ring.length; i++) {
        const [x0, y0] = ring[0];
        const [[x1, y1], [x2, y2]] = [ring[i - 1], ring[i]];
        ringTwice += (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0);
      }
      twice += hole === 0 ? Math.abs(ringTwice) : -Math.abs(ringTwice);
    });
  }
  return twice / 2;
}

/** Pieces of a grid that are connected by sides. */
function piecesOf(grid: readonly boolean[]): number {
  const seen = new Set<number>();
  let pieces = 0;
  for (const start of grid.keys()) {
    if (!grid[start] || seen.has(start)) continue;
    pieces++;
    const open = [start];
    while (open.length > 0) {
      const cell = open.pop()!;
      if (seen.has(cell)) continue;
      seen.add(cell);
      const column = cell % SIDE;
      const near = [cell - SIDE, cell + SIDE];
      if (column > 0) near.push(cell - 1);
      if (column < SIDE - 1) near.push(cell + 1);
      open.push(...near.filter((next) => grid[next] && !seen.has(next)));
    }
  }
  return pieces;
}

/** Rings as strings that do not depend on their starting point or order. */
function canonical(polygons: Rings): string[][] {
  const ring = (r: number): string => {
    const points: string[] = [];
    for (let i = polygons.firstPoint[r]; i < polygons.firstPoint[r + 1]; i++) {
      points.push(`${polygons.x[i]},${polygons.y[i]}`);
    }
    const least = points.indexOf([...points].sort()[0]);
    return [...points.slice(least), ...points.slice(0, least)].join(' ');
  };
  return Array.from(polygons.firstRing.subarray(1), (end, p) => {
    const rings: string[] = [];
    for (let r = polygons.firstRing[p]; r < end; r++) rings.push(ring(r));
    return [rings[0], ...rings.slice(1).sort()];
  }).sort((a, b) => (a[0] < b[0] ? -1 : 1));
}
