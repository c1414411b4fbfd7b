import { GrowableArray } from '../../shards/arrays/growable-array.ts';
import type { Footpaths } from '../../shards/transit/footpaths.ts';
import { ALIGHT, BOARD, firstNotBefore, type Timetable } from '../../shards/transit/timetable.ts';
import type { Millis, StopOrdinal } from '../../shards/units.ts';

const NEVER = 0x7fff_ffff;
const NO_CHANGE = -1;

/**
 * The options at each call of each trip: alighting, and transferring to other trips. Calls are
 * numbered trip by trip: those of trip `t` (numbered across all patterns) begin at `firstCall[t]`.
 */
export interface TripTransfers {
  readonly firstCall: Int32Array;
  readonly patternOf: Int32Array;
  /**
   * Call `c` is stored in `calls` from `start[c]` on, with the calls of a trip one after another.
   * Its numbers, in the order in which they are read, are the arrival of the vehicle; the stop, or
   * `NO_ALIGHTING`; the number of transfers; and one number per transfer, with the trip and, in the
   * lowest `positionBits`, the position where the trip is boarded.
   */
  readonly start: Int32Array;
  readonly calls: Int32Array;
  readonly positionBits: number;
}

/** Replaces the stop of a call where alighting is not allowed. */
export const NO_ALIGHTING = -1;

/**
 * Determines the useful transfers between trips (the preparation of trip-based routing: Witt,
 * 2015). Few of the trips that can be boarded after alighting lead anywhere earlier than staying on
 * and transferring later, or than another transfer.
 *
 * A dropped transfer is never needed: each stop that it leads to is reached no later by staying on,
 * or by a transfer that is kept, from the same call of the trip or a later one. Any onward journey
 * is possible from that arrival too, so by induction over the rides of a journey it arrives no
 * later. This requires that the transfers of all calls of a ride are tried, including calls whose
 * stop is reached earlier in another way. Some transfer is always kept to a trip whose riders may
 * stay seated as another trip begins. `limit`: duration of the longest trip.
 */
export function buildTripTransfers(
  timetable: Timetable,
  footpaths: Footpaths,
  limit: Millis,
): TripTransfers {
  const calls = callsByTrip(timetable);
  const boardings = boardingsByStop(timetable, footpaths);
  const { firstCall, patternOf, positionBits } = calls;
  const choice = new TransferChoice(timetable, calls, boardings, limit).choose();
  return { firstCall, patternOf, positionBits, ...choice };
}

interface CallsByTrip extends Omit<TripTransfers, 'start' | 'calls'> {
  readonly arrivals: Int32Array;
}

/** Copies the arrivals of the timetable, with those of each trip consecutive. */
function callsByTrip(timetable: Timetable): CallsByTrip {
  const { patternCount, firstTrip, tripCount, firstTime, arrivals: byCall } = timetable;
  const trips = firstTrip[patternCount];
  const firstCall = new Int32Array(trips + 1);
  const patternOf = new Int32Array(trips);
  const arrivals = new Int32Array(byCall.length);
  let call = 0;
  for (let pattern = 0; pattern < patternCount; pattern++) {
    const count = tripCount[pattern];
    for (let t = 0; t < count; t++) {
      patternOf[firstTrip[pattern] + t] = pattern;
      for (let at = firstTime[pattern] + t; at < firstTime[pattern + 1]; at += count) {
        arrivals[call++] = byCall[at];
      }
      firstCall[firstTrip[pattern] + t + 1] = call;
    }
  }
  let longest = 0;
  for (let trip = 0; trip < trips; trip++) {
    longest = Math.max(longest, firstCall[trip + 1] - firstCall[trip]);
  }
  return { firstCall, patternOf, arrivals, positionBits: 32 - Math.clz32(longest) };
}

/**
 * Boarding options after alighting: those of stop `s` are `first[s]` to `first[s + 1]`, exclusive.
 * Each has three numbers in `ways`: a pattern, a position in the pattern, and the milliseconds
 * until a rider is ready to leave from there.
 */
interface Boardings {
  readonly first: Int32Array;
  readonly ways: Int32Array;
}

/**
 * Lists the boarding options of each stop. Omits those that never catch an earlier vehicle than
 * boarding at a previous stop of the pattern, as when walking on along a line.
 */
function boardingsByStop(timetable: Timetable, { first: firstWay, ways }: Footpaths): Boardings {
  const { stopCount, patternCount, firstVisit, visits } = timetable;
  const first = new Int32Array(stopCount + 1);
  const all: number[] = [];
  const ofPattern: { position: number; time: Millis }[][] = Array.from(
    { length: patternCount },
    () => [],
  );
  for (let stop: StopOrdinal = 0; stop < stopCount; stop++) {
    const patterns: number[] = [];
    for (let way = firstWay[stop]; way < firstWay[stop + 1]; way++) {
      const [to, time] = [ways[2 * way], ways[2 * way + 1]];
      for (let visit = firstVisit[to]; visit < firstVisit[to + 1]; visit++) {
        const [pattern, position] = [visits[2 * visit], visits[2 * visit + 1]];
        if (!mayBoard(timetable, pattern, position)) continue;
        if (ofPattern[pattern].length === 0) patterns.push(pattern);
        ofPattern[pattern].push({ position, time });
      }
    }
    for (const pattern of patterns) {
      const list = ofPattern[pattern].sort((a, b) => a.position - b.position);
      ofPattern[pattern] = [];
      const kept: { position: number; time: Millis }[] = [];
      for (const one of list) {
        if (kept.some((before) => isNeverLater(timetable, pattern, before, one))) continue;
        kept.push(one);
        all.push(pattern, one.position, one.time);
      }
    }
    first[stop + 1] = all.length / 3;
  }
  return { first, ways: Int32Array.from(all) };
}

function mayBoard({ firstCall, callRules }: Timetable, pattern: number, position: number): boolean {
  const call = firstCall[pattern] + position;
  return (callRules[call] & BOARD) !== 0 && call < firstCall[pattern + 1] - 1;
}

/**
 * Whether boarding at one position never catches a later trip than boarding at a later position,
 * whenever a rider alights.
 */
function isNeverLater(
  { firstTime, tripCount, departures }: Timetable,
  pattern: number,
  early: { readonly position: number; readonly time: Millis },
  late: { readonly position: number; readonly time: Millis },
): boolean {
  const trips = tripCount[pattern];
  const atEarly = firstTime[pattern] + early.position * trips;
  const atLate = firstTime[pattern] + late.position * trips;
  for (let t = 0; t < trips; t++) {
    if (departures[atEarly + t] - early.time < departures[atLate + t] - late.time) return false;
  }
  return true;
}

/** Chooses the transfers to keep, trip by trip, from the last call of each trip to its first. */
class TransferChoice {
  readonly #timetable: Timetable;
  readonly #calls: CallsByTrip;
  readonly #boardings: Boardings;
  readonly #limit: Millis;
  /**
   * The earliest arrival at each stop of riders who stay on the current trip or change once, at the
   * current call or later.
   */
  readonly #arrival: Int32Array;
  readonly #arrived: StopOrdinal[] = [];
  /**
   * The transfer by which riders first arrive at each stop, or `NO_CHANGE`. Transfers are numbered
   * consecutively.
   */
  readonly #by: Int32Array;
  /**
   * Transfers at the current call, and the number of stops for which each is the best. The first of
   * them has number `#firstChange`.
   */
  readonly #changes: number[] = [];
  readonly #stops: number[] = [];
  #firstChange = 0;
  /** The first position of each trip at which riders of the current trip could be aboard. */
  readonly #aboard: Int32Array;
  readonly #met: number[] = [];

  constructor(timetable: Timetable, calls: CallsByTrip, boardings: Boardings, limit: Millis) {
    this.#timetable = timetable;
    this.#calls = calls;
    this.#boardings = boardings;
    this.#limit = limit;
    this.#arrival = new Int32Array(timetable.stopCount).fill(NEVER);
    this.#by = new Int32Array(timetable.stopCount);
    this.#aboard = new Int32Array(calls.patternOf.length).fill(NEVER);
  }

  /** Returns `start` and `calls` of `TripTransfers`. */
  choose(): Pick<TripTransfers, 'start' | 'calls'> {
    const { firstCall, arrivals, patternOf } = this.#calls;
    const { firstCall: firstOf, callStop, callRules } = this.#timetable;
    const start = new Int32Array(arrivals.length);
    const backwards = new GrowableArray(Int32Array);
    for (let trip = firstCall.length - 2; trip >= 0; trip--) {
      const toPattern = firstOf[patternOf[trip]] - firstCall[trip];
      for (let call = firstCall[trip + 1] - 1; call >= firstCall[trip]; call--) {
        this.#changeAt(trip, call);
        const kept = this.#changes.filter((_, i) => this.#stops[i] > 0);
        for (const change of kept) backwards.push(change);
        const mayAlight = callRules[call + toPattern] & ALIGHT;
        backwards.push(kept.length);
        backwards.push(mayAlight ? callStop[call + toPattern] : NO_ALIGHTING);
        backwards.push(arrivals[call]);
        start[call] = backwards.length;
      }
      this.#forget();
    }
    const calls = backwards.view().toReversed();
    return { start: start.map((end) => calls.length - end), calls };
  }

  #changeAt(trip: number, call: number): void {
    this.#firstChange += this.#changes.length;
    this.#changes.length = 0;
    this.#stops.length = 0;
    const {
      firstCall,
      callStop,
      callRules,
      firstTrip,
      tripCount,
      firstTime,
      departures,
      hasContinuations,
    } = this.#timetable;
    const pattern = this.#calls.patternOf[trip];
    const position = call - this.#calls.firstCall[trip];
    // Riders who stay seated as this trip begins have boarded neither it nor a later one.
    if (!hasContinuations[pattern]) this.#beAboard(trip, position);
    const atPattern = firstCall[pattern] + position;
    if (!(callRules[atPattern] & ALIGHT)) return;
    const arrival = this.#calls.arrivals[call];
    const stop = callStop[atPattern];
    this.#arrive(stop, arrival, NO_CHANGE);
    const { first, ways } = this.#boardings;
    for (let way = 3 * first[stop]; way < 3 * first[stop + 1]; way += 3) {
      const [to, at] = [ways[way], ways[way + 1]];
      const trips = tripCount[to];
      const times = firstTime[to] + at * trips;
      const t = firstNotBefore(departures, times, trips, arrival + ways[way + 2]);
      if (t === trips || departures[times + t] > arrival + this.#limit) continue;
      const boards = firstTrip[to] + t;
      if (this.#aboard[boards] <= at) continue;
      // Riders of this trip may stay seated as another begins, and so get elsewhere.
      const isKept = hasContinuations[to] && this.#aboard[boards] === NEVER;
      this.#changes.push((boards << this.#calls.positionBits) | at);
      this.#stops.push(isKept ? 1 : 0);
      this.#rideFrom(boards, at, arrival + this.#limit);
      this.#beAboard(boards, at);
    }
  }

  /** Records the arrivals, by the last transfer, at all stops of a trip after a position. */
  #rideFrom(trip: number, position: number, latest: Millis): void {
    const { firstCall: firstOf, callStop, callRules } = this.#timetable;
    const { firstCall, patternOf, arrivals } = this.#calls;
    const toPattern = firstOf[patternOf[trip]] - firstCall[trip];
    const change = this.#firstChange + this.#changes.length - 1;
    // Stops beyond the earlier boarding position have already been reached.
    const end = Math.min(firstCall[trip + 1], firstCall[trip] + this.#aboard[trip] + 1);
    for (let call = firstCall[trip] + position + 1; call < end; call++) {
      const arrival = arrivals[call];
      if (arrival > latest) break;
      if (!(callRules[call + toPattern] & ALIGHT)) continue;
      this.#arrive(callStop[call + toPattern], arrival, change);
    }
  }

  #arrive(stop: StopOrdinal, time: Millis, change: number): void {
    const known = this.#arrival[stop];
    if (time >= known) return;
    if (known === NEVER) this.#arrived.push(stop);
    else if (this.#by[stop] >= this.#firstChange) this.#stops[this.#by[stop] - this.#firstChange]--;
    this.#arrival[stop] = time;
    this.#by[stop] = change;
    if (change !== NO_CHANGE) this.#stops[change - this.#firstChange]++;
  }

  /**
   * Marks that riders could be aboard a trip from a position on, and, by waiting, aboard the later
   * trips of its pattern.
   */
  #beAboard(trip: number, position: number): void {
    const aboard = this.#aboard;
    const end = this.#timetable.firstTrip[this.#calls.patternOf[trip] + 1];
    for (let later = trip; later < end && aboard[later] > position; later++) {
      if (aboard[later] === NEVER) this.#met.push(later);
      aboard[later] = position;
    }
  }

  #forget(): void {
    for (const stop of this.#arrived) this.#arrival[stop] = NEVER;
    for (const trip of this.#met) this.#aboard[trip] = NEVER;
    this.#arrived.length = 0;
    this.#met.length = 0;
  }
}
