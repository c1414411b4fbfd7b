import type { Millis } from '../../shards/units.ts';
import type { Footpaths } from './footpaths.ts';
import { InSeatTransfers } from './in-seat-transfers.ts';
import type { RangeLimits } from './range-arrivals.ts';
import { ALIGHT, BOARD, firstNotBefore, type Timetable } from './timetable.ts';

const NEVER = 0x7fff_ffff;

/**
 * Earliest arrivals by scheduled transit from one origin for every departure of a window: range
 * RAPTOR (Delling, Pajor and Werneck, 2012). It needs nothing prepared: for a search or two, it is
 * the one to take; `LaneSearch` for thousands.
 *
 * Rounds go on until nothing improves: a trip may have any number of rides, and one label a stop is
 * enough. A trip alternates rides and walks between stops, so arrivals by ride and times of being
 * ready to board are kept apart. Who stays seated while a vehicle becomes another line is followed
 * into that trip, and into no other of its pattern: `InSeatTransfers`.
 */
export class RangeRaptor {
  readonly #limits: RangeLimits;
  /** Stops that the last run reached, the first of them as many as it said. */
  readonly reached: Int32Array;
  /**
   * Who leaves earlier may wait, so a stop's arrivals over the whole window are a few steps, the
   * events: per stop, `eventCount[s]` from `s × departures`. Leaving with departure
   * `eventDeparture` or any before it, one arrives at `eventArrival`. Departures descend and
   * arrivals with them.
   */
  readonly eventCount: Int32Array;
  readonly eventDeparture: Uint16Array;
  readonly eventArrival: Int32Array;

  readonly #timetable: Timetable;
  readonly #footpaths: Footpaths;
  /** Earliest arrival on board a vehicle so far. */
  readonly #alight: Int32Array;
  #reachedCount = 0;
  /** Stops that got an earlier arrival for the departure under way. */
  readonly #improved: Int32Array;
  #improvedCount = 0;
  readonly #isImproved: Uint8Array;
  /** Earliest departure that one catches so far. */
  readonly #ready: Int32Array;
  /** Stops whose `ready` improved since the patterns there were last scanned. */
  readonly #marked: Int32Array;
  #markedCount = 0;
  readonly #isMarked: Uint8Array;
  /** Stops that vehicles of the round arrived at earlier than known. */
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
   * Searches from an origin from where one walks to `accessStops` in `accessTimes`, in a window that
   * opens at `windowStart`: for each departure from the last to the first, labels kept, so that what
   * is found anew is exactly where one arrives earlier. Returns how many stops it reached.
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

  /** Rides a trip from its beginning, where one need not board it. */
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

  /** Notes an arrival that is earlier than all before it. */
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

  /** Changes where vehicles arrived to all that leave later, wherever that is earlier than known. */
  #change(): void {
    const { first, ways } = this.#footpaths;
    for (let i = 0; i < this.#alightedCount; i++) {
      const stop = this.#alighted[i];
      this.#isAlighted[stop] = 0;
      const arrival = this.#alight[stop];
      const end = first[stop + 1] << 1;
      for (let at = first[stop] << 1; at < end; at += 2) {
        const time = arrival + ways[at + 1];
        // Ways are in order of their length.
        if (time > this.#latest) break;
        if (time < this.#ready[ways[at]]) this.#beReadyAt(ways[at], time);
      }
    }
    this.#alightedCount = 0;
  }

  /** Makes events of what was noted for a departure. */
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
