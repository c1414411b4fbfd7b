import { orient2d } from 'robust-predicates';
import type { Ring } from './polygon.ts';
import type { Rings } from './rings.ts';

/** On which side of an area's border a point lies. */
export type Side = 'inside' | 'border' | 'outside';

/**
 * Where a point lies, in micro-degrees, which need not be whole: exact, also for points on an edge
 * or a corner.
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
 * the area to the east of it, or north of a level one, so that areas that tile the ground have each
 * point once. Exact, as `sideOf` is.
 */
export function isWithin(rings: Rings, area: number, px: number, py: number): boolean {
  return (cast(rings, area, px, py) & WITHIN) !== 0;
}

const WITHIN = 1;
const ON_BORDER = 2;

/** The marks of a point after every edge of an area, none of which comes twice. */
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
 * Updates a point's marks for one more edge; start with 0. A ray to the east crosses the rings an
 * odd number of times from within (Shimrat, 1962); an exact predicate decides the side of an edge
 * (Shewchuk, 1997). An edge that does not meet the point's latitude changes nothing.
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
 * Whether a ring lies in another that it does not cross; it may touch it. Exact: decided by the
 * first of its points that is not on the other.
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
