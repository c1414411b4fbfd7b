import type { Timetable } from '../../shards/transit/timetable.ts';

/**
 * Yields the chosen trips that riders of a trip may be in next without leaving the vehicle,
 * skipping trips in between that are not chosen. Trips are numbered across all patterns; each is
 * yielded once.
 */
export function* continuationsAmong(
  timetable: Timetable,
  from: number,
  isAmong: (trip: number) => boolean,
): Generator<number> {
  const { firstTrip, firstContinuation, continuations } = timetable;
  const met = new Set<number>([from]);
  // Trips added during the loop are visited too.
  for (const trip of met) {
    if (trip !== from && isAmong(trip)) continue;
    for (let link = firstContinuation[trip]; link < firstContinuation[trip + 1]; link++) {
      const next = firstTrip[continuations[2 * link]] + continuations[2 * link + 1];
      if (met.has(next)) continue;
      met.add(next);
      if (isAmong(next)) yield next;
    }
  }
}
