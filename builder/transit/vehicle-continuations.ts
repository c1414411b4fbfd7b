import { localDistance } from '../../shards/geometry/wgs84.ts';
import type { ScheduledTrip, TripContinuation } from '../../shards/transit/timetable.ts';
import type { Feed } from '../gtfs/feed.ts';
import type { FeedStop } from '../gtfs/stops.ts';
import type { TripRun } from '../gtfs/trips.ts';
import { ROUTING } from '../routing-parameters.ts';

/** A trip on a service day, identified by `day`. */
export interface TripOfDay {
  readonly run: TripRun;
  readonly day: number;
  readonly scheduled: ScheduledTrip;
}

/**
 * Trips between which riders may stay seated: by `block_id`, those that one vehicle runs
 * consecutively on a day, where the next begins about where the last ended; and by `transfers.txt`
 * (types 4 and 5), which takes precedence, those that it permits, except those that it forbids.
 * Trips repeated by headway cannot be distinguished well enough.
 */
export function continuationsOf(feed: Feed, trips: readonly TripOfDay[]): TripContinuation[] {
  const byTrip = new Map<string, TripOfDay[]>();
  const byVehicle = new Map<string, TripOfDay[]>();
  const add = (groups: Map<string, TripOfDay[]>, key: string, trip: TripOfDay) => {
    const group = groups.get(key);
    if (group) group.push(trip);
    else groups.set(key, [trip]);
  };
  for (const trip of trips) {
    if (trip.run.trip === null) continue;
    add(byTrip, trip.run.trip, trip);
    const { block } = feed.trips.get(trip.run.trip)!;
    if (block !== '') add(byVehicle, `${trip.day} ${block}`, trip);
  }
  const continuations: TripContinuation[] = [];
  const named = new Set<string>();
  const forbidden = new Set<string>();
  for (const { from, to, mayStay } of feed.transfers.betweenTrips) {
    if (!mayStay) {
      forbidden.add(`${from}\0${to}`);
      continue;
    }
    named.add(from);
    for (const a of byTrip.get(from) ?? []) {
      const b = nextOf(a, byTrip.get(to) ?? []);
      if (b) continuations.push([a.scheduled, b.scheduled]);
    }
  }
  for (const vehicle of byVehicle.values()) {
    vehicle.sort(
      (a, b) => a.scheduled.departures[0] - b.scheduled.departures[0] || endOf(a) - endOf(b),
    );
    for (let i = 1; i < vehicle.length; i++) {
      const [a, b] = [vehicle[i - 1], vehicle[i]];
      if (named.has(a.run.trip!) || forbidden.has(`${a.run.trip}\0${b.run.trip}`)) continue;
      if (endOf(a) > b.scheduled.departures[0]) {
        feed.report.add(
          'trips.txt',
          feed.trips.get(b.run.trip!)!.line,
          'starts before the previous trip of its block_id ends; no one stays seated',
        );
        continue;
      }
      if (isAtOnePlace(feed, a.run, b.run)) continuations.push([a.scheduled, b.scheduled]);
    }
  }
  return continuations;
}

/** Finds the day of a trip on which it follows another: the same, or else the next. */
function nextOf(trip: TripOfDay, candidates: readonly TripOfDay[]): TripOfDay | undefined {
  const follows = (other: TripOfDay) => endOf(trip) <= other.scheduled.departures[0];
  const same = candidates.find(({ day }) => day === trip.day);
  if (!same || follows(same)) return same;
  return candidates.find((other) => other.day === trip.day + 1 && follows(other));
}

function endOf({ scheduled: { arrivals } }: TripOfDay): number {
  return arrivals[arrivals.length - 1];
}

/** Whether a vehicle stays in place between two trips: riders are not carried elsewhere. */
function isAtOnePlace({ stops }: Feed, from: TripRun, to: TripRun): boolean {
  const a = stops.get(from.calls[from.calls.length - 1].stop)!;
  const b = stops.get(to.calls[0].stop)!;
  const station = (stop: FeedStop) => stop.parent || stop.id;
  if (station(a) === station(b)) return true;
  return localDistance(a.lon, a.lat, b.lon, b.lat) <= ROUTING.transit.maxStaySeatedGap;
}
