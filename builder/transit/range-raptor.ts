import type { Millis } from '../../shards/units.ts';
import type { Footpaths } from './footpaths.ts';
import { InSeatTransfers } from './in-seat-transfers.ts';
import type { RangeLimits } from './range-arrivals.ts';
import { ALIGHT, BOARD, firstNotBefore, type Timetable } from './timetable.ts';

const NEVER = 0x7fff_ffff;

/**
 * Earliest arrivals by scheduled transit from one origin for every departure of a window: range
 * RAPTOR (Delling, Pajor and Werneck, 2012). It needs no preparation: suited to a search or two,
 * whereas `LaneSearch` is for thousands.
 *
 * Rounds are repeated until nothing improves: a trip may have any number of rides, and one label
 * per stop is enough. A trip alternates rides and walks between stops, so arrivals by ride and
 * times of being ready to board are stored separately. Riders who stay seated while a vehicle
 * continues as another line are followed into that trip, and into no other of its pattern:
 * `InSeatTransfers`.
 */
export class RangeRaptor {
  readonly #limits: RangeLimits;
  /** Stops that the last run reached: as many of the first as it returned. */
  readonly reached: Int32Array;
  /**
   * Leaving earlier allows waiting, so a stop's arrivals over the whole window are a few steps, the
   * events: per stop, `eventCount[s]` from `s × departures`. Leaving with departure
   * `eventDeparture` or any before it means arriving at `eventArrival`. Departures descend, and so
   * do arrivals.
   */
  readonly eventCount: Int32Array;
  readonly eventDeparture: Uint16Array;
  readonly eventArrival: Int32Array;

  readonly #timetable: Timetable;
  readonly #footpaths: Footpaths;
  /** Earliest arrival on board a vehicle so far. */
  readonly #alight: Int32Array;
  #reachedCount = 0;
  /** Stops with an earlier arrival for the current departure. */
  readonly #improved: Int32Array;
  #improvedCount = 0;
  readonly #isImproved: Uint8Array;
  /** Earliest departure that can be caught so far. */
  readonly #ready: Int32Array;
  /** Stops whose `ready` improved since the patterns there were last scanned. */
  readonly #marked: Int32Array;
  #markedCount = 0;
  readonly #isMarked: Uint8Array;
  /** Stops with an improved arrival by vehicle in this round. */
  readonly #alighted: Int32Array;
  #alightedCount = 0;
  readonly #isAlighted: Uint8Array;
  /** First position to scan of each pattern in the queue. */
  readonly #scanFrom: Int32Array;
  readonly #queue: Int32Array;
  readonly #seated: InSeatTransfers;
  #latest: Millis = 0;

  constructor(timetable: Timetable, footpaths: Footpaths, limits: RangeLimits) {
    const { stopCount, patternCount } = timetable;
    this.#limits = limits;
    this.reached = new Int32Array(stopCount);
    this.eventCount = new Int32Array(stopCount);
    this.eventDeparture = new Uint16Array(stopCount * limits.departures);
    this.eventArrival = new Int32Array(stopCount * limits.departures);
    this.#alight = new Int32Array(stopCount).fill(NEVER);
    this.#improved = new Int32Array(stopCount);
    this.#isImproved = new Uint8Array(stopCount);
    this.#timetable = timetable;
    this.#footpaths = footpaths;
    this.#ready = new Int32Array(stopCount).fill(NEVER);
    this.#marked = new Int32Array(stopCount);
    this.#isMarked = new Uint8Array(stopCount);
    this.#alighted = new Int32Array(stopCount);
    this.#isAlighted = new Uint8Array(stopCount);
    this.#scanFrom = new Int32Array(patternCount).fill(NEVER);
    this.#queue = new Int32Array(patternCount);
    this.#seated = new InSeatTransfers(timetable);
  }

  /**
   * Searches from an origin that is within walking distance of `accessStops`, in `accessTimes`, in
   * a window that opens at `windowStart`: for each departure from the last to the first, keeping
   * labels, so that only earlier arrivals are found anew. Returns the number of stops reached.
   */
  run(accessStops: Int32Array, accessTimes: Int32Array, windowStart: Millis): number {
    this.#reset();
    const { departures, step, boardSlack, limit } = this.#limits;
    for (let d = departures - 1; d >= 0; d--) {
      const leaves = windowStart + d * step;
      for (let i = 0; i < accessStops.length; i++) {
        this.#beReadyAt(accessStops[i], leaves + accessTimes[i] + boardSlack);
      }
      this.#latest = leaves + limit;
      while (this.#markedCount > 0) {
        this.#ride();
        this.#change();
      }
      this.#keepEvents(d);
    }
    return this.#reachedCount;
  }

  #reset(): void {
    for (let i = 0; i < this.#reachedCount; i++) {
      const stop = this.reached[i];
      this.#alight[stop] = NEVER;
      this.eventCount[stop] = 0;
    }
    this.#reachedCount = 0;
    this.#ready.fill(NEVER);
    this.#seated.reset();
  }

  #beReadyAt(stop: number, time: Millis): void {
    if (time >= this.#ready[stop]) return;
    this.#ready[stop] = time;
    if (this.#isMarked[stop]) return;
    this.#isMarked[stop] = 1;
    this.#marked[this.#markedCount++] = stop;
  }

  /** Scans every pattern that calls at a marked stop, from the first such call on. */
  #ride(): void {
    const { firstVisit, visits } = this.#timetable;
    const scanFrom = this.#scanFrom;
    const queue = this.#queue;
    let queued = 0;
    for (let i = 0; i < this.#markedCount; i++) {
      const stop = this.#marked[i];
      this.#isMarked[stop] = 0;
      const end = firstVisit[stop + 1] << 1;
      for (let at = firstVisit[stop] << 1; at < end; at += 2) {
        const pattern = visits[at];
        const position = visits[at + 1];
        if (scanFrom[pattern] === NEVER) queue[queued++] = pattern;
        if (position < scanFrom[pattern]) scanFrom[pattern] = position;
      }
    }
    this.#markedCount = 0;
    for (let i = 0; i < queued; i++) {
      const pattern = queue[i];
      this.#scan(pattern, scanFrom[pattern]);
      scanFrom[pattern] = NEVER;
    }
    this.#seated.take(this.#rideSeated);
  }

  #scan(pattern: number, from: number): void {
    const { firstCall, callStop, callRules, tripCount, firstTime } = this.#timetable;
    const { arrivals, departures, hasLinks } = this.#timetable;
    const trips = tripCount[pattern];
    const start = firstCall[pattern];
    const end = firstCall[pattern + 1];
    let times = firstTime[pattern] + from * trips;
    let trip = trips;
    for (let call = start + from; call < end; call++, times += trips) {
      const stop = callStop[call];
      const rules = callRules[call];
      if (trip < trips && rules & ALIGHT) {
        const arrival = arrivals[times + trip];
        if (arrival < this.#alight[stop] && arrival <= this.#latest) this.#alightAt(stop, arrival);
      }
      if (!(rules & BOARD) || this.#ready[stop] === NEVER || call === end - 1) continue;
      const earliest = this.#ready[stop];
      if (trip === trips) {
        trip = firstNotBefore(departures, times, trips, earliest);
      } else {
        while (trip > 0 && departures[times + trip - 1] >= earliest) trip--;
      }
    }
    if (trip < trips && hasLinks[pattern]) this.#seated.followFrom(pattern, trip, this.#latest);
  }

  /** Rides a trip from its beginning, without having to board it. */
  #rideSeated = (pattern: number, trip: number): void => {
    const { firstCall, callStop, callRules, tripCount, firstTime, arrivals } = this.#timetable;
    let time = firstTime[pattern] + trip;
    for (let call = firstCall[pattern]; call < firstCall[pattern + 1]; call++) {
      const arrival = arrivals[time];
      if (arrival > this.#latest) return;
      const stop = callStop[call];
      if (callRules[call] & ALIGHT && arrival < this.#alight[stop]) this.#alightAt(stop, arrival);
      time += tripCount[pattern];
    }
    this.#seated.follow(pattern, trip);
  };

  /** Records an arrival that is earlier than all before it. */
  #alightAt(stop: number, arrival: Millis): void {
    if (this.#alight[stop] === NEVER) this.reached[this.#reachedCount++] = stop;
    this.#alight[stop] = arrival;
    if (!this.#isImproved[stop]) {
      this.#isImproved[stop] = 1;
      this.#improved[this.#improvedCount++] = stop;
    }
    if (this.#isAlighted[stop]) return;
    this.#isAlighted[stop] = 1;
    this.#alighted[this.#alightedCount++] = stop;
  }

  /**
   * Transfers from the stops where vehicles arrived, wherever that improves the time of being
   * ready.
   */
  #change(): void {
    const { first, ways } = this.#footpaths;
    for (let i = 0; i < this.#alightedCount; i++) {
      const stop = this.#alighted[i];
      this.#isAlighted[stop] = 0;
      const arrival = this.#alight[stop];
      const end = first[stop + 1] << 1;
      for (let at = first[stop] << 1; at < end; at += 2) {
        const time = arrival + ways[at + 1];
        // Footpaths are in order of their length.
        if (time > this.#latest) break;
        if (time < this.#ready[ways[at]]) this.#beReadyAt(ways[at], time);
      }
    }
    this.#alightedCount = 0;
  }

  /** Turns the arrivals recorded for a departure into events. */
  #keepEvents(departure: number): void {
    const { departures } = this.#limits;
    for (let i = 0; i < this.#improvedCount; i++) {
      const stop = this.#improved[i];
      this.#isImproved[stop] = 0;
      const at = stop * departures + this.eventCount[stop]++;
      this.eventDeparture[at] = departure;
      this.eventArrival[at] = this.#alight[stop];
    }
    this.#improvedCount = 0;
  }
}
