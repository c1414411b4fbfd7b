import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { assemblePolygons, type MemberLine } from '../../builder/osm/multipolygon.ts';
import { pointInside, squareMetresOf } from '../../shards/geometry/planar.ts';
import type { Polygon, Ring } from '../../shards/geometry/polygon.ts';
import { BALTIMORE_OSM } from '../support/baltimore.ts';
import { ensureDebianPackage } from '../support/debian.ts';
import { forAll } from '../support/for-all.ts';
import { boxRing, positions } from '../support/rings.ts';
import { type OplElement, readWithOsmium } from './opl.ts';
import { Scratch } from './scratch.ts';

const scratch = new Scratch();

beforeAll(async () => {
  await ensureDebianPackage('osmium-tool', 'osmium');
  await ensureDebianPackage('gdal-bin', 'ogr2ogr');
});

describe('polygons of a real city', () => {
  test('have the areas GDAL gives them, and their points lie inside', () => {
    const areas = areasByGdal();
    expect(areas.size).toBeGreaterThan(2_000);
    const membersOf = memberLines(readWithOsmium(BALTIMORE_OSM));
    for (const [element, area] of areas) {
      const polygons = assemblePolygons(membersOf(element));
      expect(Math.abs(squareMetresOf(polygons) / area - 1), element).toBeLessThan(1e-4);
      const point = pointInside(polygons);
      const winding = polygons.reduce((sum, polygon) => sum + depthIn(polygon, point), 0);
      expect(winding, `${element} at ${point}`).toBe(1);
    }
  });
});

describe('the area of a polygon', () => {
  test('matches the ellipsoid, for boxes up to a kilometre anywhere in the country', () =>
    forAll(
      100,
      fc.double({ min: -170, max: -65, noNaN: true }),
      fc.double({ min: 17, max: 71, noNaN: true }),
      fc.double({ min: 1e-4, max: 1e-2, noNaN: true }),
      fc.double({ min: 1e-4, max: 1e-2, noNaN: true }),
      (lon, lat, width, height) => {
        const box = boxRing(lon, lat, lon + width, lat + height);
        const exact = ellipsoidArea(lon, lat, lon + width, lat + height);
        expect(Math.abs(squareMetresOf([[box]]) / exact - 1)).toBeLessThan(1e-5);
        expect(squareMetresOf([[box.toReversed()]])).toBeCloseTo(squareMetresOf([[box]]), 6);
      },
    ));

  test('adds up over polygons, and subtracts holes', () => {
    const [outer, hole] = [boxRing(0, 0, 0.01, 0.01), boxRing(0.002, 0.002, 0.007, 0.007)];
    const apart = boxRing(0.02, 0, 0.03, 0.01);
    expect(squareMetresOf([[outer, hole]]) / squareMetresOf([[outer]])).toBeCloseTo(0.75, 9);
    expect(squareMetresOf([[outer, hole], [apart]]) / squareMetresOf([[outer]])).toBeCloseTo(
      1.75,
      9,
    );
  });
});

describe('the point of a polygon', () => {
  test('is the centroid where that is inside', () => {
    const [lon, lat] = pointInside([[boxRing(-76.61, 39.28, -76.59, 39.29)]]);
    expect(lon).toBeCloseTo(-76.6, 9);
    expect(lat).toBeCloseTo(39.285, 9);
  });

  test('is in an arm of a U, and next to the hole of a ring', () => {
    const u = positions('0 0, 3 0, 3 3, 2 3, 2 0.5, 1 0.5, 1 3, 0 3, 0 0');
    expect(depthIn([u], pointInside([[u]]))).toBe(1);
    const round = [boxRing(0, 0, 3, 3), boxRing(1, 1, 2, 2)];
    expect(depthIn(round, pointInside([round]))).toBe(1);
  });

  test('is in the largest part', () => {
    const parts = [[boxRing(0, 0, 1, 1)], [boxRing(5, 0, 8, 3)], [boxRing(2, 0, 3, 1)]];
    expect(pointInside(parts)).toEqual([6.5, 1.5]);
  });

  test('is inside any polygon that does not cross itself, with or without holes', () =>
    forAll(100, starWithHole(), (polygon) => {
      expect(depthIn(polygon, pointInside([polygon]))).toBe(1);
    }));
});

describe('assembly of a multipolygon', () => {
  test('joins the pieces of its rings, whatever their order and direction', () =>
    forAll(100, starWithHole(), fc.integer({ min: 1, max: 5 }), fc.nat(), (polygon, n, seed) => {
      const [outer, inner] = polygon;
      const members = [...pieces(outer, 'outer', n, seed), ...pieces(inner, 'inner', n, seed)];
      const shuffled = members.map((member, i) => ({ member, at: (i * 7 + seed) % 11 }));
      shuffled.sort((a, b) => a.at - b.at);
      const [[ring, ...holes], ...others] = assemblePolygons(shuffled.map((s) => s.member));
      expect(others).toEqual([]);
      expect(corners(ring)).toEqual(corners(outer));
      expect(holes.map(corners)).toEqual([corners(inner)]);
    }));

  test('assigns a hole to the smallest ring around it', () => {
    const [wood, lake] = [boxRing(0, 0, 10, 10), boxRing(1, 1, 9, 9)];
    const [island, pond] = [boxRing(2, 2, 6, 6), boxRing(3, 3, 4, 4)];
    const polygons = assemblePolygons([
      { role: 'outer', positions: wood },
      { role: 'inner', positions: lake },
      { role: 'outer', positions: island },
      { role: 'inner', positions: pond },
    ]);
    expect(polygons).toEqual([
      [island, pond],
      [wood, lake],
    ]);
  });

  test('leaves out an incomplete ring, and keeps the others', () => {
    const [whole, cut] = [boxRing(0, 0, 1, 1), boxRing(2, 0, 3, 1).slice(0, 3)];
    const members = [whole, cut].map((positions) => ({ role: 'outer', positions }));
    expect(assemblePolygons(members)).toEqual([[whole]]);
    expect(assemblePolygons([{ role: 'outer', positions: cut }])).toEqual([]);
    expect(assemblePolygons([{ role: 'outer', positions: [] }])).toEqual([]);
  });
});

/** GDAL's own assembly, measured in an equal-area projection about the centre of the city, m². */
function areasByGdal(): Map<string, number> {
  const projection = '+proj=laea +lat_0=39.28 +lon_0=-76.57 +datum=WGS84 +units=m';
  const projected = scratch.path('areas.gpkg');
  execFileSync('ogr2ogr', ['-t_srs', projection, projected, BALTIMORE_OSM, 'multipolygons']);
  const sql = 'SELECT osm_id, osm_way_id, OGR_GEOM_AREA AS area FROM multipolygons';
  const query = ['-f', 'CSV', '/vsistdout/', projected, '-dialect', 'OGRSQL', '-sql', sql];
  const csv = execFileSync('ogr2ogr', query, { encoding: 'utf8' });
  const rows = csv.trim().split('\n').slice(1);
  return new Map(
    rows.map((row) => {
      const [relation, way, area] = row.replaceAll('"', '').split(',');
      return [relation ? `r${relation}` : `w${way}`, Number(area)];
    }),
  );
}

function memberLines(elements: readonly OplElement[]): (element: string) => MemberLine[] {
  const all = new Map(elements.map((element) => [element.type.charAt(0) + element.id, element]));
  const positionsOf = (way: string): Ring =>
    (all.get(way)?.refs ?? [])
      .map((ref) => all.get(`n${ref}`))
      .filter((node) => node !== undefined)
      .map(({ lon, lat }) => [Number(lon), Number(lat)]);
  return (element) => {
    const { type, members } = all.get(element)!;
    if (type === 'way') return [{ role: 'outer', positions: positionsOf(element) }];
    return members!
      .filter((member) => member.type === 'way')
      .map(({ ref, role }) => ({ role, positions: positionsOf(`w${ref}`) }));
  };
}

/** 1 inside a polygon, 0 outside and in its holes, by the winding of each ring about the point. */
function depthIn([outer, ...holes]: Polygon, point: Ring[number]): number {
  return Math.abs(turns(outer, point)) - holes.reduce((n, h) => n + Math.abs(turns(h, point)), 0);
}

function turns(ring: Ring, [x, y]: Ring[number]): number {
  let angle = 0;
  for (let i = 1; i < ring.length; i++) {
    const [ax, ay] = [ring[i - 1][0] - x, ring[i - 1][1] - y];
    const [bx, by] = [ring[i][0] - x, ring[i][1] - y];
    angle += Math.atan2(ax * by - ay * bx, ax * bx + ay * by);
  }
  return Math.round(angle / (2 * Math.PI));
}

/** Area of a box of parallels and meridians (Snyder, Map Projections, equation 3-12), m². */
function ellipsoidArea(west: number, south: number, east: number, north: number): number {
  const [a, f] = [6_378_137, 1 / 298.257223563];
  const e = Math.sqrt(f * (2 - f));
  const q = (degrees: number) => {
    const sin = Math.sin((degrees * Math.PI) / 180);
    const log = Math.log((1 - e * sin) / (1 + e * sin)) / (2 * e);
    return (1 - e * e) * (sin / (1 - e * e * sin * sin) - log);
  };
  return (((a * a) / 2) * (q(north) - q(south)) * (east - west) * Math.PI) / 180;
}

/** A star about a point, with a hole of the same shape at half the size. */
function starWithHole(): fc.Arbitrary<Polygon> {
  const radii = fc.array(fc.double({ min: 0.001, max: 0.02, noNaN: true }), {
    minLength: 5,
    maxLength: 24,
  });
  return radii.map((lengths) => {
    const scaled = (scale: number): Ring => {
      const points = lengths.map((r, i) => {
        const angle = (2 * Math.PI * i) / lengths.length;
        return [-76.6 + scale * r * Math.cos(angle), 39.3 + scale * r * Math.sin(angle)] as const;
      });
      return [...points, points[0]];
    };
    return [scaled(1), scaled(0.5)];
  });
}

/** Cuts a ring into at most `count` lines, some of them reversed. */
function pieces(ring: Ring, role: string, count: number, seed: number): MemberLine[] {
  const length = Math.ceil((ring.length - 1) / count);
  const lines: MemberLine[] = [];
  for (let at = 0; at < ring.length - 1; at += length) {
    const line = ring.slice(at, at + length + 1);
    lines.push({ role, positions: (seed >> lines.length) % 2 === 0 ? line : line.toReversed() });
  }
  return lines;
}

function corners(ring: Ring): string[] {
  return [...new Set(ring.map(String))].sort();
}

test('an inner ring whose first node touches an outer ring is a hole of the ring around it', () => {
  const square = (west: number): Ring => boxRing(west, 0, west + 10, 10);
  const hole: Ring = positions('10 5, 8 6, 7 5, 8 4, 10 5');
  const polygons = assemblePolygons([
    { role: 'outer', positions: square(0) },
    { role: 'outer', positions: square(10) },
    { role: 'inner', positions: hole },
  ]);
  const holes = polygons.map(([outer, ...holes]) => [Math.min(...outer.map(([x]) => x)), holes]);
  expect(new Map(holes as [number, Ring[]][])).toEqual(
    new Map([
      [0, [hole]],
      [10, []],
    ]),
  );
});
