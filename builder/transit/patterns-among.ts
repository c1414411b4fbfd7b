import {
  buildTimetable,
  type ScheduledTrip,
  type Timetable,
  type TripContinuation,
} from '../../shards/transit/timetable.ts';
import type { StopOrdinal } from '../../shards/units.ts';

/**
 * Returns the timetable of the patterns that call at any of some stops, and of the patterns in
 * which their riders may continue, seated. Stops keep their ordinals, and trips their positions in
 * their patterns.
 */
export function patternsAmong(timetable: Timetable, stops: Iterable<StopOrdinal>): Timetable {
  const { stopCount, firstVisit, visits, firstTrip, firstContinuation, continuations } = timetable;
  const kept = new Set<number>();
  for (const stop of stops) {
    for (let visit = firstVisit[stop]; visit < firstVisit[stop + 1]; visit++) {
      kept.add(visits[2 * visit]);
    }
  }
  // Patterns added during the loop are visited too.
  for (const pattern of kept) {
    for (
      let at = firstContinuation[firstTrip[pattern]];
      at < firstContinuation[firstTrip[pattern + 1]];
      at++
    ) {
      kept.add(continuations[2 * at]);
    }
  }
  if (kept.size === timetable.patternCount) return timetable;
  const trips = new Map<number, ScheduledTrip>();
  for (const pattern of kept) {
    scheduledTrips(timetable, pattern).forEach((trip, t) => {
      trips.set(firstTrip[pattern] + t, trip);
    });
  }
  const pairs = [...trips].flatMap(([ordinal, from]) => {
    const following: TripContinuation[] = [];
    for (let link = firstContinuation[ordinal]; link < firstContinuation[ordinal + 1]; link++) {
      following.push([
        from,
        trips.get(firstTrip[continuations[2 * link]] + continuations[2 * link + 1])!,
      ]);
    }
    return following;
  });
  return buildTimetable(stopCount, [...trips.values()], pairs);
}

/** Returns the trips of a pattern, in the pattern's order. */
export function scheduledTrips(timetable: Timetable, pattern: number): ScheduledTrip[] {
  const { firstCall, callStop, callRules, tripCount, firstTime } = timetable;
  const { arrivals, departures, firstTrip, tripRoute } = timetable;
  const [first, end] = [firstCall[pattern], firstCall[pattern + 1]];
  const stops = [...callStop.subarray(first, end)];
  const rules = [...callRules.subarray(first, end)];
  return Array.from({ length: tripCount[pattern] }, (_, trip) => {
    const timesOf = (times: Int32Array) =>
      stops.map((_, call) => times[firstTime[pattern] + call * tripCount[pattern] + trip]);
    return {
      stops,
      rules,
      arrivals: timesOf(arrivals),
      departures: timesOf(departures),
      route: tripRoute[firstTrip[pattern] + trip],
    };
  });
}
