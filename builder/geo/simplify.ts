import type { Area, Polygon, Ring } from '../../shards/geometry/polygon.ts';
import { polygonFault } from '../../shards/geometry/sweep-line.ts';
import type { Degrees } from '../../shards/units.ts';

/** The points of consecutive lines. */
interface Points {
  readonly x: Int32Array | Float64Array;
  readonly y: Int32Array | Float64Array;
}

/**
 * Finds which points of a line can be removed without moving the line by more than a tolerance, in
 * the unit of the points (Douglas and Peucker, 1973).
 */
export class LineSimplifier {
  readonly #points: Points;
  readonly #squaredTolerance: number;
  readonly #kept: Uint8Array;
  readonly #stack: number[] = [];

  constructor(points: Points, tolerance: number, longest: number) {
    this.#points = points;
    this.#squaredTolerance = tolerance * tolerance;
    this.#kept = new Uint8Array(longest);
  }

  /**
   * Returns 1 for each point from `first` to `last`, inclusive, that stays, as both ends always do.
   * The array is valid until the next call.
   */
  keptPoints(first: number, last: number): Uint8Array {
    const kept = this.#kept.fill(0, 0, last - first + 1);
    kept[0] = 1;
    kept[last - first] = 1;
    const stack = this.#stack;
    stack.push(first, last);
    while (stack.length > 0) {
      const to = stack.pop()!;
      const from = stack.pop()!;
      const farthest = this.#farthest(from, to);
      if (farthest === -1) continue;
      kept[farthest - first] = 1;
      stack.push(from, farthest, farthest, to);
    }
    return kept;
  }

  /**
   * The point between two that is farthest from the line between them; -1 if all are within the
   * tolerance.
   */
  #farthest(from: number, to: number): number {
    const { x, y } = this.#points;
    const [dx, dy] = [x[to] - x[from], y[to] - y[from]];
    const squared = dx * dx + dy * dy;
    let most = this.#squaredTolerance;
    let farthest = -1;
    for (let i = from + 1; i < to; i++) {
      const [px, py] = [x[i] - x[from], y[i] - y[from]];
      const along = squared === 0 ? 0 : Math.min(1, Math.max(0, (px * dx + py * dy) / squared));
      const distance = (px - along * dx) ** 2 + (py - along * dy) ** 2;
      if (distance > most) {
        most = distance;
        farthest = i;
      }
    }
    return farthest;
  }
}

const MIN_POSITIONS = 4;

/**
 * Removes points from an area, moving lines by at most `tolerance`. A polygon that would intersect
 * itself, or lose a ring, stays unchanged.
 */
export function simplify({ polygons }: Area, tolerance: Degrees): Area {
  return { polygons: polygons.map((polygon) => simplifyPolygon(polygon, tolerance)) };
}

function simplifyPolygon(polygon: Polygon, tolerance: Degrees): Polygon {
  const simpler = polygon.map((ring) => simplifyRing(ring, tolerance));
  const isWhole = simpler.every((ring) => ring.length >= MIN_POSITIONS);
  return isWhole && polygonFault(simpler) === null ? simpler : polygon;
}

/**
 * Simplifies a ring in two halves, split at the point farthest from its first, since a ring has no
 * ends.
 */
function simplifyRing(ring: Ring, tolerance: Degrees): Ring {
  const x = Float64Array.from(ring, ([lon]) => lon);
  const y = Float64Array.from(ring, ([, lat]) => lat);
  let far = 0;
  const fromFirst = (i: number) => (x[i] - x[0]) ** 2 + (y[i] - y[0]) ** 2;
  for (let i = 1; i < ring.length; i++) if (fromFirst(i) > fromFirst(far)) far = i;
  const simplifier = new LineSimplifier({ x, y }, tolerance, ring.length);
  const half = (first: number, last: number) => {
    const kept = simplifier.keptPoints(first, last);
    return ring.slice(first, last + 1).filter((_, i) => kept[i] === 1);
  };
  return [...half(0, far), ...half(far, ring.length - 1).slice(1)];
}
