import { grow } from '../arrays/growable-array.ts';
import { runToCompletion } from '../concurrency/run-to-completion.ts';

/** Hash table slots per edge: the table is at most half full. */
const SLOTS_PER_EDGE = 2;
/** Edges per step of `oppositeSteps`, which takes a millisecond or two. */
const EDGES_PER_STEP = 1 << 14;

/**
 * Directed edges in integer coordinates, with the inside to their left. Adjacent areas traverse
 * their common border in opposite directions, so edges with an opposite cancel, and what remains is
 * the border of the union. Reusable: `clear` keeps the memory.
 */
export class EdgeSet {
  length = 0;
  ax: Int32Array;
  ay: Int32Array;
  bx: Int32Array;
  by: Int32Array;
  #table = new Uint32Array(0);
  /** One more than the index of each edge's opposite; 0 for an edge without one. */
  #opposite = new Uint32Array(0);

  constructor(capacity = 1024) {
    this.ax = new Int32Array(capacity);
    this.ay = new Int32Array(capacity);
    this.bx = new Int32Array(capacity);
    this.by = new Int32Array(capacity);
  }

  clear(): void {
    this.length = 0;
  }

  reserve(more: number): void {
    const wanted = this.length + more;
    if (wanted <= this.ax.length) return;
    this.ax = grow(this.ax, wanted);
    this.ay = grow(this.ay, wanted);
    this.bx = grow(this.bx, wanted);
    this.by = grow(this.by, wanted);
  }

  /** Adds an edge, for which room must be reserved. Zero-length edges are skipped. */
  push(ax: number, ay: number, bx: number, by: number): void {
    if (ax === bx && ay === by) return;
    const e = this.length++;
    this.ax[e] = ax;
    this.ay[e] = ay;
    this.bx[e] = bx;
    this.by[e] = by;
  }

  /**
   * Removes pairs of opposite edges; the others keep their order. Linear in the number of edges.
   */
  cancelOpposites(): void {
    runToCompletion(this.cancelSteps());
  }

  /** `cancelOpposites` in steps, between which the edges must not be used otherwise. */
  *cancelSteps(): Generator<undefined, void, undefined> {
    yield* this.oppositeSteps();
    this.#dropCancelled();
  }

  /**
   * Pairs opposite edges, each with at most one other, in steps. Returns, per edge, one more than
   * the index of its opposite, or 0. The result is a view, valid until the edges change.
   */
  *oppositeSteps(): Generator<undefined, Uint32Array, undefined> {
    const mask = this.#clearTable(this.length);
    for (let first = 0; first < this.length; first += EDGES_PER_STEP) {
      this.#findOpposites(mask, first, Math.min(this.length, first + EDGES_PER_STEP));
      yield;
    }
    return this.#opposite;
  }

  #findOpposites(mask: number, first: number, end: number): void {
    const { ax, ay, bx, by } = this;
    const [table, opposite] = [this.#table, this.#opposite];
    for (let e = first; e < end; e++) {
      const [x1, y1, x2, y2] = [ax[e], ay[e], bx[e], by[e]];
      // Opposite edges have the same end points, so their sums of coordinates are equal.
      let slot = mix(x1 + x2, y1 + y2) & mask;
      for (;;) {
        const other = table[slot] - 1;
        if (other === -1) {
          table[slot] = e + 1;
          break;
        }
        if (
          ax[other] === x2 &&
          bx[other] === x1 &&
          ay[other] === y2 &&
          by[other] === y1 &&
          opposite[other] === 0
        ) {
          opposite[other] = e + 1;
          opposite[e] = other + 1;
          break;
        }
        slot = (slot + 1) & mask;
      }
    }
  }

  #clearTable(edges: number): number {
    const slots = slotsFor(edges);
    if (this.#table.length < slots) this.#table = new Uint32Array(slots);
    else this.#table.fill(0, 0, slots);
    if (this.#opposite.length < edges) this.#opposite = new Uint32Array(this.ax.length);
    else this.#opposite.fill(0, 0, edges);
    return slots - 1;
  }

  #dropCancelled(): void {
    const { ax, ay, bx, by, length } = this;
    let kept = 0;
    for (let e = 0; e < length; e++) {
      if (this.#opposite[e] !== 0) continue;
      ax[kept] = ax[e];
      ay[kept] = ay[e];
      bx[kept] = bx[e];
      by[kept++] = by[e];
    }
    this.length = kept;
  }
}

/** Number of hash table slots for the given number of entries: a power of two. */
export function slotsFor(entries: number): number {
  return 1 << (32 - Math.clz32(Math.max(8, entries * SLOTS_PER_EDGE) - 1));
}

/** Hashes a pair of integers to 32 bits, after the finaliser of MurmurHash3. */
export function mix(x: number, y: number): number {
  let hash = Math.imul(x, 0x9e37_79b1) ^ Math.imul(y, 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2_ae35);
  return hash ^ (hash >>> 13);
}
