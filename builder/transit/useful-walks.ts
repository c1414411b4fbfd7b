import { ALIGHT, BOARD, type Timetable } from '../../shards/transit/timetable.ts';
import type { StopWalks } from '../../shards/transit/transit-table.ts';
import type { Millis, StopOrdinal } from '../../shards/units.ts';

/** Stands for no walk; longer than any walk. */
const NO_WALK = 0x3fff_ffff;

/**
 * Drops the walks between a place and stops that no fastest journey needs. A walk to a stop is not
 * needed if every vehicle from there can be boarded at an earlier stop on its way, the walk to
 * which is shorter by at least the time of the ride between the two. A walk from a stop is not
 * needed if riders who stay on board get to the place no later. Arrivals remain the same without
 * these walks.
 */
export class UsefulWalks {
  readonly #timetable: Timetable;
  /**
   * The longest times, over all trips, from the previous call to each call: from departure to
   * departure, and from arrival to arrival.
   */
  readonly #departureGap: Int32Array;
  readonly #arrivalGap: Int32Array;
  /** The time of the walk of each stop in the current list, or `NO_WALK`. */
  readonly #walk: Int32Array;
  readonly #isUseful: Uint8Array;
  /** The first and the last call of each pattern at stops of the current list; -1 for none. */
  readonly #first: Int32Array;
  readonly #last: Int32Array;

  constructor(timetable: Timetable) {
    this.#timetable = timetable;
    this.#departureGap = longestGaps(timetable, timetable.departures);
    this.#arrivalGap = longestGaps(timetable, timetable.arrivals);
    this.#walk = new Int32Array(timetable.stopCount).fill(NO_WALK);
    this.#isUseful = new Uint8Array(timetable.stopCount);
    this.#first = new Int32Array(timetable.patternCount).fill(-1);
    this.#last = new Int32Array(timetable.patternCount);
  }

  /**
   * Returns the walks to stops after which a vehicle is worth boarding, sorted by stop, ascending.
   */
  toStops(walks: StopWalks): StopWalks {
    return this.#pick(walks, (pattern) => this.#compareBoarding(pattern));
  }

  /**
   * Returns the walks from stops for which a vehicle is worth leaving, sorted by stop, ascending.
   */
  fromStops(walks: StopWalks): StopWalks {
    return this.#pick(walks, (pattern) => this.#compareAlighting(pattern));
  }

  #pick({ stops, times }: StopWalks, compare: (pattern: number) => void): StopWalks {
    const { firstVisit, visits, firstCall } = this.#timetable;
    const met: number[] = [];
    for (let i = 0; i < stops.length; i++) this.#walk[stops[i]] = times[i];
    for (let i = 0; i < stops.length; i++) {
      for (let visit = firstVisit[stops[i]]; visit < firstVisit[stops[i] + 1]; visit++) {
        const pattern = visits[2 * visit];
        const call = firstCall[pattern] + visits[2 * visit + 1];
        if (this.#first[pattern] === -1) {
          met.push(pattern);
          this.#first[pattern] = this.#last[pattern] = call;
        } else if (call < this.#first[pattern]) this.#first[pattern] = call;
        else if (call > this.#last[pattern]) this.#last[pattern] = call;
      }
    }
    for (const pattern of met) {
      compare(pattern);
      this.#first[pattern] = -1;
    }
    const useful: { stop: StopOrdinal; time: Millis }[] = [];
    for (let i = 0; i < stops.length; i++) {
      const stop = stops[i];
      if (this.#isUseful[stop]) useful.push({ stop, time: times[i] });
      this.#walk[stop] = NO_WALK;
      this.#isUseful[stop] = 0;
    }
    useful.sort((a, b) => a.stop - b.stop);
    return { stops: useful.map(({ stop }) => stop), times: useful.map(({ time }) => time) };
  }

  /** Compares boarding at each call of a pattern with boarding earlier. */
  #compareBoarding(pattern: number): void {
    const { callStop, callRules, firstCall } = this.#timetable;
    const [first, last] = [this.#first[pattern], this.#last[pattern]];
    let earlier = NO_WALK;
    for (let call = first; call <= last && call < firstCall[pattern + 1] - 1; call++) {
      if (earlier < NO_WALK) earlier += this.#departureGap[call];
      if (!(callRules[call] & BOARD)) continue;
      const walk = this.#walk[callStop[call]];
      if (walk >= earlier) continue;
      this.#isUseful[callStop[call]] = 1;
      earlier = walk;
    }
  }

  /** Compares alighting at each call of a pattern with alighting later. */
  #compareAlighting(pattern: number): void {
    const { callStop, callRules } = this.#timetable;
    const [first, last] = [this.#first[pattern], this.#last[pattern]];
    let later = NO_WALK;
    for (let call = last; call >= first; call--) {
      if (later < NO_WALK) later += this.#arrivalGap[call + 1];
      if (!(callRules[call] & ALIGHT)) continue;
      const walk = this.#walk[callStop[call]];
      if (walk >= later) continue;
      this.#isUseful[callStop[call]] = 1;
      later = walk;
    }
  }
}

/**
 * Returns the longest time, over all trips, from the previous call to each call; 0 for the first
 * call of a pattern.
 */
function longestGaps(timetable: Timetable, times: Int32Array): Int32Array {
  const { patternCount, firstCall, tripCount, firstTime } = timetable;
  const gaps = new Int32Array(firstCall[patternCount]);
  for (let pattern = 0; pattern < patternCount; pattern++) {
    const trips = tripCount[pattern];
    for (let call = firstCall[pattern] + 1; call < firstCall[pattern + 1]; call++) {
      const at = firstTime[pattern] + (call - firstCall[pattern]) * trips;
      for (let trip = 0; trip < trips; trip++) {
        gaps[call] = Math.max(gaps[call], times[at + trip] - times[at + trip - trips]);
      }
    }
  }
  return gaps;
}
