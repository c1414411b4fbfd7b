import { lowestBit } from '../../shards/arrays/bits.ts';
import { BOARD, firstNotBefore, type Timetable } from '../../shards/transit/timetable.ts';
import type { Millis, StopOrdinal } from '../../shards/units.ts';
import type { CallOrder } from './call-order.ts';
import { NO_ALIGHTING } from './trip-transfers.ts';

/** Number of origins searched at a time, with one byte each in a label. */
export const LANES = 16;
/** Words of four bytes per label. */
const WORDS = 4;
const LANES_PER_WORD = LANES / WORDS;
/** Ranks per word of a bit set, as a power of two. */
const RANK_SHIFT = 5;
/** The highest bit of each byte, which departures never use. */
const HIGH = 0x80808080 | 0;
const MAX_DEPARTURES = 126;

/** Parameters of a search over a range of departures. */
export interface RangeLimits {
  /** Number of times at which trips begin, `step` apart. */
  readonly departures: number;
  readonly step: Millis;
  /**
   * Time from reaching the first stop on foot to the earliest departure that can be caught there.
   */
  readonly boardSlack: Millis;
  /** Longest trip, from its beginning to alighting. */
  readonly limit: Millis;
}

/** Receives the results of a search from several origins at a time. */
export interface ArrivalListener {
  /**
   * Reports that riders who leave a lane's origin with any departure from `first` to `last`,
   * inclusive, alight at a stop at `arrival`, and no earlier. Calls for one stop come in order of
   * arrival.
   */
  arrive(stop: StopOrdinal, lane: number, arrival: Millis, first: number, last: number): void;
}

/**
 * Finds the earliest arrivals by scheduled transit for every departure of a window, from several
 * origins at a time. It solves the reverse problem: for each call of each trip, the latest
 * departure with which a rider is aboard as the vehicle arrives there. Calls are scanned once, in
 * order of arrival (the connection scan of Dibbelt, Pajor, Strasser and Wagner, 2013, over the
 * transfers between trips of Witt, 2015), and each takes the latest departure of the calls that
 * lead to it. That order does not depend on the origin, so a label holds one departure for each of
 * many origins (as Delling, Goldberg, Nowatzyk and Werneck's PHAST grows many trees at once, 2011):
 * four in a word, whose maxima are computed together (Lamport, 1975).
 *
 * The search is exact: a rider who is aboard with a later departure may also leave earlier and
 * wait. So the arrivals at a stop over the whole window are the calls there with a later departure
 * than all earlier calls.
 */
export class LaneSearch {
  readonly #limits: RangeLimits;
  readonly #timetable: Timetable;
  readonly #order: CallOrder;
  /** Per rank and lane, the index of the latest departure plus one; 0 for none. */
  readonly #labels: Int32Array;
  readonly #lanes: Uint8Array;
  /**
   * Whether a pattern has riders of any lane, and whether its successors have already been marked.
   */
  readonly #isRidden: Uint8Array;
  readonly #isFollowed: Uint8Array;
  /**
   * Bit set of the ranks of patterns with riders. All other service is skipped at next to no cost,
   * however much there is.
   */
  readonly #due: Int32Array;
  /** Per stop and lane, the latest label that has arrived so far. */
  readonly #known: Int32Array;
  readonly #knownLanes: Uint8Array;
  #windowStart: Millis = 0;
  /** Half-open range of the ranks from the opening of the window to the latest possible arrival. */
  #begin = 0;
  #end = 0;

  constructor(timetable: Timetable, order: CallOrder, limits: RangeLimits) {
    if (limits.departures > MAX_DEPARTURES) throw new Error('too many departures');
    const { stopCount, patternCount } = timetable;
    this.#limits = limits;
    this.#timetable = timetable;
    this.#order = order;
    this.#labels = new Int32Array(order.arrival.length * WORDS);
    this.#lanes = new Uint8Array(this.#labels.buffer);
    this.#isRidden = new Uint8Array(patternCount);
    this.#isFollowed = new Uint8Array(patternCount);
    this.#due = new Int32Array((order.arrival.length >>> RANK_SHIFT) + 1);
    this.#known = new Int32Array(stopCount * WORDS);
    this.#knownLanes = new Uint8Array(this.#known.buffer);
  }

  /** Resets the search for origins whose window opens at `windowStart`. */
  begin(windowStart: Millis): void {
    this.#due.fill(0);
    this.#isRidden.fill(0);
    this.#isFollowed.fill(0);
    const { arrival } = this.#order;
    const { departures, step, limit } = this.#limits;
    const last = windowStart + (departures - 1) * step + limit;
    this.#windowStart = windowStart;
    this.#begin = firstNotBefore(arrival, 0, arrival.length, windowStart);
    this.#end = firstNotBefore(arrival, 0, arrival.length, last + 1);
  }

  /**
   * Adds the stops within walking distance of a lane's origin, each once, with their walking times.
   */
  board(lane: number, accessStops: ArrayLike<number>, accessTimes: ArrayLike<Millis>): void {
    const { boardSlack } = this.#limits;
    for (let i = 0; i < accessStops.length; i++) {
      this.#boardAt(lane, accessStops[i], this.#windowStart + accessTimes[i] + boardSlack);
    }
  }

  /** Searches from the origins of all lanes. */
  run(found: ArrivalListener): void {
    const { repeated } = this.#order;
    let rank = this.#begin;
    for (let range = 0; range < repeated.length; range += 2) {
      const from = Math.max(repeated[range], rank);
      const to = Math.min(repeated[range + 1], this.#end);
      if (from >= to) continue;
      this.#sweep(rank, from);
      while (this.#sweep(from, to)) {
        // Repeats until no label grows.
      }
      rank = to;
    }
    this.#sweep(rank, this.#end);
    this.#report(found);
  }

  /**
   * Boards the trips that leave a stop. Riders with the first departure are ready there at `ready`.
   */
  #boardAt(lane: number, stop: StopOrdinal, ready: Millis): void {
    const {
      firstVisit,
      visits,
      firstCall,
      callRules,
      tripCount,
      firstTime,
      firstTrip,
      hasContinuations,
    } = this.#timetable;
    const times = this.#timetable.departures;
    const { departures, step } = this.#limits;
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
        if (times[start + trip] >= last && !hasContinuations[pattern]) break;
      }
    }
  }

  #aboard(lane: number, pattern: number, trip: number, position: number, departure: number): void {
    const { firstCall, rankOf } = this.#order;
    const rank = rankOf[firstCall[trip] + position + 1];
    if (rank >= this.#end) return;
    this.#lanes[rank * LANES + lane] = departure + 1;
    this.#ride(pattern);
  }

  /**
   * Scans a range of ranks once. Returns whether any label grew, or any pattern has its first
   * riders.
   */
  #sweep(from: number, to: number): boolean {
    const { pattern, firstSource, sources } = this.#order;
    const labels = this.#labels;
    let grew = false;
    for (let rank = this.#nextDue(from, to); rank < to; rank = this.#nextDue(rank + 1, to)) {
      const by = pattern[rank];
      const own = rank * WORDS;
      let a = labels[own];
      let b = labels[own + 1];
      let c = labels[own + 2];
      let d = labels[own + 3];
      const end = firstSource[rank + 1];
      for (let i = firstSource[rank]; i < end; i++) {
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
    }
    return grew;
  }

  /**
   * Reports the results and clears the labels. Riders aboard a vehicle as it arrives at a stop
   * count as arriving there if their departure is later than any that has arrived before.
   */
  #report(found: ArrivalListener): void {
    const { stop } = this.#order;
    const labels = this.#labels;
    const known = this.#known;
    const end = this.#end;
    known.fill(0);
    for (
      let rank = this.#nextDue(this.#begin, end);
      rank < end;
      rank = this.#nextDue(rank + 1, end)
    ) {
      const at = stop[rank];
      for (let word = 0; word < WORDS; word++) {
        const label = labels[rank * WORDS + word];
        if (label === 0) continue;
        if (at !== NO_ALIGHTING) {
          const before = known[at * WORDS + word];
          if (latest(before, label) !== before) this.#reportAt(found, rank, at, word);
        }
        labels[rank * WORDS + word] = 0;
      }
    }
  }

  /** Reports the arrivals of the lanes in one word of a label. */
  #reportAt(found: ArrivalListener, rank: number, stop: StopOrdinal, word: number): void {
    const arrival = this.#order.arrival[rank];
    const firstLane = word * LANES_PER_WORD;
    for (let lane = firstLane; lane < firstLane + LANES_PER_WORD; lane++) {
      const label = this.#lanes[rank * LANES + lane];
      const before = this.#knownLanes[stop * LANES + lane];
      if (label <= before) continue;
      this.#knownLanes[stop * LANES + lane] = label;
      found.arrive(stop, lane, arrival, before, label - 1);
    }
  }

  /** Marks a pattern as having riders, so that its ranks are scanned. */
  #ride(pattern: number): void {
    if (this.#isRidden[pattern]) return;
    this.#isRidden[pattern] = 1;
    const { firstTrip } = this.#timetable;
    const { firstCall, rankOf } = this.#order;
    const end = firstCall[firstTrip[pattern + 1]];
    for (let call = firstCall[firstTrip[pattern]]; call < end; call++) {
      const rank = rankOf[call];
      this.#due[rank >>> RANK_SHIFT] |= 1 << rank;
    }
  }

  #follow(pattern: number): void {
    const { firstNext, next } = this.#order;
    this.#isFollowed[pattern] = 1;
    for (let i = firstNext[pattern]; i < firstNext[pattern + 1]; i++) this.#ride(next[i]);
  }

  /**
   * Returns the first rank in `from` to `end` (exclusive) that may have riders aboard, or `end`.
   */
  #nextDue(from: number, end: number): number {
    const due = this.#due;
    let word = from >>> RANK_SHIFT;
    let left = due[word] & (-1 << from);
    const endWord = end >>> RANK_SHIFT;
    while (left === 0) {
      if (word++ >= endWord) return end;
      left = due[word];
    }
    return Math.min(end, (word << RANK_SHIFT) + lowestBit(left));
  }
}

/**
 * Returns the greater of each pair of bytes of two words, in which the highest bit of each byte is
 * 0.
 */
function latest(a: number, b: number): number {
  const isNotLess = ((a | HIGH) - b) & HIGH;
  return b ^ ((a ^ b) & (isNotLess - (isNotLess >>> 7)));
}
