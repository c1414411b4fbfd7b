import type { Millis } from '../../shards/units.ts';
import type { Timetable } from './timetable.ts';

/**
 * The trips that riders of a range search are in from the start, having stayed seated while another
 * trip continued as them. Each is used once per search: leaving earlier and sitting in the same
 * vehicle gets a rider nowhere earlier.
 */
export class InSeatTransfers {
  readonly #timetable: Timetable;
  /** By pattern, the first trip whose riders have been followed beyond its end, or none. */
  readonly #followed: Int32Array;
  readonly #followedPatterns: number[] = [];
  readonly #isSeated: Uint8Array;
  /** Pattern and trip of each, in the order in which they were reached. */
  readonly #seated: number[] = [];
  #next = 0;

  constructor(timetable: Timetable) {
    this.#timetable = timetable;
    this.#followed = timetable.tripCount.slice();
    this.#isSeated = new Uint8Array(timetable.firstTrip[timetable.patternCount]);
  }

  reset(): void {
    const { firstTrip, tripCount } = this.#timetable;
    for (const pattern of this.#followedPatterns) {
      this.#followed[pattern] = tripCount[pattern];
    }
    this.#followedPatterns.length = 0;
    for (let i = 0; i < this.#seated.length; i += 2) {
      this.#isSeated[firstTrip[this.#seated[i]] + this.#seated[i + 1]] = 0;
    }
    this.#seated.length = 0;
    this.#next = 0;
  }

  /**
   * Follows riders of a pattern beyond the end of a given trip, and of the later ones, which they
   * could have boarded instead. Trips that end after `latest` are useless to earlier departures
   * too.
   */
  followFrom(pattern: number, trip: number, latest: Millis): void {
    const end = this.#followed[pattern];
    if (trip >= end) return;
    const { firstTime, tripCount, arrivals } = this.#timetable;
    if (end === tripCount[pattern]) this.#followedPatterns.push(pattern);
    this.#followed[pattern] = trip;
    const ends = firstTime[pattern + 1] - tripCount[pattern];
    for (let t = trip; t < end && arrivals[ends + t] <= latest; t++) this.follow(pattern, t);
  }

  /** Follows the riders of one trip beyond its end. */
  follow(pattern: number, trip: number): void {
    const { firstTrip, firstContinuation, continuations } = this.#timetable;
    const ordinal = firstTrip[pattern] + trip;
    for (let link = firstContinuation[ordinal]; link < firstContinuation[ordinal + 1]; link++) {
      const [toPattern, toTrip] = [continuations[2 * link], continuations[2 * link + 1]];
      const to = firstTrip[toPattern] + toTrip;
      if (this.#isSeated[to]) continue;
      this.#isSeated[to] = 1;
      this.#seated.push(toPattern, toTrip);
    }
  }

  /** Passes on trips that have not been ridden yet, until there are none. */
  take(ride: (pattern: number, trip: number) => void): void {
    while (this.#next < this.#seated.length) {
      const at = this.#next;
      this.#next += 2;
      ride(this.#seated[at], this.#seated[at + 1]);
    }
  }
}
