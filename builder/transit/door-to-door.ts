import type { Millis } from '../../shards/units.ts';
import { CLUSTER_SHIFT, CLUSTER_SIZE, type EgressTable } from './egress.ts';
import type { RangeRaptor } from './range-raptor.ts';

const NEVER = 0x7fff_ffff;

/**
 * Reduces a range search to one time a target: for each departure the best of walking all the way
 * and of alighting anywhere and walking on; of those, sorted, the one at `index`. A target at a
 * time, so that the departures of one stay in the nearest cache, and only through the steps of
 * arrival that RAPTOR found, of which there are far fewer than departures.
 *
 * In a dense city a target has hundreds of stops within a walk, and nearly all of them are of no
 * use: the time by one stop alone bounds the time by all of them. What takes longer than that is
 * left out: of each stop the slow departures, and of each cluster of targets the far stops.
 */
export class DoorToDoor {
  readonly #egress: EgressTable;
  readonly #departures: number;
  readonly #step: Millis;
  readonly #index: number;
  readonly #arrival: Int32Array;
  /** A bit for each departure with an arrival of its own. */
  readonly #steps: Int32Array;
  readonly #fastest: Int32Array;
  /** Of each reached stop, the time that is wanted if one alights nowhere else, or `NEVER`. */
  readonly #alone: Int32Array;
  /**
   * Of each reached stop, the steps of arrival that are no slower than that, the fastest first, from
   * `stop × departures` to `#end[stop]`, exclusive: a departure, and its time from leaving.
   */
  readonly #end: Int32Array;
  readonly #departure: Uint16Array;
  readonly #time: Int32Array;
  readonly #isCluster: Uint8Array;
  readonly #clusters: Int32Array;
  /** The pairs that may matter to a target of the cluster in hand. */
  readonly #pairs: Int32Array;

  constructor(egress: EgressTable, window: { departures: number; step: Millis; index: number }) {
    this.#egress = egress;
    this.#departures = window.departures;
    this.#step = window.step;
    this.#index = window.index;
    this.#arrival = new Int32Array(window.departures).fill(NEVER);
    this.#steps = new Int32Array((window.departures + 31) >>> 5);
    this.#fastest = new Int32Array(window.index + 1);
    const stops = egress.firstCluster.length - 1;
    this.#alone = new Int32Array(stops);
    this.#end = new Int32Array(stops);
    this.#departure = new Uint16Array(stops * window.departures);
    this.#time = new Int32Array(stops * window.departures);
    const clusterCount = egress.firstPair.length - 1;
    this.#isCluster = new Uint8Array(clusterCount);
    this.#clusters = new Int32Array(clusterCount);
    this.#pairs = new Int32Array(stops);
  }

  /**
   * Lowers `times`, which hold the direct walks (over the limit: not reached), to door-to-door
   * times where transit is faster: of targets below `split` those up to the first limit, of the
   * others those up to the second. Transit that takes longer than the limit lowers nothing.
   */
  lower(
    raptor: RangeRaptor,
    reachedStops: number,
    windowStart: Millis,
    times: Int32Array,
    split: number,
    limits: readonly [Millis, Millis],
  ): void {
    const { firstCluster, clusters } = this.#egress;
    let clusterCount = 0;
    for (let i = 0; i < reachedStops; i++) {
      const stop = raptor.reached[i];
      this.#keepFast(raptor, stop, windowStart);
      for (let c = firstCluster[stop]; c < firstCluster[stop + 1]; c++) {
        if (this.#isCluster[clusters[c]]) continue;
        this.#isCluster[clusters[c]] = 1;
        this.#clusters[clusterCount++] = clusters[c];
      }
    }
    for (let i = 0; i < clusterCount; i++) {
      const cluster = this.#clusters[i];
      this.#isCluster[cluster] = 0;
      const first = cluster << CLUSTER_SHIFT;
      const end = Math.min(times.length, first + CLUSTER_SIZE);
      let slowest = 0;
      for (let target = first; target < end; target++) {
        const limit = target < split ? limits[0] : limits[1];
        slowest = Math.max(slowest, Math.min(times[target], limit + 1));
      }
      const pairs = this.#choosePairs(cluster, slowest, raptor.shortest);
      if (pairs === 0) continue;
      for (let target = first; target < end; target++) {
        const limit = target < split ? limits[0] : limits[1];
        const bound = Math.min(times[target], limit + 1);
        times[target] = this.#timeTo(target, bound, pairs, windowStart, times[target]);
      }
    }
  }

  /** Chooses the pairs of a cluster that can lead to any of its targets below `bound`. */
  #choosePairs(cluster: number, bound: Millis, shortest: Int32Array): number {
    const { firstPair, stop, nearest, farthest } = this.#egress;
    const alone = this.#alone;
    const pairs = this.#pairs;
    let below = bound;
    let chosen = 0;
    for (let pair = firstPair[cluster]; pair < firstPair[cluster + 1]; pair++) {
      const from = stop[pair];
      if (shortest[from] + nearest[pair] >= below) continue;
      pairs[chosen++] = pair;
      // All stops together do as well as this one: what takes longer does not matter.
      const enough = alone[from] + farthest[pair];
      if (enough < below) below = enough + 1;
    }
    let kept = 0;
    for (let i = 0; i < chosen; i++) {
      if (shortest[stop[pairs[i]]] + nearest[pairs[i]] < below) pairs[kept++] = pairs[i];
    }
    return kept;
  }

  /** Keeps of a stop's steps those that matter to any target. */
  #keepFast(raptor: RangeRaptor, stop: number, windowStart: Millis): void {
    const { eventCount, eventArrival, eventDeparture } = raptor;
    const first = stop * this.#departures;
    const end = first + eventCount[stop];
    for (let e = first; e < end; e++) this.#arrive(eventDeparture[e], eventArrival[e]);
    const alone = this.#percentile(NEVER, windowStart, NEVER);
    const times = this.#time;
    const departures = this.#departure;
    let kept = first;
    for (let e = first; e < end; e++) {
      const departure = eventDeparture[e];
      const time = eventArrival[e] - (windowStart + departure * this.#step);
      if (time > alone) continue;
      let at = kept++;
      for (; at > first && times[at - 1] > time; at--) {
        times[at] = times[at - 1];
        departures[at] = departures[at - 1];
      }
      times[at] = time;
      departures[at] = departure;
    }
    this.#alone[stop] = alone;
    this.#end[stop] = kept;
  }

  /** The time to one target by the first `count` of the pairs; `otherwise` unless it is below `bound`. */
  #timeTo(
    target: number,
    bound: Millis,
    count: number,
    windowStart: Millis,
    otherwise: Millis,
  ): Millis {
    const { stop: stops, walks } = this.#egress;
    const times = this.#time;
    const departures = this.#departure;
    const ofTarget = target & (CLUSTER_SIZE - 1);
    let below = bound;
    let found = false;
    for (let i = 0; i < count; i++) {
      const pair = this.#pairs[i];
      const walk = walks[pair * CLUSTER_SIZE + ofTarget];
      const stop = stops[pair];
      const first = stop * this.#departures;
      if (times[first] + walk >= below) continue;
      if (this.#alone[stop] + walk < below) below = this.#alone[stop] + walk + 1;
      const end = this.#end[stop];
      for (let e = first; e < end; e++) {
        const time = times[e] + walk;
        if (time >= below) break;
        this.#arrive(departures[e], time + windowStart + departures[e] * this.#step);
        found = true;
      }
    }
    return found ? this.#percentile(below, windowStart, otherwise) : otherwise;
  }

  #arrive(departure: number, time: Millis): void {
    if (time >= this.#arrival[departure]) return;
    this.#arrival[departure] = time;
    this.#steps[departure >>> 5] |= 1 << (departure & 31);
  }

  /** The time at `index` of all departures, of which those not below `bound` count as not reached. */
  #percentile(bound: Millis, windowStart: Millis, otherwise: Millis): Millis {
    const arrival = this.#arrival;
    const fastest = this.#fastest;
    const wanted = this.#index + 1;
    let kept = 0;
    let earliest = NEVER;
    for (let last = this.#takeLast(); last >= 0; ) {
      if (arrival[last] < earliest) earliest = arrival[last];
      arrival[last] = NEVER;
      const before = this.#takeLast();
      // Who leaves earlier, but after the step before, arrives no earlier: the time only grows.
      let time = earliest - (windowStart + last * this.#step);
      for (let d = last; d > before; d--, time += this.#step) {
        if (time >= bound || (kept === wanted && time >= fastest[wanted - 1])) break;
        let at = kept < wanted ? kept++ : wanted - 1;
        for (; at > 0 && fastest[at - 1] > time; at--) fastest[at] = fastest[at - 1];
        fastest[at] = time;
      }
      last = before;
    }
    return kept === wanted ? fastest[wanted - 1] : otherwise;
  }

  /** The last departure that has an arrival, which is taken off the list of them; -1: none is left. */
  #takeLast(): number {
    const steps = this.#steps;
    for (let word = steps.length - 1; word >= 0; word--) {
      if (steps[word] === 0) continue;
      const bit = 31 - Math.clz32(steps[word]);
      steps[word] &= ~(1 << bit);
      return word * 32 + bit;
    }
    return -1;
  }
}
