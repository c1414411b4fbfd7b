import { grow } from '../../shards/arrays/growable-array.ts';
import { OrdinalSet } from '../../shards/arrays/ordinal-set.ts';
import type { Millis, TargetOrdinal } from '../../shards/units.ts';
import type { LinkedTargets } from './linked-targets.ts';
import type { SearchGraph } from './search-graph.ts';
import type { SearchLink } from './street-region.ts';

/**
 * Bucket width, 2¹² ms, as a power of two. With narrower buckets fewer vertices are rescanned; with
 * wider ones there are fewer buckets to scan.
 */
const BUCKET_SHIFT = 12;
const NIL = -1;

/**
 * Finds bounded one-to-many shortest times, from one origin at a time, with Dial's bucket queue
 * (1969), whose buckets here are wider than the shortest arc. A vertex improved within the bucket
 * that is being emptied is reinserted, so labels are exact at any width (the sequential case of
 * Meyer and Sanders' Δ-stepping). Arrays are allocated once and only what a search touched is
 * cleared after it.
 *
 * One instance serves one thread; `reached` and `times` are valid until the next `run`.
 */
export class StreetSearch {
  readonly #graph: SearchGraph;
  readonly #targets: LinkedTargets;
  readonly #limit: Millis;
  readonly #distance: Int32Array;
  readonly #scanned: Int32Array;
  readonly #touched: Uint32Array;
  readonly #inOrder: OrdinalSet;
  readonly #bucketHead: Int32Array;
  #entryVertex: Int32Array;
  #entryNext: Int32Array;

  /**
   * Targets within the limit by the last run, in no order; only the first `reachedCount` are valid.
   */
  readonly reached: Uint32Array;
  /** Milliseconds to each target by the last run; valid only for targets in `reached`. */
  readonly times: Int32Array;
  reachedCount = 0;
  /** Vertices settled and arcs relaxed, over all runs. */
  settled = 0;
  relaxed = 0;

  /** `limit`: the longest time in which a target is reached, inclusive. */
  constructor(graph: SearchGraph, targets: LinkedTargets, limit: Millis) {
    this.#graph = graph;
    this.#targets = targets;
    this.#limit = limit;
    this.#distance = new Int32Array(graph.vertexCount).fill(limit + 1);
    this.#scanned = new Int32Array(graph.vertexCount).fill(NIL);
    this.#touched = new Uint32Array(graph.vertexCount);
    this.#inOrder = new OrdinalSet(graph.vertexCount);
    this.#bucketHead = new Int32Array((limit >>> BUCKET_SHIFT) + 1).fill(NIL);
    this.#entryVertex = new Int32Array(graph.arcs.length + 16);
    this.#entryNext = new Int32Array(graph.arcs.length + 16);
    this.reached = new Uint32Array(targets.targetCount);
    this.times = new Int32Array(targets.targetCount).fill(limit + 1);
  }

  /** Searches from an origin, by any of its links; returns how many targets it reached. */
  run(...origin: readonly SearchLink[]): number {
    this.clear();
    const touched = this.#settle(origin);
    this.#sortTouched(touched);
    this.#reachFromVertices(touched);
    for (const link of origin) this.#reachOnChain(link);
    for (let i = 0; i < touched; i++) {
      const vertex = this.#touched[i];
      this.#distance[vertex] = this.#limit + 1;
      this.#scanned[vertex] = NIL;
    }
    return this.reachedCount;
  }

  clear(): void {
    for (let i = 0; i < this.reachedCount; i++) this.times[this.reached[i]] = this.#limit + 1;
    this.reachedCount = 0;
  }

  /** Sets a time known from elsewhere, whether or not the last run reached the target. */
  setTime(target: TargetOrdinal, time: Millis): void {
    if (this.times[target] > this.#limit) this.reached[this.reachedCount++] = target;
    this.times[target] = time;
  }

  /** Delays what the last run reached until another search reached it, too. */
  delayTo({ times }: StreetSearch): void {
    for (let i = 0; i < this.reachedCount; i++) {
      const target = this.reached[i];
      if (times[target] > this.times[target]) this.times[target] = times[target];
    }
  }

  /**
   * Labels every vertex within the limit and lists it in `#touched`. Returns the number of these
   * vertices.
   */
  #settle(origin: readonly SearchLink[]): number {
    const { firstArc, arcs, chains } = this.#graph;
    const distance = this.#distance;
    const scanned = this.#scanned;
    const touchedList = this.#touched;
    const bucketHead = this.#bucketHead;
    const unreached = this.#limit + 1;
    let entryVertex = this.#entryVertex;
    let entryNext = this.#entryNext;
    let entries = 0;
    let touched = 0;
    let settled = 0;
    let relaxed = 0;

    const starts = origin.flatMap(({ chain, along, alongBack, offStreet }) => [
      [chains.a[chain], alongBack + offStreet],
      [chains.b[chain], chains.forward[chain] - along + offStreet],
    ]);
    for (const [vertex, cost] of starts) {
      if (cost >= distance[vertex]) continue;
      if (distance[vertex] === unreached) touchedList[touched++] = vertex;
      distance[vertex] = cost;
      entryVertex[entries] = vertex;
      entryNext[entries] = bucketHead[cost >>> BUCKET_SHIFT];
      bucketHead[cost >>> BUCKET_SHIFT] = entries++;
    }

    for (let bucket = 0; bucket < bucketHead.length; bucket++) {
      for (let entry = bucketHead[bucket]; entry !== NIL; entry = bucketHead[bucket]) {
        bucketHead[bucket] = entryNext[entry];
        const vertex = entryVertex[entry];
        const label = distance[vertex];
        // A vertex that was improved has several entries; each of its labels is scanned at most
        // once.
        if (scanned[vertex] === label) continue;
        scanned[vertex] = label;
        settled++;
        const end = firstArc[vertex + 1] << 1;
        for (let arc = firstArc[vertex] << 1; arc < end; arc += 2) {
          const head = arcs[arc];
          const reachedAt = label + arcs[arc + 1];
          const known = distance[head];
          if (reachedAt >= known) continue;
          if (known === unreached) touchedList[touched++] = head;
          distance[head] = reachedAt;
          if (entries === entryVertex.length) {
            entryVertex = this.#entryVertex = grow(entryVertex);
            entryNext = this.#entryNext = grow(entryNext);
          }
          entryVertex[entries] = head;
          entryNext[entries] = bucketHead[reachedAt >>> BUCKET_SHIFT];
          bucketHead[reachedAt >>> BUCKET_SHIFT] = entries++;
        }
        relaxed += (end - (firstArc[vertex] << 1)) >>> 1;
      }
    }
    this.settled += settled;
    this.relaxed += relaxed;
    return touched;
  }

  /**
   * Sorts the touched vertices. Targets are stored in the order of vertices, so memory is then read
   * sequentially.
   */
  #sortTouched(touched: number): void {
    for (let i = 0; i < touched; i++) this.#inOrder.add(this.#touched[i]);
    this.#inOrder.moveTo(this.#touched);
  }

  #reachFromVertices(touched: number): void {
    const { firstEntry, entries } = this.#targets;
    const times = this.times;
    const unreached = this.#limit + 1;
    let reachedCount = this.reachedCount;
    for (let i = 0; i < touched; i++) {
      const vertex = this.#touched[i];
      const label = this.#distance[vertex];
      const end = firstEntry[vertex + 1] << 1;
      for (let at = firstEntry[vertex] << 1; at < end; at += 2) {
        const target = entries[at];
        const time = label + entries[at + 1];
        const known = times[target];
        if (time >= known) continue;
        if (known === unreached) this.reached[reachedCount++] = target;
        times[target] = time;
      }
    }
    this.reachedCount = reachedCount;
  }

  /** Reaches the targets on the origin's own chain, along that chain. */
  #reachOnChain(origin: SearchLink): void {
    const { firstOnChain, onChain } = this.#targets;
    const end = firstOnChain[origin.chain + 1] * 4;
    for (let at = firstOnChain[origin.chain] * 4; at < end; at += 4) {
      const target = onChain[at];
      const along = onChain[at + 1];
      const alongBack = onChain[at + 2];
      const ride = along >= origin.along ? along - origin.along : origin.alongBack - alongBack;
      const time = origin.offStreet + ride + onChain[at + 3];
      if (time >= this.times[target]) continue;
      if (this.times[target] === this.#limit + 1) this.reached[this.reachedCount++] = target;
      this.times[target] = time;
    }
  }
}
