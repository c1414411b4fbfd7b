import { type EdgeSet, mix, slotsFor } from './edge-set.ts';
import { twiceSignedArea } from './rings.ts';

/** Simple rings that cross neither themselves nor each other; they touch in points at most. */
export interface WalkedRings {
  readonly count: number;
  /** Points of ring `r`: `firstPoint[r]` up to `firstPoint[r + 1]`. */
  readonly firstPoint: Uint32Array;
  readonly x: Int32Array;
  readonly y: Int32Array;
  /** Twice the area: positive for shells, negative for holes. */
  readonly twiceArea: Float64Array;
  /**
   * The walk of each ring. The rings of one walk are connected by points: at most one shell, and
   * holes that touch it or each other.
   */
  readonly walk: Uint32Array;
}

/**
 * Joins border edges into rings. Where several rings meet in a point, the walk takes the sharpest
 * left turn, which stays in one piece of the interior, so pieces that touch in a point come apart.
 * Whenever the walk returns to a point already visited, the part in between is split off as a ring
 * of its own, so that a hole that touches its shell remains a hole. Linear in the number of edges.
 */
export function walkRings(edges: EdgeSet): WalkedRings {
  const { ax, ay, length } = edges;
  const { from, to, firstOut, nextOut } = joinEdges(edges);
  const firstPoint = new Uint32Array(Math.floor(length / 2) + 1);
  const twiceArea = new Float64Array(firstPoint.length);
  const walk = new Uint32Array(firstPoint.length);
  const x = new Int32Array(length);
  const y = new Int32Array(length);
  const used = new Uint8Array(length);
  const path = new Uint32Array(length);
  const placeOnPath = new Int32Array(length).fill(-1);
  let rings = 0;
  let points = 0;
  let walks = 0;

  const cutOff = (start: number, end: number): void => {
    for (let i = start; i < end; i++) {
      const edge = path[i];
      placeOnPath[from[edge]] = -1;
      x[points] = ax[edge];
      y[points++] = ay[edge];
    }
    twiceArea[rings] = twiceSignedArea(x, y, firstPoint[rings], points);
    walk[rings] = walks;
    firstPoint[++rings] = points;
  };

  for (let first = 0; first < length; first++) {
    if (used[first] === 1) continue;
    let steps = 0;
    let edge = first;
    do {
      used[edge] = 1;
      placeOnPath[from[edge]] = steps;
      path[steps++] = edge;
      const passed = placeOnPath[to[edge]];
      if (passed !== -1) {
        cutOff(passed, steps);
        steps = passed;
      }
      edge = sharpestLeft(
        edges,
        edge,
        firstOut[to[edge]],
        nextOut,
        (e) => used[e] === 0 || e === first,
      );
    } while (edge !== first);
    walks++;
  }
  return { count: rings, firstPoint, x, y, twiceArea, walk };
}

/** Numbers the points where edges start, and lists the edges that start at each. */
function joinEdges({ ax, ay, bx, by, length }: EdgeSet) {
  const mask = slotsFor(length) - 1;
  const table = new Uint32Array(mask + 1);
  const from = new Uint32Array(length);
  const to = new Uint32Array(length);
  const firstOut = new Int32Array(length).fill(-1);
  const nextOut = new Int32Array(length).fill(-1);
  // A point is identified by the first edge that starts there.
  const pointAt = (x: number, y: number, edge: number): number => {
    let slot = mix(x, y) & mask;
    for (;;) {
      const entry = table[slot] - 1;
      if (entry === -1) {
        table[slot] = edge + 1;
        return edge;
      }
      if (ax[entry] === x && ay[entry] === y) return entry;
      slot = (slot + 1) & mask;
    }
  };
  for (let e = length - 1; e >= 0; e--) {
    const point = pointAt(ax[e], ay[e], e);
    from[e] = point;
    nextOut[e] = firstOut[point];
    firstOut[point] = e;
  }
  // As many edges end at a point as start there, so every end is in the table.
  for (let e = 0; e < length; e++) to[e] = pointAt(bx[e], by[e], e);
  return { from, to, firstOut, nextOut };
}

/**
 * The first edge met when turning clockwise from the way back. It always exists: as many edges
 * start at a point as end there.
 */
function sharpestLeft(
  { ax, ay, bx, by }: EdgeSet,
  arriving: number,
  candidates: number,
  nextOut: Int32Array,
  isFree: (edge: number) => boolean,
): number {
  let best = -1;
  const backX = ax[arriving] - bx[arriving];
  const backY = ay[arriving] - by[arriving];
  for (let e = candidates; e !== -1; e = nextOut[e]) {
    if (!isFree(e)) continue;
    if (
      best === -1 ||
      isSooner(backX, backY, bx[e] - ax[e], by[e] - ay[e], bx[best] - ax[best], by[best] - ay[best])
    ) {
      best = e;
    }
  }
  return best;
}

/** Whether turning clockwise from `back` meets direction 1 before direction 2. */
function isSooner(
  backX: number,
  backY: number,
  x1: number,
  y1: number,
  x2: number,
  y2: number,
): boolean {
  const half1 = isInFirstHalf(backX, backY, x1, y1);
  if (half1 !== isInFirstHalf(backX, backY, x2, y2)) return half1;
  return x1 * y2 - y1 * x2 < 0;
}

/** Whether a direction is less than half a turn clockwise from `back`; straight back is no turn. */
function isInFirstHalf(backX: number, backY: number, x: number, y: number): boolean {
  const cross = backX * y - backY * x;
  return cross < 0 || (cross === 0 && backX * x + backY * y > 0);
}
