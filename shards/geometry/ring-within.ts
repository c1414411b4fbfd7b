import { pastEdge, type Side, sideAfter } from './point-in-area.ts';
import type { Ring } from './polygon.ts';

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
