import type { ScheduledTrip, Timetable } from '../../shards/transit/timetable.ts';

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
