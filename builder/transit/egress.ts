import { sumCounts } from '../../shards/prefix-sums.ts';
import type { Millis, StopOrdinal, TargetOrdinal } from '../../shards/units.ts';

/** No walk is as long. */
export const NO_WALK = 0x7fff_ffff;

/**
 * Targets are numbered along the ground, so those of a cluster, 16 in a row, lie near each other, and
 * what is too far from one stop is so for most of them.
 */
export const CLUSTER_SHIFT = 4;
export const CLUSTER_SIZE = 1 << CLUSTER_SHIFT;

/**
 * Walks from stops to targets, by clusters of targets. Cluster `c` has the pairs of it and a stop
 * `firstPair[c]` to `firstPair[c + 1]`, exclusive. Pair `p` is of `stop[p]`; the walk from there to
 * target `t` is `walks[p × CLUSTER_SIZE + t mod CLUSTER_SIZE]`, or `NO_WALK`.
 */
export interface EgressTable {
  readonly firstPair: Int32Array;
  readonly stop: Int32Array;
  /** The shortest walk of each pair. */
  readonly nearest: Int32Array;
  /** The longest; `NO_WALK` unless the stop has one to every target of the cluster that any has. */
  readonly farthest: Int32Array;
  readonly walks: Int32Array;
  /** The clusters that stop `s` has walks to: `firstCluster[s]` to `firstCluster[s + 1]`, exclusive. */
  readonly firstCluster: Int32Array;
  readonly clusters: Int32Array;
}

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

  /** A target is added once a stop. */
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
    const { firstCluster, clusters, firstPair } = this.#pairs();
    const pairCount = clusters.length;
    const stops = firstCluster.length - 1;
    const stop = new Int32Array(pairCount);
    const walks = new Int32Array(pairCount * CLUSTER_SIZE).fill(NO_WALK);
    const next = firstPair.slice();
    const pairOf = new Int32Array(firstPair.length - 1);
    for (let s: StopOrdinal = 0; s < stops; s++) {
      for (let i = firstCluster[s]; i < firstCluster[s + 1]; i++) {
        const pair = next[clusters[i]]++;
        stop[pair] = s;
        pairOf[clusters[i]] = pair;
      }
      for (let i = this.#firstOfStop[s]; i < this.#firstOfStop[s + 1]; i++) {
        const target = this.#targets[i];
        const pair = pairOf[target >>> CLUSTER_SHIFT];
        walks[pair * CLUSTER_SIZE + (target & (CLUSTER_SIZE - 1))] = this.#times[i];
      }
    }
    return { firstPair, stop, ...extremes(firstPair, walks), walks, firstCluster, clusters };
  }

  /** Which stops have walks to which clusters, from either side. */
  #pairs() {
    const stops = this.#firstOfStop.length - 1;
    const firstCluster = new Int32Array(stops + 1);
    const clusters: number[] = [];
    const firstPair = new Int32Array(
      ((this.#targetCount + CLUSTER_SIZE - 1) >>> CLUSTER_SHIFT) + 1,
    );
    for (let stop = 0; stop < stops; stop++) {
      const seen = new Set<number>();
      for (let i = this.#firstOfStop[stop]; i < this.#firstOfStop[stop + 1]; i++) {
        seen.add(this.#targets[i] >>> CLUSTER_SHIFT);
      }
      for (const cluster of seen) {
        clusters.push(cluster);
        firstPair[cluster + 1]++;
      }
      firstCluster[stop + 1] = clusters.length;
    }
    sumCounts(firstPair);
    return { firstCluster, clusters: Int32Array.from(clusters), firstPair };
  }
}

/** The shortest and the longest walk of each pair. */
function extremes(firstPair: Int32Array, walks: Int32Array) {
  const pairCount = walks.length / CLUSTER_SIZE;
  const nearest = new Int32Array(pairCount).fill(NO_WALK);
  const farthest = new Int32Array(pairCount);
  const isServed = new Uint8Array(CLUSTER_SIZE);
  for (let cluster = 0; cluster + 1 < firstPair.length; cluster++) {
    const [first, end] = [firstPair[cluster], firstPair[cluster + 1]];
    isServed.fill(0);
    for (let at = first * CLUSTER_SIZE; at < end * CLUSTER_SIZE; at++) {
      if (walks[at] !== NO_WALK) isServed[at & (CLUSTER_SIZE - 1)] = 1;
    }
    for (let pair = first; pair < end; pair++) {
      for (let i = 0; i < CLUSTER_SIZE; i++) {
        if (!isServed[i]) continue;
        const walk = walks[pair * CLUSTER_SIZE + i];
        nearest[pair] = Math.min(nearest[pair], walk);
        farthest[pair] = Math.max(farthest[pair], walk);
      }
    }
  }
  return { nearest, farthest };
}

function doubled(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(array.length * 2);
  grown.set(array);
  return grown;
}
