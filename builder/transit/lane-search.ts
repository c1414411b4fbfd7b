import type { Millis, StopOrdinal } from '../../shards/units.ts';
import type { CallOrder } from './call-order.ts';
import type { RangeArrivals, RangeLimits } from './range-arrivals.ts';
import { BOARD, firstNotBefore, type Timetable } from './timetable.ts';
import { NO_ALIGHTING } from './trip-transfers.ts';

/** So many origins are searched from at a time: a byte each. */
export const LANES = 16;
/** A label is so many words, of four bytes. */
const WORDS = 4;
/** The highest bit of each byte, which no departure needs. */
const HIGH = 0x80808080 | 0;
const MOST_DEPARTURES = 126;

/**
 * Earliest arrivals by scheduled transit for every departure of a window, from several origins at a
 * time. It asks the other way around: of each call of each trip, what is the latest departure with
 * which one is aboard as the vehicle arrives there? Calls are gone through once, as vehicles arrive
 * (the connection scan of Dibbelt, Pajor, Strasser and Wagner, 2013, over the changes between trips
 * of Witt, 2015), and each takes the latest of the departures of those that lead to it. That order
 * depends on no origin, so a label holds one departure for each of many (as Delling, Goldberg,
 * Nowatzyk and Werneck's PHAST grows many trees at once, 2011): four in a word, whose maximum is
 * taken at once (Lamport, 1975).
 *
 * It is exact: whoever may leave later and be aboard may leave earlier and wait, so the arrivals of
 * a stop over the whole window are the calls there with a later departure than all before them.
 */
export class LaneSearch implements RangeArrivals {
  readonly limits: RangeLimits;
  readonly #timetable: Timetable;
  readonly #order: CallOrder;
  /** By place: of each lane one more than the departure; 0: none. */
  readonly #labels: Int32Array;
  readonly #lanes: Uint8Array;
  /** Patterns that anybody of any lane is aboard of, and those whose followers are known to be. */
  readonly #isRidden: Uint8Array;
  readonly #isFollowed: Uint8Array;
  /** Stops that any lane reaches. */
  readonly #stops: Int32Array;
  #stopCount = 0;
  readonly #isStop: Uint8Array;
  #windowStart: Millis = 0;
  /** The places of the window. */
  #begin = 0;
  #end = 0;

  readonly reached: Int32Array;
  readonly eventCount: Int32Array;
  readonly eventDeparture: Uint16Array;
  readonly eventArrival: Int32Array;
  #reachedCount = 0;
  /**
   * What was found at the `i`th of the stops: arrivals from `firstFound[i]` to `firstFound[i + 1]`,
   * at which any lane gains; and all labels there, those of one lane side by side.
   */
  readonly #firstFound: Int32Array;
  readonly #found: Int32Array;
  readonly #foundLabels: Uint8Array;
  /** The arrivals of a stop at which the lane in hand gains. */
  readonly #events: Int32Array;

  constructor(timetable: Timetable, order: CallOrder, limits: RangeLimits) {
    if (limits.departures > MOST_DEPARTURES) throw new Error('too many departures');
    const { stopCount, patternCount } = timetable;
    this.limits = limits;
    this.#timetable = timetable;
    this.#order = order;
    this.#labels = new Int32Array(order.arrival.length * WORDS);
    this.#lanes = new Uint8Array(this.#labels.buffer);
    this.#isRidden = new Uint8Array(patternCount);
    this.#isFollowed = new Uint8Array(patternCount);
    this.#stops = new Int32Array(stopCount);
    this.#isStop = new Uint8Array(stopCount);
    this.reached = new Int32Array(stopCount);
    this.eventCount = new Int32Array(stopCount);
    this.eventDeparture = new Uint16Array(stopCount * limits.departures);
    this.eventArrival = new Int32Array(stopCount * limits.departures);
    this.#firstFound = new Int32Array(stopCount + 1);
    this.#found = new Int32Array(order.atStop.length);
    this.#foundLabels = new Uint8Array(order.atStop.length * LANES);
    this.#events = new Int32Array(limits.departures);
  }

  /** Forgets all lanes, for origins whose window opens at `windowStart`. */
  begin(windowStart: Millis): void {
    this.#labels.fill(0, this.#begin * WORDS, this.#end * WORDS);
    this.#isRidden.fill(0);
    this.#isFollowed.fill(0);
    for (let i = 0; i < this.#stopCount; i++) this.#isStop[this.#stops[i]] = 0;
    this.#stopCount = 0;
    const { arrival } = this.#order;
    const { departures, step, limit } = this.limits;
    const last = windowStart + (departures - 1) * step + limit;
    this.#windowStart = windowStart;
    this.#begin = firstNotBefore(arrival, 0, arrival.length, windowStart);
    this.#end = firstNotBefore(arrival, 0, arrival.length, last + 1);
  }

  /** Says from where a lane's origin is how far from which stops, on foot. */
  board(lane: number, accessStops: Int32Array, accessTimes: Int32Array): void {
    const { boardSlack } = this.limits;
    for (let i = 0; i < accessStops.length; i++) {
      this.#boardAt(lane, accessStops[i], this.#windowStart + accessTimes[i] + boardSlack);
    }
  }

  /** Searches from the origins of all lanes. */
  run(): void {
    const { knots } = this.#order;
    let place = this.#begin;
    for (let knot = 0; knot < knots.length; knot += 2) {
      const from = Math.max(knots[knot], place);
      const to = Math.min(knots[knot + 1], this.#end);
      if (from >= to) continue;
      this.#sweep(place, from);
      while (this.#sweep(from, to)) {
        // Until nobody is aboard of anything by a later departure.
      }
      place = to;
    }
    this.#sweep(place, this.#end);
    this.#gather();
  }

  /** Fills in what was found for a lane; returns how many stops it reached. */
  take(lane: number): number {
    const { departures, step, limit } = this.limits;
    const found = this.#found;
    const labels = this.#foundLabels;
    const events = this.#events;
    const { eventArrival, eventDeparture } = this;
    // Who leaves with departure 0 arrives within the limit up to then; label 1 is of departure 0.
    const lastOfNone = this.#windowStart - step + limit;
    for (let i = 0; i < this.#reachedCount; i++) this.eventCount[this.reached[i]] = 0;
    this.#reachedCount = 0;
    for (let i = 0; i < this.#stopCount; i++) {
      const first = this.#firstFound[i];
      const count = this.#firstFound[i + 1] - first;
      const own = first * LANES + lane * count;
      let gains = 0;
      let latest = 0;
      for (let n = 0; n < count; n++) {
        const label = labels[own + n];
        if (label <= latest) continue;
        latest = label;
        if (found[first + n] > lastOfNone + label * step) continue;
        // Of arrivals at one time, that of the latest departure counts.
        if (gains > 0 && found[first + events[gains - 1]] === found[first + n]) gains--;
        events[gains++] = n;
      }
      if (gains === 0) continue;
      const stop = this.#stops[i];
      this.eventCount[stop] = gains;
      for (let at = stop * departures; gains > 0; at++) {
        const n = events[--gains];
        eventDeparture[at] = labels[own + n] - 1;
        eventArrival[at] = found[first + n];
      }
      this.reached[this.#reachedCount++] = stop;
    }
    return this.#reachedCount;
  }

  /** Boards the trips that leave a stop, of which the first is ready at `ready`. */
  #boardAt(lane: number, stop: StopOrdinal, ready: Millis): void {
    const { firstVisit, visits, firstCall, callRules, tripCount, firstTime, firstTrip, hasLinks } =
      this.#timetable;
    const times = this.#timetable.departures;
    const { departures, step } = this.limits;
    const last = ready + (departures - 1) * step;
    for (let visit = firstVisit[stop]; visit < firstVisit[stop + 1]; visit++) {
      const pattern = visits[2 * visit];
      const position = visits[2 * visit + 1];
      const call = firstCall[pattern] + position;
      if (!(callRules[call] & BOARD) || call === firstCall[pattern + 1] - 1) continue;
      const trips = tripCount[pattern];
      const start = firstTime[pattern] + position * trips;
      let trip = firstNotBefore(times, start, trips, ready);
      for (; trip < trips; trip++) {
        const departure = Math.floor((Math.min(times[start + trip], last) - ready) / step);
        this.#aboard(lane, pattern, firstTrip[pattern] + trip, position, departure);
        // Later trips lead nowhere earlier, unless riders may stay seated in them.
        if (times[start + trip] >= last && !hasLinks[pattern]) break;
      }
    }
  }

  #aboard(lane: number, pattern: number, trip: number, position: number, departure: number): void {
    const { firstCall, placeOf } = this.#order;
    const place = placeOf[firstCall[trip] + position + 1];
    if (place >= this.#end) return;
    const at = place * LANES + lane;
    if (this.#lanes[at] <= departure) this.#lanes[at] = departure + 1;
    this.#isRidden[pattern] = 1;
  }

  /** Goes through places once; says whether any label grew, or a pattern is newly ridden. */
  #sweep(from: number, to: number): boolean {
    const { pattern, firstSource, sources, stop } = this.#order;
    const labels = this.#labels;
    const isRidden = this.#isRidden;
    let grew = false;
    for (let place = from; place < to; place++) {
      const by = pattern[place];
      if (!isRidden[by]) continue;
      const own = place * WORDS;
      let a = labels[own];
      let b = labels[own + 1];
      let c = labels[own + 2];
      let d = labels[own + 3];
      const end = firstSource[place + 1];
      for (let i = firstSource[place]; i < end; i++) {
        const source = sources[i] * WORDS;
        a = latest(a, labels[source]);
        b = latest(b, labels[source + 1]);
        c = latest(c, labels[source + 2]);
        d = latest(d, labels[source + 3]);
      }
      if ((a | b | c | d) === 0) continue;
      if (
        a !== labels[own] ||
        b !== labels[own + 1] ||
        c !== labels[own + 2] ||
        d !== labels[own + 3]
      ) {
        grew = true;
        labels[own] = a;
        labels[own + 1] = b;
        labels[own + 2] = c;
        labels[own + 3] = d;
      }
      if (!this.#isFollowed[by]) {
        this.#follow(by);
        grew = true;
      }
      const at = stop[place];
      if (at !== NO_ALIGHTING && !this.#isStop[at]) {
        this.#isStop[at] = 1;
        this.#stops[this.#stopCount++] = at;
      }
    }
    return grew;
  }

  /** Brings together what was found at each stop, so that lanes need not look for it. */
  #gather(): void {
    const { firstAtStop, atStop, arrival } = this.#order;
    const labels = this.#labels;
    let found = 0;
    for (let i = 0; i < this.#stopCount; i++) {
      const stop = this.#stops[i];
      const first = found;
      let [a, b, c, d] = [0, 0, 0, 0];
      for (let at = firstAtStop[stop]; at < firstAtStop[stop + 1]; at++) {
        const place = atStop[at] * WORDS;
        const nextA = latest(a, labels[place]);
        const nextB = latest(b, labels[place + 1]);
        const nextC = latest(c, labels[place + 2]);
        const nextD = latest(d, labels[place + 3]);
        if (nextA === a && nextB === b && nextC === c && nextD === d) continue;
        [a, b, c, d] = [nextA, nextB, nextC, nextD];
        this.#found[found++] = atStop[at];
      }
      const count = found - first;
      for (let n = 0; n < count; n++) {
        const place = this.#found[first + n];
        this.#found[first + n] = arrival[place];
        for (let lane = 0; lane < LANES; lane++) {
          this.#foundLabels[first * LANES + lane * count + n] = this.#lanes[place * LANES + lane];
        }
      }
      this.#firstFound[i + 1] = found;
    }
  }

  #follow(pattern: number): void {
    const { firstNext, next } = this.#order;
    this.#isFollowed[pattern] = 1;
    for (let i = firstNext[pattern]; i < firstNext[pattern + 1]; i++) this.#isRidden[next[i]] = 1;
  }
}

/** The greater of each of the four bytes of two words, the highest bits of which are 0. */
function latest(a: number, b: number): number {
  const isNotLess = ((a | HIGH) - b) & HIGH;
  return b ^ ((a ^ b) & (isNotLess - (isNotLess >>> 7)));
}
