import type { Outlines } from '../../shards/fgb/outlines.ts';
import { type EdgeSet, mix, slotsFor } from '../../shards/geometry/edge-set.ts';
import { worldX, worldY } from '../geo/web-mercator.ts';

/**
 * The borders of a county's blocks, each stored once. An arc runs from a point where three or more
 * areas meet to the next such point, with `inside` to its left and `outside` to its right along the
 * axes of a tile (x east, y south). Any change to an arc affects both its blocks alike, so borders
 * cannot come apart.
 */
export interface Arcs {
  readonly count: number;
  /**
   * Arc `a` has the points from `firstPoint[a]` to `firstPoint[a + 1]`, exclusive; they include
   * both its ends.
   */
  readonly firstPoint: Uint32Array;
  readonly x: Int32Array;
  readonly y: Int32Array;
  readonly inside: Int32Array;
  /** `OUTSIDE` along the county line. */
  readonly outside: Int32Array;
}

export const OUTSIDE = -1;

/** Returns the arcs of all blocks, in units of the world. Takes time linear in the points. */
export function arcsOf(outlines: Outlines): Arcs {
  const borders = new Borders(outlines);
  const firstPoint: number[] = [0];
  const inside: number[] = [];
  const outside: number[] = [];
  // Each arc is stored once, with both ends, so there are fewer than twice the points.
  const x = new Int32Array(outlines.x.length * 2);
  const y = new Int32Array(outlines.x.length * 2);
  let points = 0;
  const put = (point: number): void => {
    x[points] = worldX(outlines.x[point]);
    y[points++] = worldY(outlines.y[point]);
  };
  for (let area = 0; area + 1 < outlines.firstRing.length; area++) {
    for (let r = outlines.firstRing[area]; r < outlines.firstRing[area + 1]; r++) {
      for (const { start, steps } of borders.arcsOfRing(r)) {
        const other = borders.neighbour[start];
        // The area with the higher number owns the arc.
        if (other > area) continue;
        // Latitude increases northwards and y southwards, so left and right are swapped.
        const ring = outlines.firstPoint[r + 1] - outlines.firstPoint[r];
        const base = outlines.firstPoint[r];
        for (let i = steps; i >= 0; i--) put(base + ((start - base + i) % ring));
        inside.push(area);
        outside.push(other);
        firstPoint.push(points);
      }
    }
  }
  return {
    count: inside.length,
    firstPoint: Uint32Array.from(firstPoint),
    x: x.slice(0, points),
    y: y.slice(0, points),
    inside: Int32Array.from(inside),
    outside: Int32Array.from(outside),
  };
}

/** Adds an arc's edges in its own direction, with the inside to its left. */
export function pushAlong(edges: EdgeSet, { x, y }: Arcs, start: number, end: number): void {
  edges.reserve(end - start);
  for (let i = start + 1; i < end; i++) edges.push(x[i - 1], y[i - 1], x[i], y[i]);
}

/** Adds an arc's edges against its direction. */
export function pushBack(edges: EdgeSet, { x, y }: Arcs, start: number, end: number): void {
  edges.reserve(end - start);
  for (let i = end - 1; i > start; i--) edges.push(x[i], y[i], x[i - 1], y[i - 1]);
}

class Borders {
  /** The neighbour across each edge, by the index of the point where the edge begins. */
  readonly neighbour: Int32Array;
  readonly #outlines: Outlines;
  readonly #next: Uint32Array;
  /** Per point, the index of the first point at the same spot. */
  readonly #spot: Uint32Array;
  readonly #isNode: Uint8Array;

  constructor(outlines: Outlines) {
    const points = outlines.x.length;
    this.#outlines = outlines;
    this.neighbour = new Int32Array(points).fill(OUTSIDE);
    this.#next = new Uint32Array(points);
    this.#spot = new Uint32Array(points);
    this.#isNode = new Uint8Array(points);
    this.#numberSpots();
    this.#findNeighbours();
    this.#markNodes();
  }

  /** Yields the arcs of a ring: the point where each begins, and its number of edges. */
  *arcsOfRing(ring: number): Generator<{ start: number; steps: number }> {
    const [start, end] = this.#outlines.firstPoint.subarray(ring, ring + 2);
    let first = start;
    while (first < end && this.#isNode[this.#spot[first]] === 0) first++;
    if (first === end) {
      yield { start, steps: end - start };
      return;
    }
    let arc = first;
    let steps = 0;
    do {
      let point = arc;
      do {
        point = this.#next[point];
        steps++;
      } while (this.#isNode[this.#spot[point]] === 0);
      yield { start: arc, steps };
      arc = point;
      steps = 0;
    } while (arc !== first);
  }

  #numberSpots(): void {
    const { x, y } = this.#outlines;
    const mask = slotsFor(x.length) - 1;
    const table = new Uint32Array(mask + 1);
    for (let i = 0; i < x.length; i++) {
      let slot = mix(x[i], y[i]) & mask;
      while (table[slot] !== 0 && (x[table[slot] - 1] !== x[i] || y[table[slot] - 1] !== y[i])) {
        slot = (slot + 1) & mask;
      }
      if (table[slot] === 0) table[slot] = i + 1;
      this.#spot[i] = table[slot] - 1;
    }
  }

  #findNeighbours(): void {
    const { firstRing, firstPoint } = this.#outlines;
    const spot = this.#spot;
    const mask = slotsFor(spot.length) - 1;
    const table = new Uint32Array(mask + 1);
    const areaOf = new Uint32Array(spot.length);
    for (let area = 0; area + 1 < firstRing.length; area++) {
      for (let r = firstRing[area]; r < firstRing[area + 1]; r++) {
        const end = firstPoint[r + 1];
        for (let i = firstPoint[r]; i < end; i++) {
          const next = i + 1 < end ? i + 1 : firstPoint[r];
          this.#next[i] = next;
          areaOf[i] = area;
          let slot = mix(spot[i] + spot[next], spot[i] ^ spot[next]) & mask;
          for (; table[slot] !== 0; slot = (slot + 1) & mask) {
            const other = table[slot] - 1;
            if (spot[other] === spot[next] && spot[this.#next[other]] === spot[i]) {
              this.neighbour[i] = areaOf[other];
              this.neighbour[other] = area;
              break;
            }
          }
          if (table[slot] === 0) table[slot] = i + 1;
        }
      }
    }
  }

  #markNodes(): void {
    const { firstPoint } = this.#outlines;
    for (let r = 0; r + 1 < firstPoint.length; r++) {
      let previous = firstPoint[r + 1] - 1;
      for (let i = firstPoint[r]; i < firstPoint[r + 1]; previous = i++) {
        if (this.neighbour[previous] !== this.neighbour[i]) this.#isNode[this.#spot[i]] = 1;
      }
    }
  }
}
