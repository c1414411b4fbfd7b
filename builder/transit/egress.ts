import { sumCounts } from '../../shards/prefix-sums.ts';
import type { Millis, TargetOrdinal } from '../../shards/units.ts';

/**
 * Walks from stops to targets. Those to target `t` are `first[t]` to `first[t + 1]`, exclusive; two
 * numbers each, the stop and the milliseconds from it, nearer stops first.
 *
 * Targets are numbered along the ground, so each stop's lie in few runs of 64: its clusters, from
 * `firstCluster[s]` to `firstCluster[s + 1]`, say which targets are worth a look.
 */
export interface EgressTable {
  readonly first: Int32Array;
  readonly walks: Int32Array;
  readonly firstCluster: Int32Array;
  readonly clusters: Int32Array;
}

export const CLUSTER_SHIFT = 6;

/** Collects the walks stop by stop, as searches from stops find them, and turns them around once. */
export class EgressBuilder {
  readonly #targetCount: number;
  #targets = new Int32Array(1 << 16);
  #times = new Int32Array(1 << 16);
  #count = 0;
  readonly #firstOfStop: number[] = [0];

  constructor(targetCount: number) {
    this.#targetCount = targetCount;
  }

  add(target: TargetOrdinal, time: Millis): void {
    if (this.#count === this.#targets.length) {
      this.#targets = doubled(this.#targets);
      this.#times = doubled(this.#times);
    }
    this.#targets[this.#count] = target;
    this.#times[this.#count++] = time;
  }

  /** The walks of one stop are complete: those added from now on are the next stop's. */
  endStop(): void {
    this.#firstOfStop.push(this.#count);
  }

  finish(): EgressTable {
    const stops = this.#firstOfStop.length - 1;
    const first = new Int32Array(this.#targetCount + 1);
    for (let i = 0; i < this.#count; i++) first[this.#targets[i] + 1]++;
    sumCounts(first);
    const next = first.slice();
    const walks = new Int32Array(this.#count * 2);
    const clusters: number[] = [];
    const firstCluster = new Int32Array(stops + 1);
    for (let stop = 0; stop < stops; stop++) {
      const seen = new Set<number>();
      for (let i = this.#firstOfStop[stop]; i < this.#firstOfStop[stop + 1]; i++) {
        const target = this.#targets[i];
        const at = 2 * next[target]++;
        walks[at] = stop;
        walks[at + 1] = this.#times[i];
        seen.add(target >>> CLUSTER_SHIFT);
      }
      for (const cluster of seen) clusters.push(cluster);
      firstCluster[stop + 1] = clusters.length;
    }
    for (let t = 0; t < this.#targetCount; t++) sortByTime(walks, first[t], first[t + 1]);
    return { first, walks, firstCluster, clusters: Int32Array.from(clusters) };
  }
}

function doubled(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(array.length * 2);
  grown.set(array);
  return grown;
}

/** Sorts the pairs from `start` to `end` by their second number; insertion, for they are few. */
function sortByTime(pairs: Int32Array, start: number, end: number): void {
  for (let i = start + 1; i < end; i++) {
    const stop = pairs[2 * i];
    const time = pairs[2 * i + 1];
    let at = i;
    for (; at > start && pairs[2 * at - 1] > time; at--) {
      pairs[2 * at] = pairs[2 * at - 2];
      pairs[2 * at + 1] = pairs[2 * at - 1];
    }
    pairs[2 * at] = stop;
    pairs[2 * at + 1] = time;
  }
}
