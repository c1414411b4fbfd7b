import { clock, type ServiceSeconds } from '../../builder/gtfs/service-time.ts';
import { counted } from '../../shards/number-words.ts';
import type { Seconds } from '../../shards/units.ts';
import type { Call, FeedDraft, Route } from './feed-draft.ts';
import { lengthOf } from './reroute.ts';
import { ChangeError, type ChangeOf } from './scenario-file.ts';
import { chooseServices, findStop, listed, routeInWords, selectTrips } from './select-trips.ts';

/** Removes trips of lines; a line that has no others is removed from `routes.txt` too. */
export function removeRoute(draft: FeedDraft, change: ChangeOf<'remove-route'>): string[] {
  const trips = selectTrips(draft, change);
  const routes = new Set(trips.map(({ route }) => route));
  for (const trip of trips) draft.removeTrip(trip);
  return [...routes].map((id) => {
    const route = draft.routes.get(id)!;
    const name = routeInWords(route);
    const removed = trips.filter((trip) => trip.route === id).length;
    const left = draft.tripsOf(new Set([id])).length;
    if (left > 0) return `${name}: ${counted(removed, 'trip')} removed, ${left} left`;
    draft.removeRoute(route);
    return `${name}: removed, with ${counted(removed, 'trip')}`;
  });
}

/** Adds a line, with a trip for each departure. */
export function addRoute(draft: FeedDraft, change: ChangeOf<'add-route'>): string[] {
  const { routes: table } = draft.tables;
  const id = change.route;
  if (draft.routes.has(id)) {
    throw new ChangeError(
      ['route'],
      `"${id}" is the route_id of a route that exists; choose another`,
    );
  }
  const service = serviceOf(draft, change);
  const route: Route = {
    id,
    shortName: change.short_name ?? '',
    longName: change.long_name ?? '',
    record: table.make({
      route_id: id,
      agency_id: agencyOf(draft, change),
      route_short_name: change.short_name ?? '',
      route_long_name: change.long_name ?? '',
      route_type: change.route_type,
    }),
  };
  if (
    change.wheelchair_accessible !== undefined &&
    !draft.tables.trips.has('wheelchair_accessible')
  ) {
    throw new ChangeError(
      ['wheelchair_accessible'],
      'has no column in trips.txt of the feed; leave it out',
    );
  }
  const there = change.stops.map((stop, i) => findStop(draft, stop, ['stops', i]));
  const { return_stops } = change;
  const back =
    return_stops === 'reversed'
      ? there.toReversed()
      : return_stops?.map((stop, i) => findStop(draft, stop, ['return_stops', i]));
  draft.addRoute(route);
  const ways = [
    { stops: there, running: change.run_times, path: 'stops' },
    ...(back
      ? [{ stops: back, running: change.run_times?.toReversed(), path: 'return_stops' }]
      : []),
  ];
  const departures = departuresOf(change);
  for (const [direction, { stops, running, path }] of ways.entries()) {
    const again = stops.findIndex((stop, i) => i > 0 && stop === stops[i - 1]);
    if (again !== -1) {
      throw new ChangeError(
        [path, ...(path === 'stops' || return_stops !== 'reversed' ? [again] : [])],
        `calls at ${stops[again]} twice in a row`,
      );
    }
    const times = timesAlong(draft, stops, change, running);
    for (const departure of departures)
      addTrip(draft, change, service, direction, stops, times, departure);
  }
  const minutes = Math.round(
    timesAlong(draft, there, change, change.run_times).at(-1)!.arrival / 60,
  );
  return [
    `${routeInWords(route)}: ${counted(there.length, 'stop')}, ${minutes} min from end to end, ${back ? 'in both directions' : 'in one direction'}, service ${service}, ${counted(departures.length, 'departure')} in each`,
  ];
}

function serviceOf(draft: FeedDraft, { service, days }: ChangeOf<'add-route'>): string {
  const known = draft.services;
  const chosen = chooseServices(draft, known, {
    days,
    ...(service !== undefined && { service: [service] }),
  });
  const [first, ...others] = chosen;
  if (others.length === 0 && first !== undefined) return first;
  throw new ChangeError(
    days === undefined ? [] : ['days'],
    `the days on which it runs are not certain; name a service, one of ${listed(chosen)}`,
  );
}

function agencyOf(draft: FeedDraft, { agency }: ChangeOf<'add-route'>): string {
  const { routes: table } = draft.tables;
  const known = new Set(
    [...draft.routes.values()].map(({ record }) => table.get(record, 'agency_id')),
  );
  if (agency !== undefined) {
    if (known.has(agency)) return agency;
    throw new ChangeError(
      ['agency'],
      `"${agency}" is the agency_id of no route; there are ${listed(known)}`,
    );
  }
  if (known.size <= 1) return [...known][0] ?? '';
  throw new ChangeError([], `needs an agency, one of ${listed(known)}`);
}

function departuresOf({ headways }: ChangeOf<'add-route'>): ServiceSeconds[] {
  const departures = new Set<ServiceSeconds>();
  for (const { from, until, headway } of headways) {
    for (let at = from; at < until; at += headway) departures.add(at);
  }
  return [...departures].sort((a, b) => a - b);
}

/** The times of a trip after its departure. */
function timesAlong(
  draft: FeedDraft,
  stops: readonly string[],
  { speed, dwell = 0 }: ChangeOf<'add-route'>,
  running: readonly Seconds[] | undefined,
): { arrival: Seconds; departure: Seconds }[] {
  let moved = 0;
  return stops.map((stop, i) => {
    if (i > 0) moved += running ? running[i - 1] : lengthOf(draft, [stops[i - 1], stop]) / speed!;
    const arrival = Math.round(moved + dwell * Math.max(0, i - 1));
    return { arrival, departure: arrival + (i === 0 || i === stops.length - 1 ? 0 : dwell) };
  });
}

function addTrip(
  draft: FeedDraft,
  change: ChangeOf<'add-route'>,
  service: string,
  direction: number,
  stops: readonly string[],
  times: readonly { arrival: Seconds; departure: Seconds }[],
  departs: ServiceSeconds,
): void {
  const { trips, stopTimes } = draft.tables;
  const id = draft.freeTripId(`${change.route}-${service}-${direction}-${clock(departs)}`);
  const headsign = draft.stops.get(stops.at(-1)!)!.name;
  const record = trips.make({
    route_id: change.route,
    service_id: service,
    trip_id: id,
    trip_headsign: headsign,
    direction_id: direction,
    wheelchair_accessible: change.wheelchair_accessible ?? '',
  });
  const calls = stops.map((stop, i): Call => {
    const call = {
      record: stopTimes.make({ trip_id: id, stop_id: stop, stop_sequence: i + 1, timepoint: 1 }),
      stop,
      arrival: null,
      departure: null,
    };
    draft.setTimes(call, departs + times[i].arrival, departs + times[i].departure);
    return call;
  });
  const trip = {
    id,
    route: change.route,
    service,
    direction: String(direction),
    headsign,
    record,
    calls,
  };
  draft.addTrip(trip);
}
