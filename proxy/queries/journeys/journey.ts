import { Raptor, type Ride } from '../../../shards/transit/raptor.ts';
import type { CountyTransit, StopWalks } from '../../../shards/transit/transit-table.ts';
import type { Millis } from '../../../shards/units.ts';

/** A trip by public transport from door to door, with times since its beginning. */
export interface Journey {
  /** The walk to the first stop. */
  readonly access: Millis;
  /** With times since the journey began. */
  readonly rides: readonly Ride[];
  /** The length of the journey, with the walk from the last stop. */
  readonly length: Millis;
}

/**
 * Finds the first departure of the window whose fastest journey takes a wanted time, and returns
 * that journey; null if there is none. Does not search for arrivals later than `longest` after the
 * departure. Yields between departures.
 *
 * `access`: walks to stops; `egress`: walks from stops to the destination; `longest`: the longest
 * wanted time.
 */
export function* journeySteps(
  { windowStart, departures, step, boardSlack, timetable, footpaths }: CountyTransit,
  access: StopWalks,
  egress: StopWalks,
  longest: Millis,
  isWanted: (length: Millis) => boolean,
): Generator<undefined, Journey | null, undefined> {
  const raptor = new Raptor(timetable, footpaths);
  const stops = Int32Array.from(access.stops);
  const readyAt = new Int32Array(stops.length);
  for (let departure = 0; departure < departures; departure++) {
    const begins = windowStart + departure * step;
    for (let i = 0; i < stops.length; i++) readyAt[i] = begins + access.times[i] + boardSlack;
    raptor.run(stops, readyAt, begins + longest);
    let [last, length] = [-1, longest + 1];
    for (let i = 0; i < egress.stops.length; i++) {
      const time = raptor.arrivals[egress.stops[i]] - begins + egress.times[i];
      if (time < length) [last, length] = [egress.stops[i], time];
    }
    if (last !== -1 && isWanted(length)) {
      const rides = raptor.ridesTo(last).map((ride) => sinceBegin(ride, begins));
      const walk = access.times[stops.indexOf(rides[0].from)];
      return { access: walk, rides, length };
    }
    yield;
  }
  return null;
}

function sinceBegin({ ready, departs, arrives, ...ride }: Ride, begins: Millis): Ride {
  return {
    ...ride,
    ready: ready === null ? null : ready - begins,
    departs: departs - begins,
    arrives: arrives - begins,
  };
}
