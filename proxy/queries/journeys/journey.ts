import { Raptor, type Ride } from '../../../shards/transit/raptor.ts';
import type { CountyTransit, StopWalks } from '../../../shards/transit/transit-table.ts';
import type { Millis, Minutes } from '../../../shards/units.ts';

/** A trip by public transport from door to door, with times since its beginning. */
export interface Journey {
  /** The walk to the first stop. */
  readonly access: Millis;
  /** With times since the journey began. */
  readonly rides: readonly Ride[];
  /** The length of the journey, with the walk from the last stop. */
  readonly length: Millis;
}

/** The fastest journey of one departure of the window. */
export interface FastestTrip {
  /** Number of the departure in the window, from 0. */
  readonly departure: number;
  readonly length: Millis;
  /** To be called before the search goes on. */
  journey(): Journey;
}

/** Departures of a window by their numbers: from `first` to before `end`. */
export interface DepartureRange {
  readonly first: number;
  readonly end: number;
}

/**
 * Visits the fastest journey of each departure in turn, if there is one that takes no longer than
 * `longest`, until `visit` returns true. Yields between departures.
 *
 * `access`: walks to stops; `egress`: walks from stops to the destination.
 */
export function* fastestTrips(
  { windowStart, step, boardSlack, timetable, footpaths }: CountyTransit,
  { access, egress }: { readonly access: StopWalks; readonly egress: StopWalks },
  { first, end }: DepartureRange,
  longest: Millis,
  visit: (trip: FastestTrip) => boolean,
): Generator<undefined, void, undefined> {
  const raptor = new Raptor(timetable, footpaths);
  const stops = Int32Array.from(access.stops);
  const readyAt = new Int32Array(stops.length);
  for (let departure = first; departure < end; departure++) {
    const begins = windowStart + departure * step;
    for (let i = 0; i < stops.length; i++) readyAt[i] = begins + access.times[i] + boardSlack;
    raptor.run(stops, readyAt, begins + longest);
    let [last, length] = [-1, longest + 1];
    for (let i = 0; i < egress.stops.length; i++) {
      const time = raptor.arrivals[egress.stops[i]] - begins + egress.times[i];
      if (time < length) [last, length] = [egress.stops[i], time];
    }
    const journey = () => {
      const rides = raptor.ridesTo(last).map((ride) => sinceBegin(ride, begins));
      return { access: access.times[stops.indexOf(rides[0].from)], rides, length };
    };
    if (last !== -1 && visit({ departure, length, journey })) return;
    yield;
  }
}

function sinceBegin({ ready, departs, arrives, ...ride }: Ride, begins: Millis): Ride {
  return {
    ...ride,
    ready: ready === null ? null : ready - begins,
    departs: departs - begins,
    arrives: arrives - begins,
  };
}

export const LEG_KINDS = ['walk', 'wait', 'ride', 'transfer'] as const;

/** A part of a trip. A transfer is the way from one vehicle to where the next one stops. */
export interface Leg {
  readonly kind: (typeof LEG_KINDS)[number];
  readonly minutes: Minutes;
  readonly route?: string;
  readonly from_stop?: string;
  readonly to_stop?: string;
}

/**
 * The legs of a journey. Their minutes add up to its travel time exactly, since `rounded` is
 * applied to the time at which each leg ends, as it is to the travel time. Waits, walks and
 * transfers that take no time are left out.
 */
export function legsOf(
  { access, rides, length }: Journey,
  { stops, routes }: Pick<CountyTransit, 'stops' | 'routes'>,
  rounded: (time: Millis) => Minutes,
): Leg[] {
  const legs: Leg[] = [];
  let now: Minutes = 0;
  const until = (time: Millis, kind: Leg['kind'], facts: Omit<Leg, 'kind' | 'minutes'> = {}) => {
    const end = Math.max(now, rounded(time));
    // Tenths of a minute are inexact as floating-point numbers, so the last bit may be off.
    const minutes = Math.round((end - now) * 10) / 10;
    if (minutes > 0 || kind === 'ride') legs.push({ kind, minutes, ...facts });
    now = end;
  };
  until(access, 'walk', { to_stop: stops[rides[0].from] });
  rides.forEach(({ route, from, to, ready, departs, arrives }, i) => {
    const between = { from_stop: stops[from], to_stop: stops[to] };
    if (ready !== null) {
      if (i > 0) {
        until(ready, 'transfer', { from_stop: stops[rides[i - 1].to], to_stop: stops[from] });
      }
      until(departs, 'wait', { from_stop: stops[from] });
    }
    until(arrives, 'ride', { route: routes[route], ...between });
  });
  until(length, 'walk', { from_stop: stops[rides[rides.length - 1].to] });
  return legs;
}
