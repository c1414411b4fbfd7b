import { orient2d } from 'robust-predicates';
import { countWhile } from '../arrays/sorted.ts';
import { runToCompletion } from '../concurrency/run-to-completion.ts';
import type { Polygon, Position, Ring } from './polygon.ts';

/**
 * Why polygons are not valid. `crossing`: edges of a polygon cross or overlap, or a ring revisits
 * one of its own points. `hole`: a hole lies outside its shell or inside another hole. `overlap`:
 * the interiors of two polygons intersect.
 */
export type SweepFault = 'crossing' | 'hole' | 'overlap';

/**
 * A vertical line that sweeps over polygons from west to east, and the edges that it intersects,
 * south to north (Shamos and Hoey, 1976). The ground between any two adjacent edges is either
 * inside the polygons or outside. All decisions are exact (Shewchuk, 1997). O(n log n) comparisons
 * for n edges in any configuration.
 *
 * Where several edges meet in a point, they are removed together and reinserted in the order in
 * which they leave it, and the owner of the ground between them is recomputed. So rings may touch
 * in points, and a ring that passes through another's vertex is detected by what it would cover.
 * Polygons may share stretches of their borders.
 */
export class SweepLine {
  /** End points of each edge in sweep order: by x, then y. */
  readonly #westX: Float64Array;
  readonly #westY: Float64Array;
  readonly #eastX: Float64Array;
  readonly #eastY: Float64Array;
  readonly #ring: Uint32Array;
  readonly #polygon: Uint32Array;
  /** Per ring, 1 for a hole and 0 for a shell. */
  readonly #isHole: Uint8Array;
  /** 1 if the ground north of an edge is inside its polygon, -1 if the ground south of it is. */
  readonly #entry: Int8Array;
  /** The polygon that owns the ground just north of an edge on the line, or `NO_OWNER`. */
  readonly #owner: Int32Array;
  /** Edge ends in sweep order: edge × 2, + 1 for its east end. */
  readonly #ends: Uint32Array;
  /** Edges on the line, south to north. */
  readonly #line: number[] = [];
  readonly #visits: Uint8Array;
  #next = 0;
  #x = Number.NEGATIVE_INFINITY;

  /** Rings must be closed, at least triangles, and without consecutive duplicate positions. */
  constructor(polygons: readonly Polygon[]) {
    const rings = polygons.flat();
    const edges = rings.reduce((sum, ring) => sum + ring.length - 1, 0);
    this.#westX = new Float64Array(edges);
    this.#westY = new Float64Array(edges);
    this.#eastX = new Float64Array(edges);
    this.#eastY = new Float64Array(edges);
    this.#ring = new Uint32Array(edges);
    this.#polygon = new Uint32Array(edges);
    this.#entry = new Int8Array(edges);
    this.#owner = new Int32Array(edges);
    this.#visits = new Uint8Array(rings.length);
    this.#isHole = new Uint8Array(rings.length);
    let edge = 0;
    let nr = 0;
    for (const [p, polygon] of polygons.entries()) {
      for (const [r, ring] of polygon.entries()) {
        const insideIsLeft = isCounterClockwise(ring) === (r === 0);
        for (let i = 1; i < ring.length; i++) this.#add(edge++, ring[i - 1], ring[i], insideIsLeft);
        this.#isHole[nr] = r === 0 ? 0 : 1;
        this.#ring.fill(nr++, edge - ring.length + 1, edge);
        this.#polygon.fill(p, edge - ring.length + 1, edge);
      }
    }
    this.#ends = new Uint32Array(edges * 2);
    for (let end = 0; end < edges * 2; end++) this.#ends[end] = end;
    this.#ends.sort((a, b) => this.#endX(a) - this.#endX(b) || this.#endY(a) - this.#endY(b));
  }

  /** Sweeps over all polygons; returns null if they are valid. */
  fault(): SweepFault | null {
    return runToCompletion(this.faultSteps());
  }

  /** `fault` in short steps. */
  *faultSteps(): Generator<undefined, SweepFault | null, undefined> {
    this.#restart();
    this.#x = Number.POSITIVE_INFINITY;
    for (let points = 1; this.#next < this.#ends.length; points++) {
      const fault = this.#passPoint();
      if (fault) return fault;
      if (points % POINTS_PER_STEP === 0) yield;
    }
    return null;
  }

  /**
   * Whether a point is in the polygons, which must be valid. A point on an edge belongs to the
   * ground to the east, or to the north of a horizontal edge, as in `isWithin`. Points queried from
   * west to east take O(log n) each; a point west of the previous one restarts the sweep.
   */
  isInside(x: number, y: number): boolean {
    if (x < this.#x) this.#restart();
    this.#x = x;
    while (this.#next < this.#ends.length && this.#endX(this.#ends[this.#next]) <= x) {
      this.#passPoint();
    }
    const line = this.#line;
    const southOfIt = countWhile(line.length, (at) => {
      const side = this.#sideOf(line[at], x, y);
      // East means south of a rising edge, and north of a falling one.
      return side > 0 || (side === 0 && this.#eastY[line[at]] <= this.#westY[line[at]]);
    });
    return southOfIt > 0 && this.#owner[line[southOfIt - 1]] !== NO_OWNER;
  }

  #restart(): void {
    this.#next = 0;
    this.#x = Number.NEGATIVE_INFINITY;
    this.#line.length = 0;
  }

  #add(edge: number, a: Position, b: Position, insideIsLeft: boolean): void {
    const goesEast = a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);
    const [west, east] = goesEast ? [a, b] : [b, a];
    this.#westX[edge] = west[0];
    this.#westY[edge] = west[1];
    this.#eastX[edge] = east[0];
    this.#eastY[edge] = east[1];
    this.#entry[edge] = goesEast === insideIsLeft ? 1 : -1;
  }

  /** Moves the line past the next point where edges start or end. */
  #passPoint(): SweepFault | null {
    const ends = this.#ends;
    const [x, y] = [this.#endX(ends[this.#next]), this.#endY(ends[this.#next])];
    const line = this.#line;
    const south = this.#firstNotSouthOf(x, y);
    let north = south;
    const leaving: number[] = [];
    let arrived = 0;
    for (; north < line.length && this.#sideOf(line[north], x, y) === 0; north++) {
      const edge = line[north];
      if (this.#eastX[edge] === x && this.#eastY[edge] === y) arrived++;
      else leaving.push(edge);
    }
    const passing = leaving.length;
    for (; this.#next < ends.length; this.#next++) {
      const end = ends[this.#next];
      if (this.#endX(end) !== x || this.#endY(end) !== y) break;
      if (end & 1) arrived--;
      else leaving.push(end >>> 1);
    }
    // Edges out of order have crossed.
    if (arrived !== 0) return 'crossing';
    if (this.#comesBack(leaving, passing, line, south, north)) return 'crossing';
    const fault = this.#order(leaving, x, y) ?? this.#cover(leaving, south);
    if (fault) return fault;
    line.splice(south, north - south, ...leaving);
    const last = south + leaving.length;
    return this.#crossingAt(south) ?? (last === south ? null : this.#crossingAt(last));
  }

  /**
   * Whether a ring visits a point more than once. A visit is an edge that passes through the point,
   * or two edges that meet in it.
   */
  #comesBack(
    leaving: readonly number[],
    passing: number,
    line: readonly number[],
    south: number,
    north: number,
  ): boolean {
    const [visits, ring] = [this.#visits, this.#ring];
    let isBack = false;
    const visit = (edge: number) => {
      if (++visits[ring[edge]] > 2) isBack = true;
    };
    for (let i = south; i < north; i++) visit(line[i]);
    // An edge that passes through is already on the line: it counts as arriving and leaving.
    for (const edge of leaving) visit(edge);
    for (let i = south; i < north; i++) visits[ring[line[i]]] = 0;
    for (let i = passing; i < leaving.length; i++) visits[ring[leaving[i]]] = 0;
    return isBack;
  }

  /** Sorts edges that leave a point, south to north. */
  #order(leaving: number[], x: number, y: number): SweepFault | null {
    const turn = (a: number, b: number) =>
      orient2d(x, y, this.#eastX[a], this.#eastY[a], this.#eastX[b], this.#eastY[b]);
    // Orders two overlapping edges: the one that leaves its own polygon comes first.
    leaving.sort((a, b) => turn(a, b) || this.#entry[a] - this.#entry[b]);
    for (let i = 1; i < leaving.length; i++) {
      const [a, b] = [leaving[i - 1], leaving[i]];
      if (this.#polygon[a] === this.#polygon[b] && turn(a, b) === 0) return 'crossing';
    }
    return null;
  }

  /** Recomputes the owner of the ground north of each given edge: at most one polygon. */
  #cover(edges: readonly number[], south: number): SweepFault | null {
    let owner = south === 0 ? NO_OWNER : this.#owner[this.#line[south - 1]];
    for (const edge of edges) {
      const polygon = this.#polygon[edge];
      if (this.#entry[edge] === 1) {
        if (owner !== NO_OWNER) return owner === polygon ? 'crossing' : 'overlap';
        owner = polygon;
      } else {
        if (owner !== polygon) return this.#isHole[this.#ring[edge]] ? 'hole' : 'crossing';
        owner = NO_OWNER;
      }
      this.#owner[edge] = owner;
    }
    return null;
  }

  /** Whether the edges south and north of a position on the line cross. */
  #crossingAt(place: number): SweepFault | null {
    if (place === 0 || place === this.#line.length) return null;
    const [a, b] = [this.#line[place - 1], this.#line[place]];
    const westOfB = this.#sideOf(a, this.#westX[b], this.#westY[b]);
    const eastOfB = this.#sideOf(a, this.#eastX[b], this.#eastY[b]);
    if (westOfB === 0 || eastOfB === 0 || westOfB > 0 === eastOfB > 0) return null;
    const westOfA = this.#sideOf(b, this.#westX[a], this.#westY[a]);
    const eastOfA = this.#sideOf(b, this.#eastX[a], this.#eastY[a]);
    if (westOfA === 0 || eastOfA === 0 || westOfA > 0 === eastOfA > 0) return null;
    return this.#polygon[a] === this.#polygon[b] ? 'crossing' : 'overlap';
  }

  #firstNotSouthOf(x: number, y: number): number {
    const line = this.#line;
    return countWhile(line.length, (at) => this.#sideOf(line[at], x, y) > 0);
  }

  /**
   * Positive north of an edge, negative south of it, 0 on it. The predicate's y axis points down.
   */
  #sideOf(edge: number, x: number, y: number): number {
    const [west, east] = [this.#westX[edge], this.#eastX[edge]];
    return -orient2d(west, this.#westY[edge], east, this.#eastY[edge], x, y);
  }

  #endX(end: number): number {
    return end & 1 ? this.#eastX[end >>> 1] : this.#westX[end >>> 1];
  }

  #endY(end: number): number {
    return end & 1 ? this.#eastY[end >>> 1] : this.#westY[end >>> 1];
  }
}

const NO_OWNER = -1;
/** Points per step of `faultSteps`: a fraction of a millisecond of work. */
const POINTS_PER_STEP = 128;

/** Whether a ring is counter-clockwise. Exact: decided by the turn at its westernmost vertex. */
function isCounterClockwise(ring: Ring): boolean {
  let west = 0;
  for (let i = 1; i + 1 < ring.length; i++) {
    const [x, y] = ring[i];
    if (x < ring[west][0] || (x === ring[west][0] && y < ring[west][1])) west = i;
  }
  const before = ring[west === 0 ? ring.length - 2 : west - 1];
  return orient2d(...before, ...ring[west], ...ring[west + 1]) < 0;
}

/**
 * Finds why a polygon is invalid: rings that cross or overlap, a hole outside its shell or inside
 * another hole. Returns null for a valid polygon. Rings may touch in points, but no ring may
 * revisit one of its own points. O(n log n), exact.
 */
export function polygonFault(polygon: Polygon): SweepFault | null {
  return new SweepLine([polygon]).fault();
}
