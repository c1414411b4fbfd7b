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

/** Departures of a window by their numbers: from `first` to before `end`. */
export interface DepartureRange {
  readonly first: number;
  readonly end: number;
}

/** Where a search of the window leads. */
export interface Destination {
  /** Walks from stops to the destination. */
  readonly egress: StopWalks;
  readonly range: DepartureRange;
  /** Longest journey that counts. */
  readonly longest: Millis;
  /**
   * Takes the fastest journey of a departure, if there is one that counts; `journey` must be called
   * before it returns. Returns whether no further departures are needed.
   */
  visit(departure: number, length: Millis, journey: () => Journey): boolean;
}

/** Destinations looked at between two pauses, in a few tenths of a millisecond. */
const DESTINATIONS_PER_STEP = 16;

/**
 * Finds the fastest journeys from one origin to several destinations, departure by departure: one
 * search of the timetable serves all destinations. Yields between departures.
 *
 * `access`: walks from the origin to stops.
 */
export function* fastestTrips(
  { windowStart, step, boardSlack, timetable, footpaths }: CountyTransit,
  access: StopWalks,
  destinations: readonly Destination[],
): Generator<undefined, void, undefined> {
  const raptor = new Raptor(timetable, footpaths);
  const stops = Int32Array.from(access.stops);
  const readyAt = new Int32Array(stops.length);
  const open = new Set(destinations);
  const end = Math.max(...destinations.map(({ range }) => range.end));
  for (let departure = 0; departure < end; departure++) {
    const sought = [...open].filter(({ range }) => range.first <= departure);
    if (sought.length === 0) continue;
    const begins = windowStart + departure * step;
    for (let i = 0; i < stops.length; i++) readyAt[i] = begins + access.times[i] + boardSlack;
    raptor.run(stops, readyAt, begins + Math.max(...sought.map(({ longest }) => longest)));
    for (const [i, destination] of sought.entries()) {
      if (i % DESTINATIONS_PER_STEP === DESTINATIONS_PER_STEP - 1) yield;
      const { egress, longest, range } = destination;
      let [last, length] = [-1, longest + 1];
      for (let i = 0; i < egress.stops.length; i++) {
        const time = raptor.arrivals[egress.stops[i]] - begins + egress.times[i];
        if (time < length) [last, length] = [egress.stops[i], time];
      }
      const journey = () => {
        const rides = raptor.ridesTo(last).map((ride) => sinceBegin(ride, begins));
        return { access: access.times[stops.indexOf(rides[0].from)], rides, length };
      };
      const isDone = last !== -1 && destination.visit(departure, length, journey);
      if (isDone || departure + 1 === range.end) open.delete(destination);
    }
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
