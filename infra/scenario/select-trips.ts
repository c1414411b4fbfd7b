import {
  type ServiceDay,
  type ServiceSeconds,
  weekdayOf,
} from '../../builder/gtfs/service-time.ts';
import { groupBy } from '../../shards/arrays/group-by.ts';
import { counted } from '../../shards/number-words.ts';
import { type FeedDraft, isTimed, type Route, type Trip } from './feed-draft.ts';
import { ChangeError, type Days, type Lines } from './scenario-file.ts';

/** Trips of a route in one direction, whose services may run on the same days. */
export interface TripGroup {
  readonly route: Route;
  /** `direction_id`, or the headsign of trips without one, or else where they lead, if two ways. */
  readonly direction: string;
  readonly trips: readonly Trip[];
}

/** Values listed in a message. */
const LISTED = 12;

export function listed(values: Iterable<string>): string {
  const all = [...values];
  return `${all.slice(0, LISTED).join(', ')}${all.length > LISTED ? ', …' : ''}`;
}

/** Names a route in a message: its short name and its id, if they differ. */
export function routeInWords({ id, shortName, longName }: Route): string {
  const name = shortName || longName;
  return name === '' || name === id ? id : `${name} (${id})`;
}

/**
 * Finds a route by its `route_id`, or else its `route_short_name` or `route_long_name`. Throws a
 * `ChangeError` if there is none, or several.
 */
export function findRoute(routes: ReadonlyMap<string, Route>, name: string): Route {
  const byId = routes.get(name);
  if (byId) return byId;
  for (const of of ['shortName', 'longName'] as const) {
    const named = [...routes.values()].filter((route) => route[of] === name);
    if (named.length === 1) return named[0];
    if (named.length > 1) {
      throw new ChangeError(
        ['route'],
        `"${name}" names ${named.length} routes: ${listed(named.map(({ id }) => id))}; give route_ids, as a list for several`,
      );
    }
  }
  const known = [...routes.values()].map(routeInWords);
  throw new ChangeError(['route'], `"${name}" is no route of the feed, which has ${listed(known)}`);
}

/** Finds a stop by its `stop_id`, or else its `stop_name`, if no other has that. */
export function findStop({ stops }: FeedDraft, name: string, path: (string | number)[]): string {
  const isCallable = ({ type }: { readonly type: number }) => type === 0 || type === 4;
  const byId = stops.get(name);
  const named = byId ? [byId] : [...stops.values()].filter((stop) => stop.name === name);
  const found = named.filter(isCallable);
  if (found.length === 1) return found[0].id;
  if (found.length > 1) {
    throw new ChangeError(
      path,
      `"${name}" names ${found.length} stops: ${listed(found.map(({ id }) => id))}; give a stop_id`,
    );
  }
  throw new ChangeError(
    path,
    named.length > 0
      ? `"${name}" is a station, entrance or node, where no vehicle calls; give one of its stops or platforms`
      : `"${name}" is no stop of the feed, by stop_id or stop_name; a change add-stop above can make it`,
  );
}

const WEEKDAY_SETS: Readonly<Record<Days, ReadonlySet<number>>> = {
  weekdays: new Set([0, 1, 2, 3, 4]),
  saturdays: new Set([5]),
  sundays: new Set([6]),
};
const SHORT_WEEKDAYS = 'Mon Tue Wed Thu Fri Sat Sun'.split(' ');
/** A weekday of less than this share of a service's most frequent weekday is an exception. */
const EXCEPTION_SHARE = 0.1;

/** The weekdays on which a service runs regularly, from 0 for Monday. */
function weekdaysOf(days: ReadonlySet<ServiceDay>): number[] {
  const counts = new Array<number>(7).fill(0);
  for (const day of days) counts[weekdayOf(day)]++;
  const most = Math.max(...counts);
  return counts.flatMap((count, day) => (count > EXCEPTION_SHARE * most ? [day] : []));
}

function serviceInWords(draft: FeedDraft, service: string): string {
  const days = weekdaysOf(draft.daysOf(service)).map((day) => SHORT_WEEKDAYS[day]);
  return `${service} (${days.join(' ') || 'never runs'})`;
}

/** A service runs on a kind of day if this share of its days are, and not if the rest is. */
const SHARE_OF_DAYS = 0.75;
/** A service with less than this share of the days of another is one of holidays. */
const HOLIDAY_SHARE = 0.1;

/**
 * Chooses services by the days on which they run, but for holidays, or by their ids. Throws a
 * `ChangeError` if there is none, or if one runs on other days too.
 */
export function chooseServices(
  draft: FeedDraft,
  among: ReadonlySet<string>,
  { days, service }: { readonly days?: Days; readonly service?: readonly string[] },
): ReadonlySet<string> {
  if (service) {
    const unknown = service.find((id) => !among.has(id));
    if (unknown === undefined) return new Set(service);
    throw new ChangeError(
      ['service'],
      `"${unknown}" is no service here; there are ${listed([...among].map((id) => serviceInWords(draft, id)))}`,
    );
  }
  if (!days) return among;
  const most = Math.max(...[...among].map((id) => draft.daysOf(id).size));
  const chosen = [...among].filter((id) => {
    const runs = [...draft.daysOf(id)];
    const inside = runs.filter((day) => WEEKDAY_SETS[days].has(weekdayOf(day)));
    const share = inside.length / Math.max(1, runs.length);
    if (share >= SHARE_OF_DAYS) return true;
    if (share <= 1 - SHARE_OF_DAYS || runs.length < HOLIDAY_SHARE * most) return false;
    throw new ChangeError(
      ['days'],
      `service ${serviceInWords(draft, id)} runs on other days than ${days} too, and its trips cannot change on some of its days only; name it as service to change it on all of them`,
    );
  });
  if (chosen.length > 0) return new Set(chosen);
  throw new ChangeError(
    ['days'],
    `no service here runs on ${days}; there are ${listed([...among].map((id) => serviceInWords(draft, id)))}`,
  );
}

/**
 * Selects the trips of some lines, by route, direction and days. Throws a `ChangeError` if there is
 * none.
 */
export function selectTrips(draft: FeedDraft, lines: Lines): Trip[] {
  const routes = new Set(lines.route.map((name) => findRoute(draft.routes, name).id));
  const ofRoutes = draft.tripsOf(routes);
  if (ofRoutes.length === 0) {
    throw new ChangeError(['route'], `${listed(routes)}: has no trips in the feed`);
  }
  const { direction } = lines;
  const isWanted = (trip: Trip) =>
    direction === undefined || trip.direction === direction || trip.headsign === direction;
  const inDirection = ofRoutes.filter(isWanted);
  if (inDirection.length === 0) {
    const known = new Set(
      ofRoutes.flatMap((trip) => [trip.direction, trip.headsign]).filter((one) => one !== ''),
    );
    throw new ChangeError(
      ['direction'],
      `"${direction}" is no direction_id and no trip_headsign here; there are ${listed(known) || 'none'}`,
    );
  }
  const among = new Set(inDirection.map(({ service }) => service));
  const services = chooseServices(draft, among, lines);
  return inDirection.filter(({ service }) => services.has(service));
}

/** Selects the trips of some lines that have times. Throws a `ChangeError` if there is none. */
export function selectTimedTrips(draft: FeedDraft, lines: Lines): Trip[] {
  const trips = selectTrips(draft, lines).filter(isTimed);
  if (trips.length > 0) return trips;
  throw new ChangeError(
    ['route'],
    `${listed(lines.route)}: no trip here has two stops or more, with times at the first and the last`,
  );
}

/** Selects the trips of some lines that have times, by route and direction. */
export function groupTrips(draft: FeedDraft, lines: Lines): TripGroup[] {
  const trips = selectTimedTrips(draft, lines);
  const directionOf = (trip: Trip) => trip.direction || trip.headsign;
  const groups = groupBy(trips, (trip) => `${trip.route}\0${directionOf(trip)}`);
  return [...groups.values()].flatMap((trips) => {
    const route = draft.routes.get(trips[0].route)!;
    const direction = directionOf(trips[0]);
    const ways = direction === '' ? waysOf(trips) : [trips];
    return ways.map((own) => ({
      route,
      direction: ways.length > 1 ? `to ${lastStopOf(draft, own[0])}` : direction,
      trips: own,
    }));
  });
}

/**
 * Divides trips by the order in which they call at the stops of the most frequent pattern, or of
 * the most frequent one of those that run the other way, or with which they share fewer than two.
 */
function waysOf(trips: readonly Trip[]): Trip[][] {
  const patterns = [...groupBy(trips, patternOf).values()].sort((a, b) => b.length - a.length);
  const ways: { positions: ReturnType<typeof positionsOf>; trips: Trip[] }[] = [];
  for (const own of patterns) {
    const way = ways.find(({ positions }) => {
      const shared = own[0].calls.flatMap(({ stop }) => positions.get(stop) ?? []);
      const next = shared.slice(1);
      // From or to a stop at which a loop calls twice, a trip may run both ways.
      const ahead = next.filter(({ last }, i) => last > shared[i].first).length;
      const back = next.filter(({ first }, i) => first < shared[i].last).length;
      return next.length > 0 && ahead >= back;
    });
    if (way) way.trips.push(...own);
    else ways.push({ positions: positionsOf(own[0]), trips: [...own] });
  }
  return ways.map((way) => way.trips);
}

/** The positions of the first and the last call at each stop. */
function positionsOf({ calls }: Trip) {
  const positions = new Map<string, { first: number; last: number }>();
  for (const [at, { stop }] of calls.entries()) {
    positions.set(stop, { first: positions.get(stop)?.first ?? at, last: at });
  }
  return positions;
}

function lastStopOf({ stops }: FeedDraft, { calls }: Trip): string {
  const { stop } = calls.at(-1)!;
  return stops.get(stop)?.name || stop;
}

/** A group whose trips all run with one service, on its days or on some of them. */
interface DayGroup extends TripGroup {
  /** The service that runs on all days of the group. */
  readonly service: string;
}

/**
 * Divides a group by the days on which its trips run. Services that share days belong together,
 * since riders see their trips as one timetable; one of them has to run on all days of the others.
 */
export function byDays(draft: FeedDraft, group: TripGroup): DayGroup[] {
  const ofService = groupBy(group.trips, ({ service }) => service);
  const services = [...ofService.keys()]
    .filter((service) => draft.daysOf(service).size > 0)
    .sort((a, b) => draft.daysOf(b).size - draft.daysOf(a).size);
  const mains: { service: string; trips: Trip[] }[] = [];
  for (const service of services) {
    const days = draft.daysOf(service);
    const sharing = mains.filter((main) => shared(draft.daysOf(main.service), days) > 0);
    if (sharing.length === 0) mains.push({ service, trips: [...ofService.get(service)!] });
    else if (sharing.length === 1 && shared(draft.daysOf(sharing[0].service), days) === days.size) {
      sharing[0].trips.push(...ofService.get(service)!);
    } else {
      throw new ChangeError(
        ['route'],
        `services ${sharing.map((main) => main.service).join(', ')} and ${service} of ${routeInWords(group.route)} run on some of the same days, and none on all days of the other, so no single timetable can replace them; name one of them as service`,
      );
    }
  }
  return mains.map(({ service, trips }) => ({ ...group, service, trips }));
}

export function shared(a: ReadonlySet<ServiceDay>, b: ReadonlySet<ServiceDay>): number {
  return [...b].filter((day) => a.has(day)).length;
}

/** Trips with the time at which each passes a stop at which all call, in order of that time. */
export interface PassingTrips {
  readonly stop: string;
  readonly passes: readonly { readonly trip: Trip; readonly at: ServiceSeconds }[];
}

/**
 * Finds the first stop, in the order of the most frequent pattern, at which all trips call and have
 * a time. Throws a `ChangeError` if there is none.
 */
export function passingTrips({ route, direction, trips }: TripGroup): PassingTrips {
  const patterns = groupBy(trips, patternOf);
  const [first] = [...patterns.values()].sort((a, b) => b.length - a.length);
  for (const { stop } of first[0].calls) {
    const passes = trips.flatMap((trip) => {
      const call = trip.calls.find((call) => call.stop === stop && call.departure !== null);
      return call ? [{ trip, at: call.departure! }] : [];
    });
    if (passes.length === trips.length) {
      return { stop, passes: passes.sort((a, b) => a.at - b.at) };
    }
  }
  throw new ChangeError(
    ['route'],
    `the ${counted(trips.length, 'trip')} of ${routeInWords(route)}${direction === '' ? '' : `, direction ${direction},`} have no stop in common at which all have a time, so there is no headway to change; choose some of them by direction or service`,
  );
}

/** The stops of a trip, as a key. */
export function patternOf({ calls }: Trip): string {
  return calls.map(({ stop }) => stop).join('\0');
}
