import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BUFFER } from '../../builder/tiles/cut-into-tiles.ts';
import { cutLines } from '../../builder/tiles/cut-lines.ts';
import { EXTENT } from '../../builder/tiles/fit-to-zoom.ts';
import { joinLines } from '../../builder/tiles/join-lines.ts';
import { PathList, type TileLines } from '../../builder/tiles/path-list.ts';
import { forAll } from '../support/for-all.ts';

type Point = readonly [x: number, y: number];

function linesOf(paths: readonly (readonly Point[])[]): TileLines {
  const list = new PathList();
  for (const path of paths) {
    for (const [x, y] of path) list.add(x, y);
    if (list.openLength < 2) list.drop();
    else list.end();
  }
  return list.rings();
}

function pathsIn({ firstPoint, x, y }: TileLines): Point[][] {
  return Array.from({ length: firstPoint.length - 1 }, (_, line) =>
    Array.from({ length: firstPoint[line + 1] - firstPoint[line] }, (_, i): Point => {
      return [x[firstPoint[line] + i], y[firstPoint[line] + i]];
    }),
  );
}

/** The edges of lines, each as text, sorted. */
function edgesOf(paths: readonly (readonly Point[])[], isDirected: boolean): string[] {
  return paths
    .flatMap((path) => path.slice(1).map((to, i) => [String(path[i]), String(to)]))
    .map((edge) => (isDirected ? edge : edge.sort()).join(' to '))
    .sort();
}

/** Lines on so few points that they often meet. */
const crossroads = fc.array(
  fc.array(fc.tuple(fc.nat(3), fc.nat(3)), { minLength: 2, maxLength: 3 }),
  { maxLength: 8 },
);

test.each([true, false])(
  'joined lines have the same edges, and no two are left to join: keeping directions %s',
  (keepsDirection) =>
    forAll(500, crossroads, (paths) => {
      const before = pathsIn(linesOf(paths));
      const after = pathsIn(joinLines(linesOf(paths), keepsDirection));
      expect(edgesOf(after, keepsDirection)).toEqual(edgesOf(before, keepsDirection));
      const ends = (of: readonly Point[][]) => {
        const counts = new Map<string, string[]>();
        of.forEach((path, line) => {
          for (const [place, point] of [
            ['start', path[0]],
            ['end', path.at(-1)!],
          ] as const) {
            const there = counts.get(String(point)) ?? [];
            counts.set(String(point), [...there, `${place} of ${line}`]);
          }
        });
        return counts;
      };
      // Where exactly two ends of different lines met before, at most one line still ends.
      for (const [point, met] of ends(before)) {
        const places = met.map((one) => one.split(' of '));
        const isPair = met.length === 2 && places[0][1] !== places[1][1];
        const fits = !keepsDirection || places[0]?.[0] !== places[1]?.[0];
        if (!isPair || !fits) continue;
        const left = ends(after).get(point) ?? [];
        const isLoop = left.length === 2 && left[0].split(' of ')[1] === left[1].split(' of ')[1];
        expect({ point, isLeft: left.length > 0 && !isLoop }).toEqual({ point, isLeft: false });
      }
    }),
);

const RANGE = { west: 0, north: 0, east: 2, south: 2 };
const far = fc.integer({ min: -EXTENT, max: 4 * EXTENT });
const long = fc.array(fc.tuple(far, far), { minLength: 2, maxLength: 6 });

function distance([x, y]: Point, [ax, ay]: Point, [bx, by]: Point): number {
  const [dx, dy] = [bx - ax, by - ay];
  const along = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1);
  const t = Math.min(1, Math.max(0, along));
  return Math.hypot(ax + t * dx - x, ay + t * dy - y);
}

function isOn(point: Point, paths: readonly (readonly Point[])[]): boolean {
  return paths.some((path) => path.slice(1).some((to, i) => distance(point, path[i], to) < 2));
}

test('a tile has those points of a line that are in it or in its buffer, and no others', () =>
  forAll(100, long, (path) => {
    const lines = linesOf([path]);
    const whole = pathsIn(lines);
    const tiles = new Map<string, Point[][]>();
    cutLines(lines, RANGE, (tileX, tileY, { x, y, start, end }) => {
      const piece = Array.from(
        { length: end - start },
        (_, i): Point => [x[start + i], y[start + i]],
      );
      tiles.set(`${tileX}/${tileY}`, [...(tiles.get(`${tileX}/${tileY}`) ?? []), piece]);
    });
    for (let tileX = RANGE.west; tileX <= RANGE.east; tileX++) {
      for (let tileY = RANGE.north; tileY <= RANGE.south; tileY++) {
        const pieces = tiles.get(`${tileX}/${tileY}`) ?? [];
        const isWithin = ([x, y]: Point, margin: number) =>
          x >= tileX * EXTENT - margin &&
          x <= (tileX + 1) * EXTENT + margin &&
          y >= tileY * EXTENT - margin &&
          y <= (tileY + 1) * EXTENT + margin;
        for (const point of pieces.flat()) {
          expect([point, isWithin(point, BUFFER + 1), isOn(point, whole)]).toEqual([
            point,
            true,
            true,
          ]);
        }
        for (const one of whole) {
          for (let i = 1; i < one.length; i++) {
            for (let t = 0; t <= 1; t += 1 / 64) {
              const [[ax, ay], [bx, by]] = [one[i - 1], one[i]];
              const point: Point = [ax + t * (bx - ax), ay + t * (by - ay)];
              if (!isWithin(point, BUFFER - 2)) continue;
              expect([point, isOn(point, pieces)]).toEqual([point, true]);
            }
          }
        }
      }
    }
  }));
