import type { Bytes } from '../units.ts';
import { EdgeSet } from './edge-set.ts';
import type { Rings } from './rings.ts';

/** Areas and edges per step of `sharedBorderSteps`. */
const AREAS_PER_STEP = 512;
const EDGES_PER_STEP = 1 << 16;

/**
 * Neighbours across the borders of a county's areas, computed once. The border of any union is then
 * the set of edges with an area of the union on one side only, and inner edges are skipped in runs.
 * Edges are numbered by their end point.
 */
export class SharedBorders {
  /**
   * Runs of edges of area `i`: `firstRun[i]` up to `firstRun[i + 1]`. A run stays within one ring.
   */
  readonly #firstRun: Uint32Array;
  /** First edge of each run; a run extends to the next run or to the end of its ring. */
  readonly #firstEdge: Uint32Array;
  /** The area on the other side of each run; one past the last area if there is none. */
  readonly #beyond: Uint32Array;

  constructor(firstRun: Uint32Array, firstEdge: Uint32Array, beyond: Uint32Array) {
    this.#firstRun = firstRun;
    this.#firstEdge = firstEdge;
    this.#beyond = beyond;
  }

  get byteLength(): Bytes {
    return this.#firstRun.byteLength + this.#firstEdge.byteLength + this.#beyond.byteLength;
  }

  /** Builds the membership array for `pushBorder`: 1 for each area of the union. */
  members(areas: Uint32Array): Uint8Array {
    const members = new Uint8Array(this.#firstRun.length);
    for (let i = 0; i < areas.length; i++) members[areas[i]] = 1;
    return members;
  }

  /**
   * Adds those edges of an area that border no other area of the union, in order. `outlines` must
   * be the ones from which the borders were computed.
   */
  pushBorder(edges: EdgeSet, outlines: Rings, area: number, members: Uint8Array): void {
    const { firstRing, firstPoint, x, y } = outlines;
    const lastRun = this.#firstRun[area + 1];
    let run = this.#firstRun[area];
    for (let r = firstRing[area]; r < firstRing[area + 1]; r++) {
      const [start, end] = [firstPoint[r], firstPoint[r + 1]];
      for (; run < lastRun && this.#firstEdge[run] < end; run++) {
        if (members[this.#beyond[run]] === 1) continue;
        const first = this.#firstEdge[run];
        const next = run + 1 < lastRun ? Math.min(this.#firstEdge[run + 1], end) : end;
        edges.reserve(next - first);
        for (let i = first; i < next; i++) {
          const previous = i === start ? end - 1 : i - 1;
          edges.push(x[previous], y[previous], x[i], y[i]);
        }
      }
    }
  }
}

/**
 * Finds the shared borders of areas, in steps of a few milliseconds. Linear in the number of
 * points.
 */
export function* sharedBorderSteps(
  outlines: Rings,
): Generator<undefined, SharedBorders, undefined> {
  const { firstRing, firstPoint, x, y } = outlines;
  const areas = firstRing.length - 1;
  const edges = new EdgeSet(x.length);
  // `pointOf` and `areaOf` are indexed by edge, not by point, since zero-length edges are skipped.
  const pointOf = new Uint32Array(x.length);
  const areaOf = new Uint32Array(x.length);
  for (let area = 0; area < areas; area++) {
    for (let r = firstRing[area]; r < firstRing[area + 1]; r++) {
      let previous = firstPoint[r + 1] - 1;
      for (let i = firstPoint[r]; i < firstPoint[r + 1]; previous = i++) {
        pointOf[edges.length] = i;
        areaOf[edges.length] = area;
        edges.push(x[previous], y[previous], x[i], y[i]);
      }
    }
    if (area % AREAS_PER_STEP === AREAS_PER_STEP - 1) yield;
  }
  const opposite = yield* edges.oppositeSteps();
  const beyondEdge = new Uint32Array(x.length).fill(areas);
  for (let e = 0; e < edges.length; e++) {
    if (opposite[e] !== 0) beyondEdge[pointOf[e]] = areaOf[opposite[e] - 1];
    if (e % EDGES_PER_STEP === EDGES_PER_STEP - 1) yield;
  }

  const firstRun = new Uint32Array(areas + 1);
  const firstEdge = new Uint32Array(x.length);
  const beyond = new Uint32Array(x.length);
  let runs = 0;
  for (let area = 0; area < areas; area++) {
    for (let r = firstRing[area]; r < firstRing[area + 1]; r++) {
      for (let i = firstPoint[r]; i < firstPoint[r + 1]; i++) {
        if (i > firstPoint[r] && beyondEdge[i] === beyondEdge[i - 1]) continue;
        firstEdge[runs] = i;
        beyond[runs++] = beyondEdge[i];
      }
    }
    firstRun[area + 1] = runs;
    if (area % AREAS_PER_STEP === AREAS_PER_STEP - 1) yield;
  }
  return new SharedBorders(firstRun, firstEdge.slice(0, runs), beyond.slice(0, runs));
}
