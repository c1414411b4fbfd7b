import { EdgeSet, mix, slotsFor } from './edge-set.ts';

/**
 * Size of a grid cell: 2¹⁰ micro-degrees, about 100 m, so that a cell holds edges of a few blocks.
 */
const CELL_BITS = 10;
/** Maximum distance in micro-degrees from an edge to a point on it, once rounded to the grid. */
const NEAR = 1;

/**
 * Splits edges at points of other edges that lie on them, within rounding, so that adjacent areas
 * still have cancelling edges where only one of them has a vertex. Returns the given edges if there
 * is nothing to split. Linear when edges are short.
 */
export function splitAtPoints(edges: EdgeSet): EdgeSet {
  const points = new PointGrid(edges);
  const { ax, ay, bx, by, length } = edges;
  let split: EdgeSet | null = null;
  for (let e = 0; e < length; e++) {
    const between = points.onEdge(ax[e], ay[e], bx[e], by[e]);
    if (between.length > 0 && split === null) {
      split = new EdgeSet(length + between.length);
      for (let before = 0; before < e; before++) copyEdge(edges, before, split);
    }
    if (split === null) continue;
    split.reserve(between.length + 1);
    let [x, y] = [ax[e], ay[e]];
    for (const point of between) {
      split.push(x, y, ax[point], ay[point]);
      [x, y] = [ax[point], ay[point]];
    }
    split.push(x, y, bx[e], by[e]);
  }
  return split ?? edges;
}

function copyEdge({ ax, ay, bx, by }: EdgeSet, e: number, into: EdgeSet): void {
  into.reserve(1);
  into.push(ax[e], ay[e], bx[e], by[e]);
}

class PointGrid {
  readonly #edges: EdgeSet;
  readonly #mask: number;
  readonly #first: Int32Array;
  readonly #next: Int32Array;

  constructor(edges: EdgeSet) {
    const { ax, ay, length } = edges;
    this.#edges = edges;
    this.#mask = slotsFor(length) - 1;
    this.#first = new Int32Array(this.#mask + 1).fill(-1);
    this.#next = new Int32Array(length);
    for (let e = 0; e < length; e++) {
      const slot = mix(ax[e] >> CELL_BITS, ay[e] >> CELL_BITS) & this.#mask;
      this.#next[e] = this.#first[slot];
      this.#first[slot] = e;
    }
  }

  /** The edges whose start points lie on the way from A to B, in that order, one per point. */
  onEdge(x1: number, y1: number, x2: number, y2: number): number[] {
    const found: { point: number; along: number }[] = [];
    const [dx, dy] = [x2 - x1, y2 - y1];
    const squared = dx * dx + dy * dy;
    const reach = NEAR * NEAR * squared;
    const { ax, ay } = this.#edges;
    const west = (Math.min(x1, x2) - NEAR) >> CELL_BITS;
    const east = (Math.max(x1, x2) + NEAR) >> CELL_BITS;
    const south = (Math.min(y1, y2) - NEAR) >> CELL_BITS;
    const north = (Math.max(y1, y2) + NEAR) >> CELL_BITS;
    for (let column = west; column <= east; column++) {
      for (let row = south; row <= north; row++) {
        const slot = mix(column, row) & this.#mask;
        for (let e = this.#first[slot]; e !== -1; e = this.#next[e]) {
          const along = (ax[e] - x1) * dx + (ay[e] - y1) * dy;
          if (along <= 0 || along >= squared) continue;
          const cross = (ax[e] - x1) * dy - (ay[e] - y1) * dx;
          if (cross * cross > reach) continue;
          if (ax[e] >> CELL_BITS !== column || ay[e] >> CELL_BITS !== row) continue;
          if (found.some(({ point }) => ax[point] === ax[e] && ay[point] === ay[e])) continue;
          found.push({ point: e, along });
        }
      }
    }
    return found.sort((a, b) => a.along - b.along).map(({ point }) => point);
  }
}
