import { boundsOf } from './bounds.ts';
import type { WalkedRings } from './ring-walk.ts';
import type { Rings } from './rings.ts';

/**
 * Groups rings into polygons: area `i` of the result is a polygon, its first ring the shell, the
 * others its holes. Holes selected by `fills` are filled, with everything inside them. Rings
 * without area are dropped.
 */
export function nestRings(rings: WalkedRings, fills: (ring: number) => boolean): Rings {
  const { count, firstPoint, twiceArea, walk } = rings;
  const boxes = ringBoxes(rings);
  const shells: number[] = [];
  const holes: number[] = [];
  const filled: number[] = [];
  for (let r = 0; r < count; r++) {
    if (twiceArea[r] === 0) continue;
    if (twiceArea[r] > 0) shells.push(r);
    else if (fills(r)) filled.push(r);
    else holes.push(r);
  }
  const isFilledOver = (shell: number): boolean =>
    filled.some(
      (hole) => -twiceArea[hole] >= twiceArea[shell] && isWithin(rings, boxes, shell, hole),
    );
  const kept = filled.length === 0 ? shells : shells.filter((shell) => !isFilledOver(shell));

  const holesOf = new Map<number, number[]>(kept.map((shell) => [shell, []]));
  const shellOfWalk = new Map(kept.map((shell) => [walk[shell], shell]));
  const smallestFirst =
    holes.length === 0 ? [] : kept.toSorted((a, b) => twiceArea[a] - twiceArea[b]);
  for (const hole of holes) {
    const shell =
      shellOfWalk.get(walk[hole]) ??
      smallestFirst.find(
        (candidate) =>
          twiceArea[candidate] > -twiceArea[hole] && isWithin(rings, boxes, hole, candidate),
      );
    // Without a shell, the hole lies inside a hole that has been filled.
    if (shell !== undefined) holesOf.get(shell)!.push(hole);
  }
  const order = [...holesOf].flatMap(([shell, inside]) => [shell, ...inside]);
  const points = order.reduce((sum, r) => sum + firstPoint[r + 1] - firstPoint[r], 0);
  const out = {
    firstRing: new Uint32Array(kept.length + 1),
    firstPoint: new Uint32Array(order.length + 1),
    x: new Int32Array(points),
    y: new Int32Array(points),
  };
  kept.forEach((shell, i) => {
    out.firstRing[i + 1] = out.firstRing[i] + 1 + holesOf.get(shell)!.length;
  });
  order.forEach((r, i) => {
    const at = out.firstPoint[i];
    out.x.set(rings.x.subarray(firstPoint[r], firstPoint[r + 1]), at);
    out.y.set(rings.y.subarray(firstPoint[r], firstPoint[r + 1]), at);
    out.firstPoint[i + 1] = at + firstPoint[r + 1] - firstPoint[r];
  });
  return out;
}

function ringBoxes({ count, firstPoint, x, y }: WalkedRings): Int32Array {
  const boxes = new Int32Array(count * 4);
  for (let r = 0; r < count; r++) {
    boxes.set(boundsOf(x, y, firstPoint[r], firstPoint[r + 1]), r * 4);
  }
  return boxes;
}

/**
 * Whether a ring lies inside another, which it may touch in points. Decided by the first midpoint
 * of an edge of the inner ring that is not on the outer ring, since vertices may be on it.
 */
function isWithin(rings: WalkedRings, boxes: Int32Array, inner: number, outer: number): boolean {
  if (
    boxes[inner * 4] < boxes[outer * 4] ||
    boxes[inner * 4 + 1] < boxes[outer * 4 + 1] ||
    boxes[inner * 4 + 2] > boxes[outer * 4 + 2] ||
    boxes[inner * 4 + 3] > boxes[outer * 4 + 3]
  ) {
    return false;
  }
  const { firstPoint, x, y } = rings;
  for (let i = firstPoint[inner]; i + 1 < firstPoint[inner + 1]; i++) {
    const side = sideOf(rings, outer, x[i] + x[i + 1], y[i] + y[i + 1]);
    if (side !== 0) return side > 0;
  }
  return true;
}

/** Locates the point at half of these coordinates: 1 inside, -1 outside, 0 on the border. Exact. */
function sideOf({ firstPoint, x, y }: WalkedRings, ring: number, x2: number, y2: number): number {
  const [start, end] = [firstPoint[ring], firstPoint[ring + 1]];
  let inside = -1;
  for (let i = start, previous = end - 1; i < end; previous = i++) {
    const ay = 2 * y[previous];
    const by = 2 * y[i];
    if ((ay < y2 && by < y2) || (ay > y2 && by > y2)) continue;
    const ax = 2 * x[previous];
    const bx = 2 * x[i];
    const cross = (bx - ax) * (y2 - ay) - (by - ay) * (x2 - ax);
    if (cross === 0 && Math.min(ax, bx) <= x2 && x2 <= Math.max(ax, bx)) return 0;
    if (ay > y2 !== by > y2 && cross > 0 === by > ay) inside = -inside;
  }
  return inside;
}
