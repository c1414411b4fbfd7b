import { GrowableArray } from '../../shards/arrays/growable-array.ts';
import { sumCounts } from '../../shards/arrays/prefix-sums.ts';
import type { Millis, StopOrdinal, TargetOrdinal } from '../../shards/units.ts';

/** Stands for no walk; longer than any walk. */
const NO_WALK = 1 << 24;

/**
 * Targets per cluster, as a power of two and as a number. Targets are ordered along the ground, so
 * the 16 consecutive targets of a cluster are near each other.
 */
export const CLUSTER_SHIFT = 4;
export const CLUSTER_SIZE = 1 << CLUSTER_SHIFT;
/** Clusters per group, as a power of two. */
export const GROUP_SHIFT = 4;

/**
 * Walks from stops to clusters of targets. Cluster `c` consists of up to `CLUSTER_SIZE` targets
 * from `targets[c × CLUSTER_SIZE]` on. Its pairs with stops are `firstPair[c]` to `firstPair[c +
 * 1]`, exclusive, sorted by their shortest walks, ascending. Pair `p` has stop `stop[p]`; the walk
 * from that stop to the cluster's `i`th target is `walks[p × CLUSTER_SIZE + i]`, or `NO_WALK`.
 */
export interface EgressTable {
  readonly targets: Int32Array;
  readonly firstPair: Int32Array;
  readonly stop: Int32Array;
  /** The shortest walk of each pair. */
  readonly nearest: Int32Array;
  /**
   * The longest walk of each pair; `NO_WALK` unless the stop has a walk to every target of the
   * cluster that any stop has a walk to.
   */
  readonly farthest: Int32Array;
  readonly walks: Int32Array;
  /** The groups that stop `s` has walks to: `firstGroup[s]` to `firstGroup[s + 1]`, exclusive. */
  readonly firstGroup: Int32Array;
  readonly groups: Int32Array;
}

/** Looks up the walks from stops to any target of a table. */
export class EgressWalks {
  readonly #table: EgressTable;
  /** The position of each target in the table. */
  readonly #rankOf: Int32Array;

  constructor(table: EgressTable) {
    this.#table = table;
    this.#rankOf = ranksOf(table.targets);
  }

  /** Calls `walk` with each stop that has a walk to a target, in no order. */
  forEach(target: TargetOrdinal, walk: (stop: StopOrdinal, time: Millis) => void): void {
    const { firstPair, stop, walks } = this.#table;
    const rank = this.#rankOf[target];
    const cluster = rank >>> CLUSTER_SHIFT;
    for (let pair = firstPair[cluster]; pair < firstPair[cluster + 1]; pair++) {
      const time = walks[(pair << CLUSTER_SHIFT) + (rank & (CLUSTER_SIZE - 1))];
      if (time !== NO_WALK) walk(stop[pair], time);
    }
  }
}

/** Returns the position of each target in an order of all targets. */
function ranksOf(order: Int32Array): Int32Array {
  const ranks = new Int32Array(order.length);
  order.forEach((target, position) => {
    ranks[target] = position;
  });
  return ranks;
}

/** Collects walks by stop, as searches from stops find them, and transposes them once. */
export class EgressBuilder {
  readonly #order: Int32Array;
  /** The position of each target in the order. */
  readonly #rankOf: Int32Array;
  readonly #positions = new GrowableArray(Int32Array);
  readonly #times = new GrowableArray(Int32Array);
  readonly #firstOfStop: number[] = [0];

  /** `order`: all targets, with those near each other on the ground at nearby positions. */
  constructor(order: Int32Array) {
    this.#order = order;
    this.#rankOf = ranksOf(order);
  }

  /** Adds a target, at most once per stop. */
  add(target: TargetOrdinal, time: Millis): void {
    this.#positions.push(this.#rankOf[target]);
    this.#times.push(time);
  }

  /** Completes the walks of a stop; walks added afterwards belong to the next stop. */
  endStop(): void {
    this.#firstOfStop.push(this.#positions.length);
  }

  finish(): EgressTable {
    const { firstCluster, clusters, firstPair } = this.#pairs();
    const pairCount = clusters.length;
    const stops = firstCluster.length - 1;
    const stop = new Int32Array(pairCount);
    const walks = new Int32Array(pairCount * CLUSTER_SIZE).fill(NO_WALK);
    const [positions, times] = [this.#positions.view(), this.#times.view()];
    const next = firstPair.slice();
    const pairOf = new Int32Array(firstPair.length - 1);
    for (let s: StopOrdinal = 0; s < stops; s++) {
      for (let i = firstCluster[s]; i < firstCluster[s + 1]; i++) {
        const pair = next[clusters[i]]++;
        stop[pair] = s;
        pairOf[clusters[i]] = pair;
      }
      for (let i = this.#firstOfStop[s]; i < this.#firstOfStop[s + 1]; i++) {
        const position = positions[i];
        const pair = pairOf[position >>> CLUSTER_SHIFT];
        walks[pair * CLUSTER_SIZE + (position & (CLUSTER_SIZE - 1))] = times[i];
      }
    }
    const { nearest, farthest } = extremes(firstPair, walks);
    const pairs = { stop, nearest, farthest, walks };
    sortPairs(firstPair, pairs);
    return { targets: this.#order, firstPair, ...pairs, ...groupsOf(firstCluster, clusters) };
  }

  /** Finds the pairs of stops and clusters with walks between them, indexed from either side. */
  #pairs() {
    const stops = this.#firstOfStop.length - 1;
    const firstCluster = new Int32Array(stops + 1);
    const positions = this.#positions.view();
    const clusters: number[] = [];
    const firstPair = new Int32Array(
      ((this.#order.length + CLUSTER_SIZE - 1) >>> CLUSTER_SHIFT) + 1,
    );
    for (let stop = 0; stop < stops; stop++) {
      const seen = new Set<number>();
      for (let i = this.#firstOfStop[stop]; i < this.#firstOfStop[stop + 1]; i++) {
        seen.add(positions[i] >>> CLUSTER_SHIFT);
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

/** Finds the shortest and the longest walk of each pair. */
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

/** Sorts the pairs of each cluster by their shortest walks. */
function sortPairs(
  firstPair: Int32Array,
  pairs: Pick<EgressTable, 'stop' | 'nearest' | 'farthest' | 'walks'>,
): void {
  for (let cluster = 0; cluster + 1 < firstPair.length; cluster++) {
    const [first, end] = [firstPair[cluster], firstPair[cluster + 1]];
    const nearest = pairs.nearest.slice(first, end);
    const order = nearest.map((_, pair) => pair).sort((a, b) => nearest[a] - nearest[b] || a - b);
    for (const column of Object.values(pairs)) {
      const width = column.length / pairs.stop.length;
      const before = column.slice(first * width, end * width);
      order.forEach((pair, position) => {
        column.set(before.subarray(pair * width, (pair + 1) * width), (first + position) * width);
      });
    }
  }
}

/** Derives the groups that each stop has walks to from its clusters. */
function groupsOf(firstCluster: Int32Array, clusters: Int32Array) {
  const firstGroup = new Int32Array(firstCluster.length);
  const groups: number[] = [];
  for (let stop = 0; stop + 1 < firstCluster.length; stop++) {
    const some = clusters.subarray(firstCluster[stop], firstCluster[stop + 1]);
    for (const group of new Set(some.map((cluster) => cluster >>> GROUP_SHIFT))) groups.push(group);
    firstGroup[stop + 1] = groups.length;
  }
  return { firstGroup, groups: Int32Array.from(groups) };
}
