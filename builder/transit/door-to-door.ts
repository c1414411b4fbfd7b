import type { Millis } from '../../shards/units.ts';
import { CLUSTER_SHIFT, CLUSTER_SIZE, type EgressTable, GROUP_SHIFT, NO_WALK } from './egress.ts';
import type { RangeArrivals } from './range-arrivals.ts';

/** Times and their departures are kept as one number each: `time << DEPARTURE_BITS | departure`. */
const DEPARTURE_BITS = 6;
const DEPARTURE_MASK = (1 << DEPARTURE_BITS) - 1;
/** No time is as long, with any walk or without. */
const NEVER = NO_WALK << DEPARTURE_BITS;

/**
 * Reduces a range search to one time a target: for each departure the best of walking all the way
 * and of alighting anywhere and walking on; of those, sorted, the one at `index`.
 *
 * So of each stop only its fastest `index + 1` departures matter: to any target, these are no
 * slower than the time that counts, and the others no faster. In a dense city a target has hundreds
 * of stops within a walk, and nearly all of them are of no use: the time by one stop alone bounds
 * the time by all of them. What takes longer than that is left out, of each cluster of targets the
 * far stops.
 */
export class DoorToDoor {
  readonly #egress: EgressTable;
  readonly #wanted: number;
  /**
   * Of each reached stop the fastest departures, the fastest first, each with its time; `NEVER`:
   * none.
   */
  readonly #fast: Int32Array;
  /** Of each reached stop the least time, and the time that counts if one alights nowhere else. */
  readonly #shortest: Int32Array;
  readonly #alone: Int32Array;
  /** Groups that any reached stop has walks to, and the least time to any of those stops. */
  readonly #groups: Int32Array;
  readonly #least: Int32Array;
  /** The pairs that may matter to a target of the cluster in hand. */
  readonly #pairs: Int32Array;
  /**
   * Of each target of the cluster in hand: what is not below this does not matter, and so many of
   * the fastest departures so far.
   */
  readonly #below = new Int32Array(CLUSTER_SIZE);
  readonly #kept = new Uint8Array(CLUSTER_SIZE);
  readonly #best: Int32Array;
  /** Targets that the last run lowered, in no order: as many as it said. */
  readonly lowered: Uint32Array;
  #loweredCount = 0;

  constructor(egress: EgressTable, window: { departures: number; index: number }) {
    if (window.departures > 1 << DEPARTURE_BITS) throw new Error('too many departures');
    this.#egress = egress;
    this.#wanted = window.index + 1;
    const stops = egress.firstGroup.length - 1;
    this.#fast = new Int32Array(stops * this.#wanted);
    this.#shortest = new Int32Array(stops).fill(NO_WALK);
    this.#alone = new Int32Array(stops).fill(NO_WALK);
    const groupCount = ((egress.firstPair.length - 1) >>> GROUP_SHIFT) + 1;
    this.#groups = new Int32Array(groupCount);
    this.#least = new Int32Array(groupCount).fill(NO_WALK);
    this.#pairs = new Int32Array(stops);
    this.#best = new Int32Array(CLUSTER_SIZE * this.#wanted);
    this.lowered = new Uint32Array(egress.targets.length);
  }

  /**
   * Lowers `times`, which hold the direct walks (over the limit: not reached), to door-to-door
   * times where transit is faster: of targets below `split` those up to the first limit, of the
   * others those up to the second. Transit that takes longer than the limit lowers nothing. Returns
   * how many it lowered.
   */
  lower(
    search: RangeArrivals,
    reachedStops: number,
    windowStart: Millis,
    times: Int32Array,
    split: number,
    limits: readonly [Millis, Millis],
  ): number {
    const { firstGroup, groups, firstPair } = this.#egress;
    const least = this.#least;
    this.#loweredCount = 0;
    let groupCount = 0;
    for (let i = 0; i < reachedStops; i++) {
      const stop = search.reached[i];
      this.#keepFast(search, stop, windowStart);
      const shortest = this.#shortest[stop];
      for (let g = firstGroup[stop]; g < firstGroup[stop + 1]; g++) {
        const group = groups[g];
        if (least[group] === NO_WALK) this.#groups[groupCount++] = group;
        if (shortest < least[group]) least[group] = shortest;
      }
    }
    for (let i = 0; i < groupCount; i++) {
      const group = this.#groups[i];
      const end = Math.min((group + 1) << GROUP_SHIFT, firstPair.length - 1);
      for (let cluster = group << GROUP_SHIFT; cluster < end; cluster++) {
        this.#lowerCluster(cluster, least[group], times, split, limits);
      }
      least[group] = NO_WALK;
    }
    for (let i = 0; i < reachedStops; i++) {
      const stop = search.reached[i];
      this.#shortest[stop] = NO_WALK;
      this.#alone[stop] = NO_WALK;
    }
    return this.#loweredCount;
  }

  #lowerCluster(
    cluster: number,
    least: Millis,
    times: Int32Array,
    split: number,
    limits: readonly [Millis, Millis],
  ): void {
    const { targets } = this.#egress;
    const first = cluster << CLUSTER_SHIFT;
    const size = Math.min(targets.length - first, CLUSTER_SIZE);
    const below = this.#below;
    let slowest = 0;
    for (let i = 0; i < size; i++) {
      const target = targets[first + i];
      const limit = target < split ? limits[0] : limits[1];
      const bound = Math.min(times[target], limit + 1);
      if (bound > slowest) slowest = bound;
      below[i] = bound << DEPARTURE_BITS;
    }
    const pairs = this.#choosePairs(cluster, least, slowest);
    if (pairs === 0) return;
    this.#kept.fill(0);
    for (let i = 0; i < pairs; i++) this.#alight(this.#pairs[i], size);
    const last = this.#wanted - 1;
    for (let i = 0; i < size; i++) {
      if (this.#kept[i] <= last) continue;
      const target = targets[first + i];
      times[target] = this.#best[i * this.#wanted + last] >> DEPARTURE_BITS;
      this.lowered[this.#loweredCount++] = target;
    }
  }

  /**
   * Chooses the pairs of a cluster that can lead to any of its targets below `bound`, the best
   * first. No stop near is reached in less than `least`.
   */
  #choosePairs(cluster: number, least: Millis, bound: Millis): number {
    const { firstPair, stop, nearest, farthest } = this.#egress;
    const shortest = this.#shortest;
    const alone = this.#alone;
    const pairs = this.#pairs;
    let below = bound;
    let chosen = 0;
    let best = 0;
    for (let pair = firstPair[cluster]; pair < firstPair[cluster + 1]; pair++) {
      // Those that follow are farther away.
      if (least + nearest[pair] >= below) break;
      const from = stop[pair];
      if (shortest[from] + nearest[pair] >= below) continue;
      // All stops together do as well as this one: what takes longer does not matter.
      const enough = alone[from] + farthest[pair];
      if (enough < below) {
        below = enough + 1;
        best = chosen;
      }
      pairs[chosen++] = pair;
    }
    if (chosen === 0) return 0;
    const first = pairs[best];
    pairs[best] = pairs[0];
    pairs[0] = first;
    let kept = 0;
    for (let i = 0; i < chosen; i++) {
      if (shortest[stop[pairs[i]]] + nearest[pairs[i]] < below) pairs[kept++] = pairs[i];
    }
    return kept;
  }

  /** Keeps of a stop the departures that can matter to any target. */
  #keepFast(search: RangeArrivals, stop: number, windowStart: Millis): void {
    const { eventCount, eventArrival, eventDeparture } = search;
    const { departures, step } = search.limits;
    const wanted = this.#wanted;
    const fast = this.#fast;
    const first = stop * wanted;
    const last = first + wanted - 1;
    fast.fill(NEVER, first, last + 1);
    const firstEvent = stop * departures;
    const end = firstEvent + eventCount[stop];
    for (let e = firstEvent; e < end; e++) {
      const before = e + 1 < end ? eventDeparture[e + 1] : -1;
      // Who leaves earlier, but after the step before, arrives no earlier: the time only grows.
      let time = eventArrival[e] - (windowStart + eventDeparture[e] * step);
      for (let d = eventDeparture[e]; d > before; d--, time += step) {
        const key = (time << DEPARTURE_BITS) | d;
        if (key >= fast[last]) break;
        let at = last;
        for (; at > first && fast[at - 1] > key; at--) fast[at] = fast[at - 1];
        fast[at] = key;
      }
    }
    this.#shortest[stop] = fast[first] >> DEPARTURE_BITS;
    this.#alone[stop] = fast[last] >> DEPARTURE_BITS;
  }

  /** Alights at a pair's stop, and walks on to each of the first `size` targets of its cluster. */
  #alight(pair: number, size: number): void {
    const { stop, walks } = this.#egress;
    const wanted = this.#wanted;
    const fast = this.#fast;
    const below = this.#below;
    const first = stop[pair] * wanted;
    const fastest = fast[first];
    for (let i = 0; i < size; i++) {
      const walk = walks[pair * CLUSTER_SIZE + i] << DEPARTURE_BITS;
      if (fastest + walk >= below[i]) continue;
      if (this.#kept[i] === 0) {
        this.#arriveFirst(i, first, walk);
        continue;
      }
      for (let f = first; f < first + wanted; f++) {
        const key = fast[f] + walk;
        if (key >= below[i]) break;
        this.#arrive(i, key);
      }
    }
  }

  /** Keeps the times by the first stop for a target of the cluster in hand: they are in order. */
  #arriveFirst(target: number, fastest: number, walk: number): void {
    const wanted = this.#wanted;
    const below = this.#below[target];
    let kept = 0;
    for (; kept < wanted; kept++) {
      const key = this.#fast[fastest + kept] + walk;
      if (key >= below) break;
      this.#best[target * wanted + kept] = key;
    }
    this.#kept[target] = kept;
    if (kept === wanted) this.#below[target] = this.#best[target * wanted + wanted - 1];
  }

  /** Keeps a departure's time among the best of a target of the cluster in hand. */
  #arrive(target: number, key: number): void {
    const best = this.#best;
    const wanted = this.#wanted;
    const first = target * wanted;
    const kept = this.#kept[target];
    const end = first + kept;
    let at = first;
    // A departure counts once, by its best stop.
    while (at < end && ((best[at] ^ key) & DEPARTURE_MASK) !== 0) at++;
    if (at < end) {
      if (best[at] <= key) return;
    } else if (kept < wanted) this.#kept[target]++;
    else at--;
    for (; at > first && best[at - 1] > key; at--) best[at] = best[at - 1];
    best[at] = key;
    if (this.#kept[target] === wanted) this.#below[target] = best[first + wanted - 1];
  }
}
