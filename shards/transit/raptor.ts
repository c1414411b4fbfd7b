import type { Millis, RouteOrdinal, StopOrdinal } from '../units.ts';
import type { Footpaths } from './footpaths.ts';
import { InSeatTransfers, SEATED, type Seat } from './in-seat-transfers.ts';
import { ALIGHT, BOARD, firstNotBefore, type Timetable } from './timetable.ts';

const NEVER = 0x7fff_ffff;

/** Value of `#changedFrom` for a stop that was reached from the origin. */
const FROM_ORIGIN = -1;

export interface Ride {
  readonly route: RouteOrdinal;
  readonly from: StopOrdinal;
  readonly to: StopOrdinal;
  /**
   * When the rider could have boarded; null for a rider who stayed seated since the previous ride,
   * which then leads straight to this one.
   */
  readonly ready: Millis | null;
  readonly departs: Millis;
  readonly arrives: Millis;
}

/**
 * Earliest arrivals by scheduled transit from one origin for one departure: RAPTOR (Delling, Pajor
 * and Werneck, 2012). It needs no preparation, and can state the rides of a journey; the builder's
 * `LaneSearch` serves thousands of origins and whole ranges of departures.
 *
 * Rounds continue until nothing improves: a journey may have any number of rides, so one label per
 * stop is enough. A journey alternates rides and walks between stops, so arrivals by ride and times
 * of being ready to board are kept apart. A passenger who stays seated while a vehicle becomes
 * another line is followed into that trip only, not into other trips of its pattern
 * (`InSeatTransfers`).
 */
export class Raptor {
  /** Stops that the last run reached: the first entries, as many as `run` returned. */
  readonly reached: Int32Array;
  /** Earliest arrival of a vehicle at each reached stop. */
  readonly arrivals: Int32Array;

  readonly #timetable: Timetable;
  readonly #footpaths: Footpaths;
  #reachedCount = 0;
  /** Per stop, the earliest time so far at which a rider is ready to board. */
  readonly #ready: Int32Array;
  /** Per stop, the stop that this rider changed from, or `FROM_ORIGIN`. */
  readonly #changedFrom: Int32Array;
  /**
   * How the arrival at each stop was reached: pattern, trip, and the positions of the calls where
   * the rider boarded and alighted.
   */
  readonly #pattern: Int32Array;
  readonly #trip: Int32Array;
  readonly #board: Int32Array;
  readonly #alight: Int32Array;
  /** Stops whose `#ready` improved since the patterns there were last scanned. */
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

  constructor(timetable: Timetable, footpaths: Footpaths) {
    const { stopCount, patternCount } = timetable;
    this.reached = new Int32Array(stopCount);
    this.arrivals = new Int32Array(stopCount).fill(NEVER);
    this.#timetable = timetable;
    this.#footpaths = footpaths;
    this.#ready = new Int32Array(stopCount).fill(NEVER);
    this.#changedFrom = new Int32Array(stopCount);
    this.#pattern = new Int32Array(stopCount);
    this.#trip = new Int32Array(stopCount);
    this.#board = new Int32Array(stopCount);
    this.#alight = new Int32Array(stopCount);
    this.#marked = new Int32Array(stopCount);
    this.#isMarked = new Uint8Array(stopCount);
    this.#alighted = new Int32Array(stopCount);
    this.#isAlighted = new Uint8Array(stopCount);
    this.#scanFrom = new Int32Array(patternCount).fill(NEVER);
    this.#queue = new Int32Array(patternCount);
    this.#seated = new InSeatTransfers(timetable);
  }

  /**
   * Searches from an origin that is ready to board at `stops` at the times in `readyAt`; arrivals
   * after `latest` do not count. Returns the number of stops reached.
   */
  run(stops: Int32Array, readyAt: Int32Array, latest: Millis): number {
    this.#reset();
    this.#latest = latest;
    for (let i = 0; i < stops.length; i++) this.#beReadyAt(stops[i], readyAt[i], FROM_ORIGIN);
    while (this.#markedCount > 0) {
      this.#rideAll();
      this.#change();
    }
    return this.#reachedCount;
  }

  /** The rides of a fastest journey of the last run to a stop that it reached. */
  ridesTo(stop: StopOrdinal): Ride[] {
    const rides: Ride[] = [];
    for (let at = stop; ; ) {
      let seat: Seat = { pattern: this.#pattern[at], trip: this.#trip[at], board: this.#board[at] };
      let alight = this.#alight[at];
      while (seat.board === SEATED) {
        const before = this.#seated.before(seat.pattern, seat.trip);
        const end = this.#callCount(before.pattern) - 1;
        rides.push({
          route: this.#routeOf(seat),
          from: this.#stopAt(before.pattern, end),
          to: this.#stopAt(seat.pattern, alight),
          ready: null,
          departs: this.#timeAt(this.#timetable.arrivals, before, end),
          arrives: this.#timeAt(this.#timetable.arrivals, seat, alight),
        });
        seat = before;
        alight = end;
      }
      const boarded = this.#stopAt(seat.pattern, seat.board);
      rides.push({
        route: this.#routeOf(seat),
        from: boarded,
        to: this.#stopAt(seat.pattern, alight),
        // Set together with `#changedFrom`, so the legs agree even if this time improved after
        // boarding.
        ready: this.#ready[boarded],
        departs: this.#timeAt(this.#timetable.departures, seat, seat.board),
        arrives: this.#timeAt(this.#timetable.arrivals, seat, alight),
      });
      at = this.#changedFrom[boarded];
      if (at === FROM_ORIGIN) return rides.reverse();
    }
  }

  #routeOf({ pattern, trip }: Seat): RouteOrdinal {
    const { firstTrip, tripRoute } = this.#timetable;
    return tripRoute[firstTrip[pattern] + trip];
  }

  #timeAt(times: Int32Array, { pattern, trip }: Seat, call: number): Millis {
    const { firstTime, tripCount } = this.#timetable;
    return times[firstTime[pattern] + call * tripCount[pattern] + trip];
  }

  #stopAt(pattern: number, call: number): StopOrdinal {
    const { firstCall, callStop } = this.#timetable;
    return callStop[firstCall[pattern] + call];
  }

  #callCount(pattern: number): number {
    const { firstCall } = this.#timetable;
    return firstCall[pattern + 1] - firstCall[pattern];
  }

  #reset(): void {
    for (let i = 0; i < this.#reachedCount; i++) {
      this.arrivals[this.reached[i]] = NEVER;
    }
    this.#reachedCount = 0;
    this.#ready.fill(NEVER);
    this.#seated.reset();
  }

  #beReadyAt(stop: number, time: Millis, from: number): void {
    if (time >= this.#ready[stop]) return;
    this.#ready[stop] = time;
    this.#changedFrom[stop] = from;
    if (this.#isMarked[stop]) return;
    this.#isMarked[stop] = 1;
    this.#marked[this.#markedCount++] = stop;
  }

  /** Scans every pattern that calls at a marked stop, from the first such call on. */
  #rideAll(): void {
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
    const { arrivals, departures, hasContinuations } = this.#timetable;
    const trips = tripCount[pattern];
    const start = firstCall[pattern];
    const end = firstCall[pattern + 1];
    let times = firstTime[pattern] + from * trips;
    let trip = trips;
    let board = 0;
    for (let call = start + from; call < end; call++, times += trips) {
      const stop = callStop[call];
      const rules = callRules[call];
      if (trip < trips && rules & ALIGHT) {
        const arrival = arrivals[times + trip];
        if (arrival < this.arrivals[stop] && arrival <= this.#latest) {
          this.#alightAt(stop, arrival, pattern, trip, board, call - start);
        }
      }
      if (!(rules & BOARD) || this.#ready[stop] === NEVER || call === end - 1) continue;
      const earliest = this.#ready[stop];
      const aboard = trip;
      if (trip === trips) {
        trip = firstNotBefore(departures, times, trips, earliest);
      } else {
        while (trip > 0 && departures[times + trip - 1] >= earliest) trip--;
      }
      if (trip < aboard) board = call - start;
    }
    if (trip < trips && hasContinuations[pattern]) {
      this.#seated.followFrom({ pattern, trip, board }, this.#latest);
    }
  }

  #rideSeated = (pattern: number, trip: number): void => {
    const { firstCall, callStop, callRules, tripCount, firstTime, arrivals } = this.#timetable;
    let time = firstTime[pattern] + trip;
    for (let call = firstCall[pattern]; call < firstCall[pattern + 1]; call++) {
      const arrival = arrivals[time];
      if (arrival > this.#latest) return;
      const stop = callStop[call];
      if (callRules[call] & ALIGHT && arrival < this.arrivals[stop]) {
        this.#alightAt(stop, arrival, pattern, trip, SEATED, call - firstCall[pattern]);
      }
      time += tripCount[pattern];
    }
    this.#seated.follow({ pattern, trip, board: SEATED });
  };

  /** Records an arrival at a stop that is earlier than every previous one. */
  #alightAt(
    stop: number,
    arrival: Millis,
    pattern: number,
    trip: number,
    board: number,
    alight: number,
  ): void {
    if (this.arrivals[stop] === NEVER) this.reached[this.#reachedCount++] = stop;
    this.arrivals[stop] = arrival;
    this.#pattern[stop] = pattern;
    this.#trip[stop] = trip;
    this.#board[stop] = board;
    this.#alight[stop] = alight;
    if (this.#isAlighted[stop]) return;
    this.#isAlighted[stop] = 1;
    this.#alighted[this.#alightedCount++] = stop;
  }

  /** Walks from stops where vehicles arrived to every stop where riders are then ready earlier. */
  #change(): void {
    const { first, ways } = this.#footpaths;
    for (let i = 0; i < this.#alightedCount; i++) {
      const stop = this.#alighted[i];
      this.#isAlighted[stop] = 0;
      const arrival = this.arrivals[stop];
      const end = first[stop + 1] << 1;
      for (let at = first[stop] << 1; at < end; at += 2) {
        const time = arrival + ways[at + 1];
        // Ways are in ascending order of length.
        if (time > this.#latest) break;
        if (time < this.#ready[ways[at]]) this.#beReadyAt(ways[at], time, stop);
      }
    }
    this.#alightedCount = 0;
  }
}
