import { addTo } from '../../shards/arrays/group-by.ts';
import { localDistance } from '../../shards/geometry/wgs84.ts';
import type { ScheduledTrip, TripContinuation } from '../../shards/transit/timetable.ts';
import type { Feed } from '../gtfs/feed.ts';
import type { FeedStop } from '../gtfs/stops.ts';
import type { TripRun } from '../gtfs/trips.ts';
import { ROUTING } from '../routing-parameters.ts';

/** A trip on a service day, identified by `day`. */
interface TripOfDay {
  readonly run: TripRun;
  readonly day: number;
  readonly scheduled: ScheduledTrip;
}

/**
 * Finds the pairs of trips between which riders may stay seated. By `block_id`, these are trips
 * that one vehicle runs consecutively on a day, if the next begins about where the last ended. By
 * `transfers.txt`, which takes precedence, these are the pairs that it permits (type 4); pairs that
 * it forbids (type 5) are left out. So are trips repeated by headway, which cannot be distinguished
 * well enough.
 */
export function continuationsOf(feed: Feed, trips: readonly TripOfDay[]): TripContinuation[] {
  const byTrip = new Map<string, TripOfDay[]>();
  const byVehicle = new Map<string, TripOfDay[]>();
  for (const trip of trips) {
    if (trip.run.trip === null) continue;
    addTo(byTrip, trip.run.trip, trip);
    const { block } = feed.trips.get(trip.run.trip)!;
    if (block !== '') addTo(byVehicle, `${trip.day} ${block}`, trip);
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

/** Finds the candidate that follows a trip: that of the same day, or else that of the next day. */
function nextOf(trip: TripOfDay, candidates: readonly TripOfDay[]): TripOfDay | undefined {
  const follows = (other: TripOfDay) => endOf(trip) <= other.scheduled.departures[0];
  const same = candidates.find(({ day }) => day === trip.day);
  if (!same || follows(same)) return same;
  return candidates.find((other) => other.day === trip.day + 1 && follows(other));
}

function endOf({ scheduled: { arrivals } }: TripOfDay): number {
  return arrivals[arrivals.length - 1];
}

/** Whether a vehicle stays in place between two trips, so that riders are not carried elsewhere. */
function isAtOnePlace({ stops }: Feed, from: TripRun, to: TripRun): boolean {
  const a = stops.get(from.calls[from.calls.length - 1].stop)!;
  const b = stops.get(to.calls[0].stop)!;
  const station = (stop: FeedStop) => stop.parent || stop.id;
  if (station(a) === station(b)) return true;
  return localDistance(a.lon, a.lat, b.lon, b.lat) <= ROUTING.transit.maxStaySeatedGap;
}
