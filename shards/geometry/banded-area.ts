import { sumCounts } from '../arrays/prefix-sums.ts';
import { pastEdge, type Side, sideAfter } from './point-in-area.ts';
import type { Rings } from './rings.ts';

const EDGES_PER_BAND = 4;
const MAX_BANDS = 1 << 14;

/**
 * One area with its edges indexed by latitude bands: a point is tested only against the edges of
 * its band, so that many points can be tested. Exact, with the same results as `sideOf`.
 */
export class BandedArea {
  readonly #rings: Rings;
  readonly #minY: number;
  readonly #bandsPerUnit: number;
  /** The edges of band `b` are `#edges[#firstEdge[b]]` up to `#firstEdge[b + 1]`. */
  readonly #firstEdge: Uint32Array;
  /** Edges of each band, each as the index of its end point. */
  readonly #edges: Uint32Array;
  /** Index of the start point of each point's edge. */
  readonly #before: Uint32Array;

  /** `rings`: those of a single area, in micro-degrees. */
  constructor(rings: Rings) {
    this.#rings = rings;
    const { y, firstPoint } = rings;
    const points = y.length;
    this.#before = new Uint32Array(points);
    for (let r = 0; r + 1 < firstPoint.length; r++) {
      const [start, end] = [firstPoint[r], firstPoint[r + 1]];
      for (let i = start; i < end; i++) this.#before[i] = i === start ? end - 1 : i - 1;
    }
    this.#minY = y.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
    const height = y.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY) - this.#minY;
    const bands = Math.max(1, Math.min(MAX_BANDS, Math.ceil(points / EDGES_PER_BAND)));
    this.#bandsPerUnit = height > 0 ? bands / (height + 1) : 0;
    this.#firstEdge = new Uint32Array(bands + 1);
    this.#eachBand((_, band) => this.#firstEdge[band + 1]++);
    this.#edges = new Uint32Array(sumCounts(this.#firstEdge));
    const next = this.#firstEdge.slice();
    this.#eachBand((edge, band) => {
      this.#edges[next[band]++] = edge;
    });
  }

  get byteLength(): number {
    return this.#rings.x.length * 12 + (this.#edges.length + this.#firstEdge.length) * 4;
  }

  /**
   * Which side of the border a point is on. Coordinates are micro-degrees, which may be fractional.
   */
  sideOf(px: number, py: number): Side {
    const { x, y } = this.#rings;
    const band = this.#bandOf(py);
    let marks = 0;
    if (band >= 0 && band + 1 < this.#firstEdge.length) {
      for (let e = this.#firstEdge[band]; e < this.#firstEdge[band + 1]; e++) {
        const to = this.#edges[e];
        const from = this.#before[to];
        marks = pastEdge(marks, x[from], y[from], x[to], y[to], px, py);
      }
    }
    return sideAfter(marks);
  }

  #bandOf(py: number): number {
    return Math.floor((py - this.#minY) * this.#bandsPerUnit);
  }

  #eachBand(visit: (edge: number, band: number) => void): void {
    const { y } = this.#rings;
    for (let edge = 0; edge < y.length; edge++) {
      const [a, b] = [y[this.#before[edge]], y[edge]];
      const last = this.#bandOf(Math.max(a, b));
      for (let band = this.#bandOf(Math.min(a, b)); band <= last; band++) visit(edge, band);
    }
  }
}
