import { orient2d } from 'robust-predicates';
import type { Ring } from './polygon.ts';
import type { Rings } from './rings.ts';

export type Side = 'inside' | 'border' | 'outside';

/**
 * Which side of the border a point is on. Coordinates are micro-degrees, which may be fractional.
 * Exact, also for points on an edge or a corner.
 */
export function sideOf(rings: Rings, area: number, px: number, py: number): Side {
  return sideAfter(cast(rings, area, px, py));
}

/** Interprets the combined marks of all edges that meet a point's latitude. */
export function sideAfter(marks: number): Side {
  if (marks & ON_BORDER) return 'border';
  return marks & WITHIN ? 'inside' : 'outside';
}

/**
 * Whether a point is in an area that shares its borders with others: a point on an edge belongs to
 * the area to the east, or to the north of a horizontal edge, so that areas that tile the ground
 * contain each point exactly once. Exact, like `sideOf`.
 */
export function isWithin(rings: Rings, area: number, px: number, py: number): boolean {
  return (cast(rings, area, px, py) & WITHIN) !== 0;
}

const WITHIN = 1;
const ON_BORDER = 2;

/** Marks of a point after every edge of an area; no edge may occur twice. */
function cast({ firstRing, firstPoint, x, y }: Rings, area: number, px: number, py: number) {
  let marks = 0;
  for (let r = firstRing[area]; r < firstRing[area + 1]; r++) {
    const end = firstPoint[r + 1];
    let [x1, y1] = [x[end - 1], y[end - 1]];
    for (let i = firstPoint[r]; i < end; i++) {
      const [x2, y2] = [x[i], y[i]];
      marks = pastEdge(marks, x1, y1, x2, y2, px, py);
      [x1, y1] = [x2, y2];
    }
  }
  return marks;
}

/**
 * Updates a point's marks for one more edge, starting from 0. A ray to the east crosses the rings
 * an odd number of times from inside (Shimrat, 1962); an exact predicate decides the side of an
 * edge (Shewchuk, 1997). Edges that do not meet the point's latitude have no effect.
 */
export function pastEdge(
  marks: number,
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  px: number,
  py: number,
): number {
  if (y1 > py !== y2 > py) {
    const turn = orient2d(x1, y1, x2, y2, px, py);
    if (turn === 0) return marks | ON_BORDER;
    return turn > 0 === y1 > y2 ? marks ^ WITHIN : marks;
  }
  if (y1 !== py && y2 !== py) return marks;
  const isLevel = y1 === y2 && px > Math.min(x1, x2) && px < Math.max(x1, x2);
  const isCorner = (y2 === py && x2 === px) || (y1 === py && x1 === px);
  return isLevel || isCorner ? marks | ON_BORDER : marks;
}

/**
 * Whether a ring lies inside another that it may touch but does not cross. Exact: decided by the
 * first point of the inner ring that is not on the outer ring.
 */
export function isRingWithin(outer: Ring, inner: Ring): boolean {
  for (const [x, y] of inner) {
    const side = sideOfRing(outer, x, y);
    if (side !== 'border') return side === 'inside';
  }
  return false;
}

function sideOfRing(ring: Ring, x: number, y: number): Side {
  let marks = 0;
  let [fromX, fromY] = ring[ring.length - 1];
  for (const [toX, toY] of ring) {
    marks = pastEdge(marks, fromX, fromY, toX, toY, x, y);
    [fromX, fromY] = [toX, toY];
  }
  return sideAfter(marks);
}
