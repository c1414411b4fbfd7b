import { groupBy } from '../arrays/group-by.ts';
import { sumCounts } from '../arrays/prefix-sums.ts';
import type { Millis, RouteOrdinal, StopOrdinal } from '../units.ts';

/**
 * The timetable in the form that RAPTOR uses: trips grouped into patterns. The trips of a pattern
 * call at the same stops in the same order and never overtake, so that the first trip to leave is
 * the first to arrive. Times are milliseconds from midnight of the service day in one reference
 * zone.
 */
export interface Timetable {
  readonly stopCount: number;
  readonly patternCount: number;
  /** Calls of pattern `p` are `firstCall[p]` to `firstCall[p + 1]`, exclusive. */
  readonly firstCall: Int32Array;
  readonly callStop: Int32Array;
  /** `BOARD` and `ALIGHT` bits of each call. */
  readonly callRules: Uint8Array;
  readonly tripCount: Int32Array;
  /**
   * Times of call `c` of pattern `p` begin at `firstTime[p] + (c - firstCall[p]) × tripCount[p]`,
   * one per trip, ascending.
   */
  readonly firstTime: Int32Array;
  readonly arrivals: Int32Array;
  readonly departures: Int32Array;
  /**
   * Calls at stop `s` are `firstVisit[s]` up to `firstVisit[s + 1]`, exclusive. Each has two
   * numbers in `visits`: the pattern, and the position of the call in it.
   */
  readonly firstVisit: Int32Array;
  readonly visits: Int32Array;
  /** Number of each pattern's first trip; trips are numbered across all patterns. */
  readonly firstTrip: Int32Array;
  /** Route of each trip, indexed by the number of the trip across all patterns. */
  readonly tripRoute: Int32Array;
  /**
   * Trips for which riders may stay seated at the end of trip `t`, numbered across all patterns:
   * `firstContinuation[t]` up to `firstContinuation[t + 1]`, exclusive. Each has two numbers in
   * `continuations`: the pattern, and the trip within it.
   */
  readonly firstContinuation: Int32Array;
  readonly continuations: Int32Array;
  /** Whether any trip of a pattern has continuations. */
  readonly hasContinuations: Uint8Array;
}

export const BOARD = 1;
export const ALIGHT = 2;

/** A trip's calls, by stop ordinal, and its times. */
export interface ScheduledTrip {
  readonly stops: readonly StopOrdinal[];
  readonly rules: readonly number[];
  readonly arrivals: Millis[];
  readonly departures: readonly Millis[];
  readonly route: RouteOrdinal;
}

/**
 * A trip, and a trip as which its vehicle continues, no earlier than the first one ends; riders may
 * stay seated.
 */
export type TripContinuation = readonly [from: ScheduledTrip, to: ScheduledTrip];

/** Groups trips into patterns. The order of the given trips does not matter. */
export function buildTimetable(
  stopCount: number,
  trips: readonly ScheduledTrip[],
  continuations: readonly TripContinuation[] = [],
): Timetable {
  const groups = groupBy(trips, ({ stops, rules }) =>
    stops.map((stop, i) => stop * 4 + rules[i]).join(),
  );
  const keys = [...groups.keys()].sort();
  const patterns = keys.flatMap((key) => withoutOvertaking(groups.get(key)!));

  const firstCall = new Int32Array(patterns.length + 1);
  const firstTime = new Int32Array(patterns.length + 1);
  patterns.forEach((pattern, p) => {
    firstCall[p + 1] = firstCall[p] + pattern[0].stops.length;
    firstTime[p + 1] = firstTime[p] + pattern[0].stops.length * pattern.length;
  });
  const callStop = new Int32Array(firstCall[patterns.length]);
  const callRules = new Uint8Array(firstCall[patterns.length]);
  const arrivals = new Int32Array(firstTime[patterns.length]);
  const departures = new Int32Array(firstTime[patterns.length]);
  patterns.forEach((pattern, p) => {
    callStop.set(pattern[0].stops, firstCall[p]);
    callRules.set(pattern[0].rules, firstCall[p]);
    pattern[0].stops.forEach((_, c) => {
      pattern.forEach((trip, t) => {
        const at = firstTime[p] + c * pattern.length + t;
        arrivals[at] = trip.arrivals[c];
        departures[at] = trip.departures[c];
      });
    });
  });
  return {
    ...indexContinuations(patterns, continuations),
    ...indexVisits(stopCount, firstCall, callStop),
    stopCount,
    patternCount: patterns.length,
    firstCall,
    callStop,
    callRules,
    tripCount: Int32Array.from(patterns, (pattern) => pattern.length),
    firstTime,
    arrivals,
    departures,
    tripRoute: Int32Array.from(patterns.flat(), ({ route }) => route),
  };
}

/** Lists the calls at each stop, by pattern and position. */
export function indexVisits(
  stopCount: number,
  firstCall: Int32Array,
  callStop: Int32Array,
): Pick<Timetable, 'firstVisit' | 'visits'> {
  const firstVisit = new Int32Array(stopCount + 1);
  for (const stop of callStop) firstVisit[stop + 1]++;
  const visits = new Int32Array(sumCounts(firstVisit) * 2);
  const next = firstVisit.slice();
  for (let pattern = 0; pattern + 1 < firstCall.length; pattern++) {
    for (let call = firstCall[pattern]; call < firstCall[pattern + 1]; call++) {
      const at = 2 * next[callStop[call]]++;
      visits[at] = pattern;
      visits[at + 1] = call - firstCall[pattern];
    }
  }
  return { firstVisit, visits };
}

function indexContinuations(
  patterns: readonly (readonly ScheduledTrip[])[],
  pairs: readonly TripContinuation[],
): Pick<Timetable, 'firstTrip' | 'firstContinuation' | 'continuations' | 'hasContinuations'> {
  const firstTrip = new Int32Array(patterns.length + 1);
  const places = new Map<ScheduledTrip, { pattern: number; trip: number }>();
  patterns.forEach((trips, pattern) => {
    firstTrip[pattern + 1] = firstTrip[pattern] + trips.length;
    if (pairs.length === 0) return;
    trips.forEach((scheduled, trip) => {
      places.set(scheduled, { pattern, trip });
    });
  });
  const hasContinuations = new Uint8Array(patterns.length);
  const firstContinuation = new Int32Array(firstTrip[patterns.length] + 1);
  const placed = pairs.map(([from, to]) => {
    const { pattern, trip } = places.get(from)!;
    hasContinuations[pattern] = 1;
    firstContinuation[firstTrip[pattern] + trip + 1]++;
    return { ordinal: firstTrip[pattern] + trip, to: places.get(to)! };
  });
  const continuations = new Int32Array(sumCounts(firstContinuation) * 2);
  const next = firstContinuation.slice();
  for (const { ordinal, to } of placed) {
    const at = 2 * next[ordinal]++;
    continuations[at] = to.pattern;
    continuations[at + 1] = to.trip;
  }
  return { firstTrip, firstContinuation, continuations, hasContinuations };
}

/**
 * Splits trips with the same calls into parts, within each of which their order is the same at
 * every call.
 */
function withoutOvertaking(trips: readonly ScheduledTrip[]): ScheduledTrip[][] {
  const sorted = [...trips].sort(compareTimes);
  const parts: ScheduledTrip[][] = [];
  for (const trip of sorted) {
    const part = parts.find((candidate) => follows(candidate[candidate.length - 1], trip));
    if (part) part.push(trip);
    else parts.push([trip]);
  }
  return parts;
}

function compareTimes(a: ScheduledTrip, b: ScheduledTrip): number {
  for (let c = 0; c < a.stops.length; c++) {
    const difference = a.departures[c] - b.departures[c] || a.arrivals[c] - b.arrivals[c];
    if (difference !== 0) return difference;
  }
  return a.route - b.route;
}

function follows(earlier: ScheduledTrip, later: ScheduledTrip): boolean {
  return later.stops.every(
    (_, c) =>
      later.departures[c] >= earlier.departures[c] && later.arrivals[c] >= earlier.arrivals[c],
  );
}

/**
 * Index, from `start`, of the first of `count` ascending times that is at least `earliest`; `count`
 * if there is none.
 */
export function firstNotBefore(
  times: Int32Array,
  start: number,
  count: number,
  earliest: Millis,
): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[start + middle] < earliest) low = middle + 1;
    else high = middle;
  }
  return low;
}
