import { addTo } from '../../shards/arrays/group-by.ts';
import { localDistance } from '../../shards/geometry/wgs84.ts';
import type { Seconds } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { readFeed, wheelchairAt } from '../gtfs/feed.ts';
import { bySuitability, type FeedOutline, succeeds } from '../gtfs/feed-outline.ts';
import type { ServiceDate, ServiceDay } from '../gtfs/service-time.ts';
import type { FeedStop } from '../gtfs/stops.ts';
import { readTrips, type TripRun } from '../gtfs/trips.ts';
import type { WheelchairAccess } from '../gtfs/values.ts';
import { daysInWindow } from './feed-day.ts';
import { type Place, Places, SAME_STOP } from './places.ts';
import type { TransitClock } from './transit-clock.ts';

interface FeedOnDay {
  readonly outline: FeedOutline;
  readonly day: ServiceDate;
}

/** Routes of a feed that are read from others. */
interface RepeatedRoutes {
  /** The index of the feed that each route is read from, by `route_id`. */
  readonly readFrom: ReadonlyMap<string, number>;
  /** Whether these are all routes of the feed that run in the window. */
  readonly isAll: boolean;
}

/** Two places at which a trip calls one after the other. */
type Hop = string;

/** The calls of trips. */
interface Way {
  readonly lon: Float64Array;
  readonly lat: Float64Array;
  /** At each call, whether riders may board, may alight, and have to phone. */
  readonly rules: string;
  readonly hops: readonly Hop[];
  readonly wheelchairs: Statements;
}

/** Numbers of calls and trips of which a feed states something on wheelchairs, and refuses them. */
type Statements = readonly [stated: number, refused: number];

/** A trip in the window. */
interface Trip {
  /** Null for a repetition by headway. */
  readonly id: string | null;
  readonly isApproximate: boolean;
  readonly way: Way;
  /** On the trip itself. */
  readonly wheelchair: WheelchairAccess;
  /** Departure from its first stop, and arrival at its last one, on the clock of all feeds. */
  readonly first: Seconds;
  readonly last: Seconds;
}

/** The trips of a route in the window. */
interface Route {
  readonly id: string;
  readonly feed: number;
  /** Its name and kind. */
  readonly line: string;
  readonly kind: string;
  readonly trips: Trip[];
  /** A route of the feed that it is read from instead; null if it is read. */
  readFrom: Route | null;
}

/** The share of a route's trips, or of its hops, that another must have for both to be one. */
const ROUTE_SHARE = 2 / 3;
/** The share of a feed's hops that another must have for its routes to be renamed ones of that. */
const FEED_SHARE = 9 / 10;
/** Versions of a route have no more than this many times as many trips as each other. */
const VERSION_RATIO = 4;
/** Trips of one id in two versions depart within this time of each other. */
const SAME_DEPARTURE: Seconds = 5 * 60;
/** Trips of copies by headway depart within this time of each other. */
const SAME_HEADWAY: Seconds = 30 * 60;

/**
 * Finds routes that need not be read, since another feed of an agency has them, too: copies, parts
 * of a region's feed, and other versions. Returns them by the index of their feed. Only trips in
 * the window count, as they will be read. Ids of stops and routes do not, since agencies number
 * them anew.
 *
 * A route is not read if another feed that is read for the same day has each of its trips, too:
 * with the same departure from the first stop and arrival at the last one, the same stops between
 * them and the same rules for boarding. Then a route is taken for another version of what the other
 * feed has if
 *
 * - most of its trips have the same times or the same ids there (for one day); or
 * - a route of the same name and kind there has most of the same hops, or all routes of the feed do
 *   under other names, with a similar number of trips. This holds for feeds that are read for
 *   different days, or that have one `feed_id` and different dates, or of which one begins and ends
 *   later.
 *
 * The version is kept whose feed states that it is valid on the day `near`; then the one whose
 * ordinary days are nearest to that, then the one that begins later, then the one with the longest
 * trip. Copies that are equal by all this may differ in their columns on wheelchairs: the one that
 * states more is kept, then the one that refuses more, as riders must not be sent where a feed says
 * no; then the one given first.
 */
export async function findRepeatedRoutes(
  feeds: readonly FeedOnDay[],
  clock: TransitClock,
  near: ServiceDay,
): Promise<ReadonlyMap<number, RepeatedRoutes>> {
  const related = feeds.map(({ outline }, i) =>
    [...feeds.keys()].filter((j) => j !== i && areRelated(outline, feeds[j].outline)),
  );
  const places = new Places();
  const routesOf: (readonly Route[])[] = [];
  for (const [i, feed] of feeds.entries()) {
    routesOf.push(related[i].length === 0 ? [] : await readRoutes(feed, i, clock, places));
  }
  const longest = routesOf.map((routes) =>
    routes.reduce(
      (most, { trips }) => trips.reduce((so, { way }) => Math.max(so, way.hops.length), most),
      0,
    ),
  );
  const wheelchairs = routesOf.map(statementsOf);
  const suitability = bySuitability(near);
  const order = [...feeds.keys()].sort(
    (a, b) =>
      suitability(feeds[a].outline, feeds[b].outline) ||
      beginOf(feeds[b].outline) - beginOf(feeds[a].outline) ||
      longest[b] - longest[a] ||
      wheelchairs[b][0] - wheelchairs[a][0] ||
      wheelchairs[b][1] - wheelchairs[a][1] ||
      a - b,
  );
  const calls = routesOf.map((routes) => new HopCounts(routes).total);
  const largest = order.toSorted((a, b) => calls[b] - calls[a]);
  const trips = routesOf.map((routes) => new TripIndex(routes));
  leaveOutParts(
    largest,
    routesOf,
    trips,
    (a, b) => related[a].includes(b) && feeds[a].day === feeds[b].day,
  );
  for (const [rank, i] of order.entries()) {
    for (const other of order.slice(0, rank)) {
      if (!related[i].includes(other)) continue;
      const [own, others] = [routesOf[i].filter(isRead), routesOf[other].filter(isRead)];
      const isOneDay = feeds[i].day === feeds[other].day;
      const found = [
        ...(isOneDay ? sameTrips(own, others, trips[other]) : []),
        ...(isOneDay && !areVersions(feeds[i].outline, feeds[other].outline)
          ? []
          : versions(own, others)),
      ];
      for (const route of found) route.readFrom = others[0];
    }
  }
  return repeatedOf(routesOf);
}

/** Adds up what is said of the trips of some routes, and of the stops at which they call. */
function statementsOf(routes: readonly Route[]): Statements {
  let [stated, refused] = [0, 0];
  for (const { wheelchair, way } of routes.flatMap(({ trips }) => trips)) {
    stated += way.wheelchairs[0] + +(wheelchair !== null);
    refused += way.wheelchairs[1] + +(wheelchair === 'no');
  }
  return [stated, refused];
}

function isRead({ readFrom }: Route): boolean {
  return readFrom === null;
}

/** Returns the route that is read for a route, or itself. */
function readRouteOf(route: Route): Route {
  return route.readFrom === null ? route : readRouteOf(route.readFrom);
}

function areRelated(a: FeedOutline, b: FeedOutline): boolean {
  return hasSameId(a, b) || [...a.agencies].some((agency) => b.agencies.has(agency));
}

/** Whether two feeds have one `feed_id`; many feeds have a number such as 1, which says nothing. */
function hasSameId({ info: { feedId } }: FeedOutline, other: FeedOutline): boolean {
  return feedId !== null && !/^\d+$/.test(feedId) && feedId === other.info.feedId;
}

/** Whether two feeds may be versions of one by what they state, rather than two parts of it. */
function areVersions(a: FeedOutline, b: FeedOutline): boolean {
  if (hasSameId(a, b)) return beginOf(a) !== beginOf(b) || endOf(a) !== endOf(b);
  return succeeds(a.info, b.info) || succeeds(b.info, a.info);
}

/** The first day of a feed's service, other than that of a few days which it still lists. */
function beginOf({ info, days }: FeedOutline): ServiceDay {
  return info.firstDay ?? Math.min(...(days.ordinary.size > 0 ? days.ordinary : days.trips.keys()));
}

function endOf({ info, days }: FeedOutline): ServiceDay {
  return info.lastDay ?? Math.max(...days.trips.keys());
}

/**
 * Leaves out routes all of whose trips another feed has, the shortest first, so that of any two
 * routes the whole stays rather than its part, and of equal ones that of the first feed in `order`.
 */
function leaveOutParts(
  order: readonly number[],
  routesOf: readonly (readonly Route[])[],
  trips: readonly TripIndex[],
  areComparable: (a: number, b: number) => boolean,
): void {
  const lowestFirst = order.toReversed().flatMap((i) => routesOf[i]);
  for (const route of lowestFirst.sort((a, b) => a.trips.length - b.trips.length)) {
    const whole = order.find(
      (other) => areComparable(route.feed, other) && trips[other].hasAll(route),
    );
    if (whole !== undefined) route.readFrom = trips[whole].twinsOf(route.trips[0], route)[0].route;
  }
}

/** Finds trips of a feed by their times and stops. */
class TripIndex {
  readonly #byTimes = new Map<string, { trip: Trip; route: Route }[]>();

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      for (const trip of route.trips) {
        addTo(this.#byTimes, timesOf(trip), { trip, route });
      }
    }
  }

  /** The trips on routes that are read which are the same as a trip of another feed. */
  twinsOf(trip: Trip, { kind }: Pick<Route, 'kind'>): { trip: Trip; route: Route }[] {
    const alike = this.#byTimes.get(timesOf(trip)) ?? [];
    return alike.filter(
      (twin) =>
        isRead(twin.route) && twin.route.kind === kind && areOneWay(twin.trip.way, trip.way),
    );
  }

  /** Whether all trips of a route are there, and those by headway about as often. */
  hasAll(route: Route): boolean {
    return alikeIn(route.trips).every((own) => {
      const twins = this.twinsOf(own[0], route);
      if (twins.length === 0 || !own[0].isApproximate) return twins.length > 0;
      const isNearOne = ({ first }: Trip) =>
        twins.some((twin) => Math.abs(twin.trip.first - first) <= SAME_HEADWAY);
      return Math.abs(twins.length - own.length) <= 1 && own.every(isNearOne);
    });
  }
}

/** Groups trips of one way and the same times; repetitions by headway may be thousands. */
function alikeIn(trips: readonly Trip[]): Trip[][] {
  const byWay = new Map<Way, Map<string, Trip[]>>();
  for (const trip of trips) {
    const byTimes = byWay.get(trip.way) ?? new Map<string, Trip[]>();
    byWay.set(trip.way, byTimes);
    addTo(byTimes, timesOf(trip), trip);
  }
  return [...byWay.values()].flatMap((byTimes) => [...byTimes.values()]);
}

/** Identifies the times of a trip: both ends, or only its duration if those are approximate. */
function timesOf({ way, first, last, isApproximate }: Trip): string {
  return `${way.lon.length} ${isApproximate ? '' : first} ${last - first}`;
}

/** Whether each call of a trip is at a call of another, under the same rules. */
function areOneWay(a: Way, b: Way): boolean {
  if (a.rules !== b.rules) return false;
  return a.lon.every((lon, i) => localDistance(lon, a.lat[i], b.lon[i], b.lat[i]) <= SAME_STOP);
}

/** Returns the routes most of whose trips others have, at the same times or by the same ids. */
function sameTrips(own: readonly Route[], others: readonly Route[], index: TripIndex): Route[] {
  const byId = new Map<string, Trip>();
  for (const trip of others.flatMap(({ trips }) => trips)) {
    if (trip.id !== null && !isCount(trip.id)) byId.set(trip.id, trip);
  }
  const isRetimed = ({ id, way: { hops }, first }: Trip) => {
    const named = id === null ? undefined : byId.get(id);
    if (named === undefined || Math.abs(named.first - first) > SAME_DEPARTURE) return false;
    const known = new Set(named.way.hops);
    const shared = hops.filter((hop) => known.has(hop)).length;
    return shared > 0 && shared >= ROUTE_SHARE * hops.length;
  };
  return own.filter((route) => {
    const twins = route.trips.filter(
      (trip) => !trip.isApproximate && (isRetimed(trip) || index.twinsOf(trip, route).length > 0),
    );
    return twins.length >= ROUTE_SHARE * route.trips.length;
  });
}

/** Whether an id may count the trips of a feed, so that it says nothing about another. */
function isCount(id: string): boolean {
  return /^\d{1,5}$/.test(id);
}

/** How often trips of some routes make each hop, by kind of route. */
class HopCounts {
  readonly #counts = new Map<string, number>();
  trips = 0;
  total = 0;

  constructor(routes: readonly Route[]) {
    for (const { kind, trips } of routes) {
      this.trips += trips.length;
      for (const {
        way: { hops },
      } of trips) {
        this.total += hops.length;
        for (const hop of hops) {
          const key = `${kind} ${hop}`;
          this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
        }
      }
    }
  }

  /** How many of these hops are those of others. */
  sharedWith(others: HopCounts): number {
    let shared = 0;
    for (const [hop, count] of this.#counts) if (others.#counts.has(hop)) shared += count;
    return shared;
  }
}

/** Returns the routes of which others are versions, by their names or by all of their hops. */
function versions(own: readonly Route[], others: readonly Route[]): Route[] {
  const all = [new HopCounts(own), new HopCounts(others)] as const;
  const isRenamed =
    all[0].sharedWith(all[1]) >= FEED_SHARE * all[0].total &&
    areSimilar(all[0].sharedWith(all[1]), all[1].sharedWith(all[0]));
  return own.filter((route) => {
    const hops = new HopCounts([route]);
    if (isRenamed && hops.sharedWith(all[1]) >= ROUTE_SHARE * hops.total) return true;
    const namesake = new HopCounts(others.filter(({ line }) => line === route.line));
    return (
      areSimilar(hops.trips, namesake.trips) &&
      (hops.sharedWith(namesake) >= ROUTE_SHARE * hops.total ||
        namesake.sharedWith(hops) >= ROUTE_SHARE * namesake.total)
    );
  });
}

function areSimilar(a: number, b: number): boolean {
  return a > 0 && b > 0 && Math.max(a, b) <= VERSION_RATIO * Math.min(a, b);
}

function repeatedOf(routesOf: readonly (readonly Route[])[]): Map<number, RepeatedRoutes> {
  const repeated = new Map<number, RepeatedRoutes>();
  for (const [i, routes] of routesOf.entries()) {
    const left = routes.filter((route) => !isRead(route));
    if (left.length === 0) continue;
    const readFrom = new Map(left.map((route) => [route.id, readRouteOf(route).feed]));
    repeated.set(i, { readFrom, isAll: left.length === routes.length });
  }
  return repeated;
}

/** Reads the routes of a feed that run in the window; none if its trips cannot be read. */
async function readRoutes(
  { outline: { path }, day }: FeedOnDay,
  index: number,
  clock: TransitClock,
  places: Places,
): Promise<Route[]> {
  const feed = await readFeed(path);
  try {
    const placeOf = new Map<string, Place>();
    const placeAt = ({ id, lon, lat }: FeedStop) => {
      const place = placeOf.get(id) ?? places.at(lon, lat);
      placeOf.set(id, place);
      return place;
    };
    const ways = new Map<string, Way>();
    const wayOf = (calls: TripRun['calls']): Way => {
      const rules = calls.map(({ board, alight, byPhone }) => +board + 2 * +alight + 4 * +byPhone);
      const key = calls.map(({ stop }, i) => `${rules[i]}${stop}`).join('\0');
      const known = ways.get(key);
      if (known) return known;
      const stops = calls.map(({ stop }) => feed.stops.get(stop)!);
      const at = stops.map(placeAt);
      const said = stops.map((stop) => wheelchairAt(feed, stop));
      const way = {
        lon: Float64Array.from(stops, ({ lon }) => lon),
        lat: Float64Array.from(stops, ({ lat }) => lat),
        rules: rules.join(''),
        hops: at.slice(1).map((to, i) => `${at[i]}>${to}`),
        wheelchairs: [
          said.filter((one) => one !== null).length,
          said.filter((one) => one === 'no').length,
        ],
      } as const;
      ways.set(key, way);
      return way;
    };
    const routes = new Map<string, Route>();
    const windows = daysInWindow(feed.timeZone, day, clock);
    for (const { run, window } of await readTrips(feed, windows)) {
      const kind = feed.railways.get(run.route) ?? 'road';
      const line = `${kind} ${feed.routeNames.get(run.route) ?? run.route}`;
      const ofFeed = { id: run.route, feed: index, line, kind };
      const route = routes.get(run.route) ?? { ...ofFeed, trips: [], readFrom: null };
      routes.set(run.route, route);
      const { trip: id, isApproximate, wheelchair, departures, arrivals } = run;
      const first = departures[0] + window.shift;
      const last = arrivals[arrivals.length - 1] + window.shift;
      route.trips.push({ id, isApproximate, way: wayOf(run.calls), wheelchair, first, last });
    }
    return [...routes.values()];
  } catch (error) {
    if (error instanceof BuildError) return [];
    throw error;
  } finally {
    feed.source.close();
  }
}
