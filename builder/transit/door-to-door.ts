import type { Millis } from '../../shards/units.ts';
import { CLUSTER_SHIFT, type EgressTable } from './egress.ts';
import type { RangeRaptor } from './range-raptor.ts';

const NEVER = 0x7fff_ffff;

/**
 * Reduces a range search to one time a target: for each departure the best of walking all the way
 * and of alighting anywhere and walking on; of those, sorted, the one at `index`. A target at a
 * time, so that the departures of one stay in the nearest cache, and only through the steps of
 * arrival that RAPTOR found, of which there are far fewer than departures.
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
  readonly #isCluster: Uint8Array;
  readonly #clusters: Int32Array;

  constructor(
    egress: EgressTable,
    targetCount: number,
    window: { departures: number; step: Millis; index: number },
  ) {
    this.#egress = egress;
    this.#departures = window.departures;
    this.#step = window.step;
    this.#index = window.index;
    this.#arrival = new Int32Array(window.departures).fill(NEVER);
    this.#steps = new Int32Array((window.departures + 31) >>> 5);
    this.#fastest = new Int32Array(window.index + 1);
    const clusterCount = (targetCount >>> CLUSTER_SHIFT) + 1;
    this.#isCluster = new Uint8Array(clusterCount);
    this.#clusters = new Int32Array(clusterCount);
  }

  /**
   * Lowers `times`, which hold the direct walks (over the limit: not reached), to door-to-door
   * times where transit is faster, for targets from `from` to `to`, exclusive. Times over `limit`
   * are left alone.
   */
  lower(
    raptor: RangeRaptor,
    reachedStops: number,
    windowStart: Millis,
    times: Int32Array,
    from: number,
    to: number,
    limit: Millis,
  ): void {
    const { firstCluster, clusters } = this.#egress;
    let clusterCount = 0;
    let shortest = NEVER;
    for (let i = 0; i < reachedStops; i++) {
      const stop = raptor.reached[i];
      if (raptor.shortest[stop] < shortest) shortest = raptor.shortest[stop];
      for (let c = firstCluster[stop]; c < firstCluster[stop + 1]; c++) {
        if (this.#isCluster[clusters[c]]) continue;
        this.#isCluster[clusters[c]] = 1;
        this.#clusters[clusterCount++] = clusters[c];
      }
    }
    for (let i = 0; i < clusterCount; i++) {
      const cluster = this.#clusters[i];
      this.#isCluster[cluster] = 0;
      const first = Math.max(from, cluster << CLUSTER_SHIFT);
      const last = Math.min(to, (cluster + 1) << CLUSTER_SHIFT);
      for (let target = first; target < last; target++) {
        const bound = Math.min(times[target], limit + 1);
        times[target] = this.#timeTo(raptor, target, bound, shortest, windowStart, times[target]);
      }
    }
  }

  /** The time to one target; `otherwise` unless it is below `bound`. */
  #timeTo(
    raptor: RangeRaptor,
    target: number,
    bound: Millis,
    shortest: Millis,
    windowStart: Millis,
    otherwise: Millis,
  ): Millis {
    const { first, walks } = this.#egress;
    const { eventCount, eventArrival, eventDeparture } = raptor;
    const arrival = this.#arrival;
    const steps = this.#steps;
    const departures = this.#departures;
    let found = false;
    const end = first[target + 1] << 1;
    for (let at = first[target] << 1; at < end; at += 2) {
      const walk = walks[at + 1];
      // Stops are in order of the walk from them.
      if (shortest + walk >= bound) break;
      const stop = walks[at];
      if (raptor.shortest[stop] + walk >= bound) continue;
      const events = stop * departures;
      for (let e = events; e < events + eventCount[stop]; e++) {
        const departure = eventDeparture[e];
        const time = eventArrival[e] + walk;
        if (time < arrival[departure]) {
          arrival[departure] = time;
          steps[departure >>> 5] |= 1 << (departure & 31);
          found = true;
        }
      }
    }
    return found ? this.#percentile(bound, windowStart, otherwise) : otherwise;
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
