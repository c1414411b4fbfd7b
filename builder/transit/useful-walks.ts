import { ALIGHT, BOARD, type Timetable } from '../../shards/transit/timetable.ts';
import type { StopWalks } from '../../shards/transit/transit-table.ts';
import type { Millis, StopOrdinal } from '../../shards/units.ts';

/** Stands for no walk; longer than any walk. */
const NO_WALK = 0x3fff_ffff;

/**
 * Drops the walks between a place and stops that no fastest journey needs, by any of some
 * timetables of the same stops. A walk to a stop is not needed if every vehicle from there can be
 * boarded at an earlier stop on its way, the walk to which is shorter by at least the time of the
 * ride between the two. A walk from a stop is not needed if riders who stay on board get to the
 * place no later. Arrivals remain the same without these walks.
 */
export class UsefulWalks {
  readonly #walks: MarkedWalks;
  readonly #patterns: readonly WalksOfPatterns[];

  constructor(timetables: readonly Timetable[]) {
    const stopCount = Math.max(...timetables.map((one) => one.stopCount));
    this.#walks = {
      time: new Int32Array(stopCount).fill(NO_WALK),
      isUseful: new Uint8Array(stopCount),
    };
    this.#patterns = timetables.map((one) => new WalksOfPatterns(one, this.#walks));
  }

  /**
   * Returns the walks to stops after which a vehicle is worth boarding, sorted by stop, ascending.
   */
  toStops(walks: StopWalks): StopWalks {
    return this.#pick(walks, (patterns) => patterns.markBoardings(walks));
  }

  /**
   * Returns the walks from stops for which a vehicle is worth leaving, sorted by stop, ascending.
   */
  fromStops(walks: StopWalks): StopWalks {
    return this.#pick(walks, (patterns) => patterns.markAlightings(walks));
  }

  #pick({ stops, times }: StopWalks, mark: (patterns: WalksOfPatterns) => void): StopWalks {
    const { time, isUseful } = this.#walks;
    for (let i = 0; i < stops.length; i++) time[stops[i]] = times[i];
    this.#patterns.forEach(mark);
    const useful: { stop: StopOrdinal; time: Millis }[] = [];
    for (let i = 0; i < stops.length; i++) {
      const stop = stops[i];
      if (isUseful[stop]) useful.push({ stop, time: times[i] });
      time[stop] = NO_WALK;
      isUseful[stop] = 0;
    }
    useful.sort((a, b) => a.stop - b.stop);
    return { stops: useful.map(({ stop }) => stop), times: useful.map(({ time }) => time) };
  }
}

/** By stop: the time of its walk in the current list, or `NO_WALK`, and whether it is useful. */
interface MarkedWalks {
  readonly time: Int32Array;
  readonly isUseful: Uint8Array;
}

/** Marks the walks that are useful by one timetable. */
class WalksOfPatterns {
  readonly #timetable: Timetable;
  readonly #walks: MarkedWalks;
  /**
   * The longest times, over all trips, from the previous call to each call: from departure to
   * departure, and from arrival to arrival.
   */
  readonly #departureGap: Int32Array;
  readonly #arrivalGap: Int32Array;
  /** The first and the last call of each pattern at stops of the current list; -1 for none. */
  readonly #first: Int32Array;
  readonly #last: Int32Array;

  constructor(timetable: Timetable, walks: MarkedWalks) {
    this.#timetable = timetable;
    this.#walks = walks;
    this.#departureGap = longestGaps(timetable, timetable.departures);
    this.#arrivalGap = longestGaps(timetable, timetable.arrivals);
    this.#first = new Int32Array(timetable.patternCount).fill(-1);
    this.#last = new Int32Array(timetable.patternCount);
  }

  markBoardings(walks: StopWalks): void {
    for (const pattern of this.#met(walks)) this.#compareBoarding(pattern);
  }

  markAlightings(walks: StopWalks): void {
    for (const pattern of this.#met(walks)) this.#compareAlighting(pattern);
  }

  /** Yields the patterns that call at the stops of some walks, once it is known where. */
  *#met({ stops }: StopWalks): Generator<number> {
    const { firstVisit, visits, firstCall } = this.#timetable;
    const met: number[] = [];
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
      yield pattern;
      this.#first[pattern] = -1;
    }
  }

  /** Compares boarding at each call of a pattern with boarding earlier. */
  #compareBoarding(pattern: number): void {
    const { callStop, callRules, firstCall } = this.#timetable;
    const { time, isUseful } = this.#walks;
    const [first, last] = [this.#first[pattern], this.#last[pattern]];
    let earlier = NO_WALK;
    for (let call = first; call <= last && call < firstCall[pattern + 1] - 1; call++) {
      if (earlier < NO_WALK) earlier += this.#departureGap[call];
      if (!(callRules[call] & BOARD)) continue;
      const walk = time[callStop[call]];
      if (walk >= earlier) continue;
      isUseful[callStop[call]] = 1;
      earlier = walk;
    }
  }

  /** Compares alighting at each call of a pattern with alighting later. */
  #compareAlighting(pattern: number): void {
    const { callStop, callRules } = this.#timetable;
    const { time, isUseful } = this.#walks;
    const [first, last] = [this.#first[pattern], this.#last[pattern]];
    let later = NO_WALK;
    for (let call = last; call >= first; call--) {
      if (later < NO_WALK) later += this.#arrivalGap[call + 1];
      if (!(callRules[call] & ALIGHT)) continue;
      const walk = time[callStop[call]];
      if (walk >= later) continue;
      isUseful[callStop[call]] = 1;
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
