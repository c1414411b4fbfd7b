import { grown } from '../../shards/grown.ts';
import type { Millis } from '../../shards/units.ts';
import { type RangeLimits, RangeSearch } from './range-search.ts';
import { SeatedTrips } from './seated-trips.ts';
import { BOARD, firstNotBefore, type Timetable } from './timetable.ts';
import { NO_ALIGHTING, type TripTransfers } from './trip-transfers.ts';

const NIL = -1;
/** Where who stays seated is aboard from: before the first call. */
const SEATED = -1;

/**
 * Earliest arrivals by scheduled transit from one origin for every departure of a window:
 * trip-based routing (Witt, 2015) for a range of departures, which are searched from the last to
 * the first. Who leaves earlier may wait: of a trip that was ridden from some call on for a later
 * departure, an earlier one rides the calls before, if it boards there, and no others. So each call
 * of each trip is looked at once a search, and what is found anew for a departure is exactly where
 * its arrivals are earlier.
 *
 * A journey may have any number of rides, and one label a stop is enough. Who stays seated while a
 * vehicle becomes another line is followed into that trip, and into no other of its pattern:
 * `SeatedTrips`.
 */
export class TripSearch extends RangeSearch {
  readonly #timetable: Timetable;
  readonly #transfers: TripTransfers;
  readonly #hasSeated: boolean;
  /**
   * Of each trip the first position from which it was ridden; how many calls it has: not at all.
   */
  readonly #aboard: Int16Array;
  readonly #nobodyAboard: Int16Array;
  /**
   * Rides still to be gone through: where their first call stands, and how many calls they have.
   */
  readonly #rides: Int32Array;
  #rideCount = 0;
  /**
   * Where the origin's riders board for each departure: trip, position, the next of that departure.
   */
  #boardings = new Int32Array(3 << 12);
  #boardingCount = 0;
  readonly #firstBoarding: Int32Array;
  readonly #seated: SeatedTrips;
  #latest: Millis = 0;

  constructor(timetable: Timetable, transfers: TripTransfers, limits: RangeLimits) {
    super(timetable, limits);
    const { firstCall } = transfers;
    const trips = transfers.patternOf.length;
    this.#timetable = timetable;
    this.#transfers = transfers;
    this.#hasSeated = timetable.links.length > 0;
    this.#aboard = new Int16Array(trips);
    this.#nobodyAboard = this.#aboard.map((_, trip) => firstCall[trip + 1] - firstCall[trip]);
    this.#rides = new Int32Array(2 * (firstCall[trips] + trips));
    this.#firstBoarding = new Int32Array(limits.departures);
    this.#seated = new SeatedTrips(timetable);
  }

  run(accessStops: Int32Array, accessTimes: Int32Array, windowStart: Millis): number {
    this.#reset();
    const { departures, step, boardSlack, limit } = this.limits;
    for (let i = 0; i < accessStops.length; i++) {
      this.#boardAt(accessStops[i], windowStart + accessTimes[i] + boardSlack);
    }
    for (let d = departures - 1; d >= 0; d--) {
      this.#latest = windowStart + d * step + limit;
      for (let at = this.#firstBoarding[d]; at !== NIL; at = this.#boardings[at + 2]) {
        this.#board(this.#boardings[at], this.#boardings[at + 1]);
      }
      this.#ride();
      this.keepEvents(d);
    }
    return this.reachedCount;
  }

  #reset(): void {
    this.forgetArrivals();
    this.#aboard.set(this.#nobodyAboard);
    this.#boardingCount = 0;
    this.#firstBoarding.fill(NIL);
    this.#seated.reset();
  }

  /**
   * Files the trips that leave a stop by the last departures from which one catches them, of which
   * the first is ready at `ready`.
   */
  #boardAt(stop: number, ready: Millis): void {
    const { firstVisit, visits, firstCall, callRules, tripCount, firstTime, firstTrip } =
      this.#timetable;
    const times = this.#timetable.departures;
    const { departures, step } = this.limits;
    for (let visit = firstVisit[stop]; visit < firstVisit[stop + 1]; visit++) {
      const pattern = visits[2 * visit];
      const position = visits[2 * visit + 1];
      const call = firstCall[pattern] + position;
      if (!(callRules[call] & BOARD) || call === firstCall[pattern + 1] - 1) continue;
      const trips = tripCount[pattern];
      const start = firstTime[pattern] + position * trips;
      const last = ready + (departures - 1) * step;
      let trip = firstNotBefore(times, start, trips, last);
      let departure = departures - 1;
      if (trip < trips) this.#file(departure, firstTrip[pattern] + trip, position);
      for (trip--; trip >= 0 && times[start + trip] >= ready; trip--) {
        departure = Math.floor((times[start + trip] - ready) / step);
        // Of those that leave within one step, who waits for a later one boards the first.
        while (trip > 0 && times[start + trip - 1] >= ready + departure * step) trip--;
        this.#file(departure, firstTrip[pattern] + trip, position);
      }
    }
  }

  #file(departure: number, trip: number, position: number): void {
    const at = 3 * this.#boardingCount++;
    if (at === this.#boardings.length) this.#boardings = grown(this.#boardings);
    this.#boardings[at] = trip;
    this.#boardings[at + 1] = position;
    this.#boardings[at + 2] = this.#firstBoarding[departure];
    this.#firstBoarding[departure] = at;
  }

  /**
   * Boards a trip at a position, from which one could have waited for later ones of its pattern.
   */
  #board(trip: number, position: number): void {
    const aboard = this.#aboard;
    const pattern = this.#transfers.patternOf[trip];
    const { firstTrip, hasLinks } = this.#timetable;
    if (hasLinks[pattern])
      this.#seated.followFrom(pattern, trip - firstTrip[pattern], this.#latest);
    if (position >= aboard[trip]) return;
    this.#addRide(pattern, trip, position);
  }

  /** Adds the calls after a position, up to where the trip was ridden from before. */
  #addRide(pattern: number, trip: number, position: number): void {
    const { firstCall, start, calls } = this.#transfers;
    const aboard = this.#aboard;
    const begin = firstCall[trip];
    const from = start[begin + position + 1];
    // Looked at here, what lies far away in memory is near when its turn comes.
    if (calls[from] <= this.#latest) {
      const at = 2 * this.#rideCount++;
      this.#rides[at] = from;
      this.#rides[at + 1] = Math.min(aboard[trip] + 1, firstCall[trip + 1] - begin) - position - 1;
    }
    const end = this.#timetable.firstTrip[pattern + 1];
    for (let later = trip; later < end && aboard[later] > position; later++) {
      aboard[later] = position;
    }
  }

  /** Goes through all rides, and those that begin where they lead to. */
  #ride(): void {
    const rides = this.#rides;
    do {
      for (let at = 0; at < 2 * this.#rideCount; at += 2) this.#rideOn(rides[at], rides[at + 1]);
      this.#rideCount = 0;
      this.#seated.take(this.#rideSeated);
    } while (this.#rideCount > 0);
  }

  /** Arrives at so many calls, the first of which stands at `at`, and changes there. */
  #rideOn(at: number, count: number): void {
    const { calls, positionBits } = this.#transfers;
    const positionMask = (1 << positionBits) - 1;
    const alight = this.alight;
    const aboard = this.#aboard;
    const latest = this.#latest;
    const hasSeated = this.#hasSeated;
    for (let left = count; left > 0; left--) {
      const arrival = calls[at];
      if (arrival > latest) return;
      const stop = calls[at + 1];
      const endOfChanges = at + 3 + calls[at + 2];
      if (stop !== NO_ALIGHTING && arrival < alight[stop]) this.alightAt(stop, arrival);
      for (at += 3; at < endOfChanges; at++) {
        const change = calls[at];
        const next = change >>> positionBits;
        if ((change & positionMask) < aboard[next] || hasSeated) {
          this.#board(next, change & positionMask);
        }
      }
    }
  }

  /** Sits in a trip from before its beginning. */
  #rideSeated = (pattern: number, trip: number): void => {
    this.#seated.follow(pattern, trip);
    const ordinal = this.#timetable.firstTrip[pattern] + trip;
    if (this.#aboard[ordinal] > SEATED) this.#addRide(pattern, ordinal, SEATED);
  };
}
