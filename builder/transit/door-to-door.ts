import { lowestBit } from '../../shards/arrays/bits.ts';
import type { Millis } from '../../shards/units.ts';
import { CLUSTER_SHIFT, CLUSTER_SIZE, type EgressTable, GROUP_SHIFT } from './egress.ts';
import {
  DEPARTURE_BITS,
  DEPARTURE_MASK,
  type FastestDepartures,
  NO_TIME,
} from './fastest-departures.ts';
import { LANES } from './lane-search.ts';

/**
 * The longest times at which targets count as reached: `limits[0]` for targets below `split`,
 * `limits[1]` for all others.
 */
interface TargetLimits {
  readonly split: number;
  readonly limits: readonly [Millis, Millis];
}

/**
 * Reduces the results of a range search to one time per target. Each departure takes the best
 * combination of alighting and walking on; the result is the `rank`th of these times in ascending
 * order, of no higher rank than the search keeps departures.
 *
 * In a dense city a target has hundreds of stops within walking distance, and nearly all of them
 * are useless, since the time by one stop alone is an upper bound of the time by all stops. So
 * bounds are applied from coarse to fine, and only what each bound leaves is examined closely
 * (filter and refinement, as in Seidl and Kriegel's multi-step search, 1998):
 *
 * - For all lanes at once, the stops that may matter to any target of a cluster in any lane.
 * Neighbouring origins reach the same stops at nearly the same times, and walks and stops are read
 * from memory, which takes most of the time, once for all lanes.
 * - For one lane, the ones among these stops that may matter to any target of the cluster.
 * - For one target, the time by the best stop alone. Mostly no two stops have a faster departure,
 * and this is the time by all stops.
 * - If several stops have a faster departure, departures are counted one by one.
 */
export class DoorToDoor {
  readonly #egress: EgressTable;
  readonly #fastest: FastestDepartures;
  readonly #rank: number;
  readonly #upTo: TargetLimits;
  /**
   * Per stop and lane, the shortest time, and the time that results from alighting only there;
   * `NO_TIME` if not reached. Per stop, the minimum of the former and the maximum of the latter
   * over all lanes.
   */
  readonly #shortest: Int32Array;
  readonly #alone: Int32Array;
  readonly #shortestOfAll: Int32Array;
  readonly #aloneOfAll: Int32Array;
  /** Lanes that reach any stop, one bit each. */
  #moving = 0;
  /**
   * Groups within walking distance of any reached stop, and for each group the shortest time to any
   * such stop.
   */
  readonly #groups: Int32Array;
  readonly #least: Int32Array;
  /**
   * The pairs of the current cluster that may matter to any lane, and those that may matter to the
   * current lane.
   */
  readonly #shared: Int32Array;
  #sharedCount = 0;
  readonly #pairs: Int32Array;
  #pairCount = 0;
  /** The shortest time to the stop of each pair of the current lane, and the time of it alone. */
  readonly #soonest: Int32Array;
  readonly #ranked: Int32Array;
  /** Per lane, the bound of times to the current cluster that matter, exclusive. */
  readonly #within = new Int32Array(LANES);
  /**
   * Per target of the current cluster: the time to beat, the best time, and the number of pairs
   * whose stops have a faster departure; `n`th such pairs are consecutive.
   */
  readonly #bounds = new Int32Array(CLUSTER_SIZE);
  readonly #times = new Int32Array(CLUSTER_SIZE);
  readonly #faster = new Int32Array(CLUSTER_SIZE);
  readonly #fasterPairs: Int32Array;
  /**
   * The shortest time to the current target by each departure, `NO_TIME` between targets; and the
   * departures that have one.
   */
  readonly #byDeparture = new Int32Array(1 << DEPARTURE_BITS).fill(NO_TIME);
  readonly #departures = new Int32Array(1 << DEPARTURE_BITS);
  /**
   * Clusters that may be reached from any lane's origin, and the times to their targets. Times from
   * lane `l`'s origin to the targets of the `n`th such cluster begin at `(l × clusters + n) ×
   * CLUSTER_SIZE`; `NO_TIME` if not reached.
   */
  readonly #clusters: Int32Array;
  #clusterCount = 0;
  readonly #found: Int32Array;
  /**
   * Targets whose times the last call of `lower` lowered, in no order; only as many as it returned
   * are valid.
   */
  readonly lowered: Uint32Array;

  constructor(egress: EgressTable, fastest: FastestDepartures, rank: number, upTo: TargetLimits) {
    this.#egress = egress;
    this.#fastest = fastest;
    this.#rank = rank;
    this.#upTo = upTo;
    const stops = egress.firstGroup.length - 1;
    this.#shortest = new Int32Array(stops * LANES);
    this.#alone = new Int32Array(stops * LANES);
    this.#shortestOfAll = new Int32Array(stops);
    this.#aloneOfAll = new Int32Array(stops);
    const clusters = egress.firstPair.length - 1;
    const groupCount = (clusters >>> GROUP_SHIFT) + 1;
    this.#groups = new Int32Array(groupCount);
    this.#least = new Int32Array(groupCount).fill(NO_TIME);
    this.#shared = new Int32Array(stops);
    this.#pairs = new Int32Array(stops);
    this.#soonest = new Int32Array(stops);
    this.#ranked = new Int32Array(stops);
    this.#fasterPairs = new Int32Array(stops * CLUSTER_SIZE);
    this.#clusters = new Int32Array(clusters);
    this.#found = new Int32Array(LANES * clusters * CLUSTER_SIZE);
    this.lowered = new Uint32Array(egress.targets.length);
  }

  /** Computes the times by transit from the origins of all lanes. */
  run(): void {
    const { firstGroup, groups, firstPair } = this.#egress;
    const { stops, stopCount } = this.#fastest;
    const least = this.#least;
    let groupCount = 0;
    this.#takeFastest();
    for (let i = 0; i < stopCount; i++) {
      const stop = stops[i];
      const shortest = this.#shortestOfAll[stop];
      for (let g = firstGroup[stop]; g < firstGroup[stop + 1]; g++) {
        const group = groups[g];
        if (least[group] === NO_TIME) this.#groups[groupCount++] = group;
        if (shortest < least[group]) least[group] = shortest;
      }
    }
    this.#clusterCount = 0;
    for (let i = 0; i < groupCount; i++) {
      const group = this.#groups[i];
      const end = Math.min((group + 1) << GROUP_SHIFT, firstPair.length - 1);
      for (let cluster = group << GROUP_SHIFT; cluster < end; cluster++) {
        this.#reachCluster(cluster, least[group]);
      }
      least[group] = NO_TIME;
    }
  }

  /**
   * Lowers `times`, which hold the direct walks from a lane's origin (over the limit: not reached),
   * to the times by transit where they are shorter. Transit that exceeds a target's limit lowers
   * nothing. Returns the number of times lowered.
   */
  lower(lane: number, times: Int32Array): number {
    const { targets } = this.#egress;
    const found = this.#found;
    let lowered = 0;
    if ((this.#moving & (1 << lane)) === 0) return lowered;
    for (let n = 0; n < this.#clusterCount; n++) {
      const first = this.#clusters[n] << CLUSTER_SHIFT;
      const size = Math.min(targets.length - first, CLUSTER_SIZE);
      const row = this.#rowOf(n, lane);
      for (let i = 0; i < size; i++) {
        const target = targets[first + i];
        if (found[row + i] >= times[target]) continue;
        times[target] = found[row + i];
        this.lowered[lowered++] = target;
      }
    }
    return lowered;
  }

  /**
   * Prepares the bounds for the times by each stop. A lane that reaches no stop contributes none.
   */
  #takeFastest(): void {
    const { keys, wanted, stops, stopCount } = this.#fastest;
    this.#moving = 0;
    this.#shortestOfAll.fill(NO_TIME);
    this.#aloneOfAll.fill(NO_TIME);
    for (let i = 0; i < stopCount; i++) {
      for (let lane = 0; lane < LANES; lane++) {
        const at = stops[i] * LANES + lane;
        this.#shortest[at] = keys[at * wanted] >> DEPARTURE_BITS;
        this.#alone[at] = keys[at * wanted + this.#rank - 1] >> DEPARTURE_BITS;
        if (this.#shortest[at] !== NO_TIME) this.#moving |= 1 << lane;
      }
    }
    for (let i = 0; i < stopCount; i++) {
      let shortest = NO_TIME;
      let alone = 0;
      for (let left = this.#moving; left !== 0; left &= left - 1) {
        const at = stops[i] * LANES + lowestBit(left);
        shortest = Math.min(shortest, this.#shortest[at]);
        alone = Math.max(alone, this.#alone[at]);
      }
      this.#shortestOfAll[stops[i]] = shortest;
      this.#aloneOfAll[stops[i]] = alone;
    }
  }

  /**
   * Computes the times to the targets of a cluster. No nearby stop is reached in less than `least`.
   */
  #reachCluster(cluster: number, least: Millis): void {
    const { targets } = this.#egress;
    const { split, limits } = this.#upTo;
    const first = cluster << CLUSTER_SHIFT;
    const size = Math.min(targets.length - first, CLUSTER_SIZE);
    const bounds = this.#bounds;
    let slowest = 0;
    for (let i = 0; i < size; i++) {
      bounds[i] = limits[targets[first + i] < split ? 0 : 1] + 1;
      slowest = Math.max(slowest, bounds[i]);
    }
    const below = this.#choosePairs(cluster, least, slowest);
    if (this.#sharedCount === 0) return;
    this.#boundLanes(below);
    const n = this.#clusterCount++;
    this.#clusters[n] = cluster;
    for (let left = this.#moving; left !== 0; left &= left - 1) {
      const lane = lowestBit(left);
      this.#keepPairs(lane);
      this.#alightOnce(lane, size);
      this.#alightTwice(lane, size);
      const row = this.#rowOf(n, lane);
      for (let i = 0; i < size; i++) {
        this.#found[row + i] = this.#times[i] < bounds[i] ? this.#times[i] : NO_TIME;
      }
    }
  }

  #rowOf(n: number, lane: number): number {
    return (lane * this.#clusters.length + n) << CLUSTER_SHIFT;
  }

  /**
   * Chooses the pairs of a cluster that can lead to any of its targets below `bound` in any lane.
   * No nearby stop is reached in less than `least`. Returns the bound, or a shorter time below
   * which one pair alone leads to all targets in every lane.
   */
  #choosePairs(cluster: number, least: Millis, bound: Millis): Millis {
    const { firstPair, stop, nearest, farthest } = this.#egress;
    const shortest = this.#shortestOfAll;
    const alone = this.#aloneOfAll;
    const shared = this.#shared;
    let below = bound;
    let chosen = 0;
    for (let pair = firstPair[cluster]; pair < firstPair[cluster + 1]; pair++) {
      // The walks of the remaining pairs are no shorter.
      if (least + nearest[pair] >= below) break;
      const from = stop[pair];
      if (shortest[from] + nearest[pair] >= below) continue;
      // All stops together are at least as good as this one, so longer times are irrelevant.
      below = Math.min(below, alone[from] + farthest[pair] + 1);
      shared[chosen++] = pair;
    }
    let kept = 0;
    for (let i = 0; i < chosen; i++) {
      if (shortest[stop[shared[i]]] + nearest[shared[i]] < below) shared[kept++] = shared[i];
    }
    this.#sharedCount = kept;
    return below;
  }

  /** Lowers the bound of each lane to the time in which one pair alone leads to all targets. */
  #boundLanes(bound: Millis): void {
    const { stop, farthest } = this.#egress;
    const shared = this.#shared;
    const within = this.#within.fill(bound);
    for (let i = 0; i < this.#sharedCount; i++) {
      const pair = shared[i];
      const walk = farthest[pair] + 1;
      if (this.#shortestOfAll[stop[pair]] + walk >= bound) continue;
      const first = stop[pair] * LANES;
      for (let lane = 0; lane < LANES; lane++) {
        within[lane] = lesser(within[lane], this.#alone[first + lane] + walk);
      }
    }
  }

  /** Keeps the pairs that can lead to any target below the bound of a lane. */
  #keepPairs(lane: number): void {
    const { stop, nearest } = this.#egress;
    const shared = this.#shared;
    const shortest = this.#shortest;
    const pairs = this.#pairs;
    const within = this.#within[lane];
    let kept = 0;
    for (let i = 0; i < this.#sharedCount; i++) {
      const pair = shared[i];
      pairs[kept] = pair;
      kept += isLess(shortest[stop[pair] * LANES + lane] + nearest[pair], within);
    }
    for (let p = 0; p < kept; p++) {
      const at = stop[pairs[p]] * LANES + lane;
      this.#soonest[p] = shortest[at];
      this.#ranked[p] = this.#alone[at];
    }
    this.#pairCount = kept;
  }

  /** Computes the time to each target by the best stop alone. */
  #alightOnce(lane: number, size: number): void {
    const { nearest, walks } = this.#egress;
    const times = this.#times;
    const pairs = this.#pairs;
    let slowest = this.#within[lane];
    times.set(this.#bounds);
    for (let p = 0; p < this.#pairCount; p++) {
      const alone = this.#ranked[p];
      const pair = pairs[p];
      if (alone + nearest[pair] >= slowest) continue;
      const first = pair << CLUSTER_SHIFT;
      let most = 0;
      for (let i = 0; i < size; i++) {
        const time = lesser(times[i], alone + walks[first + i]);
        times[i] = time;
        most = greater(most, time);
      }
      slowest = lesser(slowest, most);
    }
  }

  /**
   * Counts the departures of all stops for each target to which several stops have a faster
   * departure. One stop alone does not have `rank` of them, or it would be the best.
   */
  #alightTwice(lane: number, size: number): void {
    const { nearest, walks } = this.#egress;
    const times = this.#times;
    const pairs = this.#pairs;
    const soonest = this.#soonest;
    const fasterPairs = this.#fasterPairs;
    const faster = this.#faster.fill(0);
    let slowest = 0;
    for (let i = 0; i < size; i++) if (times[i] > slowest) slowest = times[i];
    for (let p = 0; p < this.#pairCount; p++) {
      const pair = pairs[p];
      const shortest = soonest[p];
      if (shortest + nearest[pair] >= slowest) continue;
      const first = pair << CLUSTER_SHIFT;
      for (let i = 0; i < size; i++) {
        fasterPairs[(faster[i] << CLUSTER_SHIFT) + i] = pair;
        faster[i] += isLess(shortest + walks[first + i], times[i]);
      }
    }
    for (let i = 0; i < size; i++) if (faster[i] > 1) this.#count(lane, i);
  }

  /** Computes the time to a target by the departures of all stops. */
  #count(lane: number, i: number): void {
    const { stop, walks } = this.#egress;
    const { keys, wanted } = this.#fastest;
    const byDeparture = this.#byDeparture;
    const departures = this.#departures;
    const fasterPairs = this.#fasterPairs;
    const rank = this.#rank;
    const below = this.#times[i] << DEPARTURE_BITS;
    let count = 0;
    for (let p = 0; p < this.#faster[i]; p++) {
      const pair = fasterPairs[(p << CLUSTER_SHIFT) + i];
      const walk = walks[(pair << CLUSTER_SHIFT) + i] << DEPARTURE_BITS;
      const first = (stop[pair] * LANES + lane) * wanted;
      for (let at = first; at < first + rank && keys[at] < below - walk; at++) {
        const departure = keys[at] & DEPARTURE_MASK;
        const time = (keys[at] + walk) >> DEPARTURE_BITS;
        if (time >= byDeparture[departure]) continue;
        if (byDeparture[departure] === NO_TIME) departures[count++] = departure;
        byDeparture[departure] = time;
      }
    }
    // The times take the places of their departures, of which they are needed no more.
    for (let d = 0; d < count; d++) {
      const departure = departures[d];
      departures[d] = byDeparture[departure];
      byDeparture[departure] = NO_TIME;
    }
    if (count >= rank) this.#times[i] = nthSmallest(departures, count, rank);
  }
}

/**
 * The lesser and the greater of two numbers below 2³⁰, and whether one is less than the other, as 1
 * or 0: without branches, which processors would often mispredict here.
 */
const lesser = (a: number, b: number): number => a + ((b - a) & ((b - a) >> 31));
const greater = (a: number, b: number): number => b - ((b - a) & ((b - a) >> 31));
const isLess = (a: number, b: number): number => (a - b) >>> 31;

/** Returns the `n`th smallest of `count` numbers, which it reorders: quickselect (Hoare, 1961). */
function nthSmallest(numbers: Int32Array, count: number, n: number): number {
  let [first, last] = [0, count - 1];
  while (first < last) {
    const pivot = numbers[(first + last) >> 1];
    let [low, high] = [first, last];
    while (low <= high) {
      while (numbers[low] < pivot) low++;
      while (numbers[high] > pivot) high--;
      if (low > high) break;
      const swapped = numbers[low];
      numbers[low++] = numbers[high];
      numbers[high--] = swapped;
    }
    if (n - 1 <= high) last = high;
    else if (n - 1 >= low) first = low;
    else break;
  }
  return numbers[n - 1];
}
