import { squareMetresOf } from '../../shards/geometry/planar.ts';
import { isRingWithin } from '../../shards/geometry/point-in-area.ts';
import type { Polygon, Ring } from '../../shards/geometry/polygon.ts';

/** A way of a multipolygon relation, as the positions of its nodes. */
export interface MemberLine {
  readonly role: string;
  readonly positions: Ring;
}

/**
 * Assembles the rings of a multipolygon from its members by joining lines that end where another
 * begins, and assigns each hole to the smallest outer ring that contains it. Lines that do not
 * close a ring (cut off at the edge of an extract) are left out.
 */
export function assemblePolygons(members: readonly MemberLine[]): Polygon[] {
  const outers = joinRings(members.filter((member) => member.role !== 'inner'));
  const inners = joinRings(members.filter((member) => member.role === 'inner'));
  const polygons: Ring[][] = outers
    .sort((a, b) => squareMetresOf([[a]]) - squareMetresOf([[b]]))
    .map((outer) => [outer]);
  for (const inner of inners) polygons.find(([outer]) => isRingWithin(outer, inner))?.push(inner);
  return polygons;
}

function joinRings(members: readonly MemberLine[]): Ring[] {
  const lines = members.map((member) => [...member.positions]).filter((line) => line.length > 1);
  const rings: Ring[] = [];
  for (let line = lines.pop(); line; line = lines.pop()) {
    while (!isClosed(line)) {
      const end = line[line.length - 1];
      const at = lines.findIndex((l) => same(l[0], end) || same(l[l.length - 1], end));
      if (at === -1) break;
      const [next] = lines.splice(at, 1);
      if (!same(next[0], end)) next.reverse();
      line.push(...next.slice(1));
    }
    if (isClosed(line)) rings.push(line);
  }
  return rings;
}

export function isClosed(line: Ring): boolean {
  return line.length > 3 && same(line[0], line[line.length - 1]);
}

function same(a: Ring[number], b: Ring[number]): boolean {
  return a[0] === b[0] && a[1] === b[1];
}
