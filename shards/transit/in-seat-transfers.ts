import type { Millis } from '../units.ts';
import type { Timetable } from './timetable.ts';

/** A trip that riders are in: either boarded at a call, or continued in from its start, seated. */
export interface Seat {
  readonly pattern: number;
  readonly trip: number;
  /**
   * Position of the call where the trip was boarded; `SEATED` if riders were in it from its start.
   */
  readonly board: number;
}

/** Value of `board` for riders who were in the vehicle before the trip began. */
export const SEATED = -1;

/**
 * The trips that riders of one search are in from their start, having stayed seated when the
 * vehicle ended another trip. Each trip is used once per search, since a rider who is in the same
 * vehicle again arrives nowhere earlier.
 */
export class InSeatTransfers {
  readonly #timetable: Timetable;
  /**
   * Per pattern, the first trip whose riders have been followed beyond its end; the number of its
   * trips if there is none.
   */
  readonly #followed: Int32Array;
  readonly #followedPatterns: number[] = [];
  /** Per trip, numbered across all patterns, one more than its position in `#seated`, or 0. */
  readonly #position: Int32Array;
  /** The trips in the order in which they were reached, each with the trip it continues. */
  readonly #seated: { readonly pattern: number; readonly trip: number; readonly from: Seat }[] = [];
  #next = 0;

  constructor(timetable: Timetable) {
    this.#timetable = timetable;
    this.#followed = timetable.tripCount.slice();
    this.#position = new Int32Array(timetable.firstTrip[timetable.patternCount]);
  }

  reset(): void {
    const { firstTrip, tripCount } = this.#timetable;
    for (const pattern of this.#followedPatterns) {
      this.#followed[pattern] = tripCount[pattern];
    }
    this.#followedPatterns.length = 0;
    for (const { pattern, trip } of this.#seated) this.#position[firstTrip[pattern] + trip] = 0;
    this.#seated.length = 0;
    this.#next = 0;
  }

  /**
   * Follows riders of a pattern beyond the end of their trip, and of later trips, which they could
   * have boarded instead. Trips that end after `latest` are left out: they are useless to earlier
   * departures too.
   */
  followFrom({ pattern, trip, board }: Seat, latest: Millis): void {
    const end = this.#followed[pattern];
    if (trip >= end) return;
    const { firstTime, tripCount, arrivals } = this.#timetable;
    if (end === tripCount[pattern]) this.#followedPatterns.push(pattern);
    this.#followed[pattern] = trip;
    const ends = firstTime[pattern + 1] - tripCount[pattern];
    for (let t = trip; t < end && arrivals[ends + t] <= latest; t++) {
      this.follow({ pattern, trip: t, board });
    }
  }

  /** Follows the riders of one trip beyond its end. */
  follow(from: Seat): void {
    const { firstTrip, firstContinuation, continuations } = this.#timetable;
    const ordinal = firstTrip[from.pattern] + from.trip;
    for (let link = firstContinuation[ordinal]; link < firstContinuation[ordinal + 1]; link++) {
      const [pattern, trip] = [continuations[2 * link], continuations[2 * link + 1]];
      const to = firstTrip[pattern] + trip;
      if (this.#position[to] > 0) continue;
      this.#position[to] = this.#seated.push({ pattern, trip, from });
    }
  }

  /** Calls `ride` for each trip not ridden yet, including trips that are reached meanwhile. */
  take(ride: (pattern: number, trip: number) => void): void {
    while (this.#next < this.#seated.length) {
      const { pattern, trip } = this.#seated[this.#next++];
      ride(pattern, trip);
    }
  }

  /** The trip that riders were in before they continued, seated, in the given trip. */
  before(pattern: number, trip: number): Seat {
    return this.#seated[this.#position[this.#timetable.firstTrip[pattern] + trip] - 1].from;
  }
}
