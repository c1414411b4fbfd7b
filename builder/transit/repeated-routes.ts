import { BuildError } from '../errors.ts';
import { readFeed } from '../gtfs/feed.ts';
import type { FeedOutline } from '../gtfs/feed-outline.ts';
import { dayNumber, type ServiceDate } from '../gtfs/service-time.ts';
import { readTrips, type TripRun } from '../gtfs/trips.ts';
import { daysInWindow } from './feed-day.ts';
import { type Place, Places } from './places.ts';
import type { TransitClock } from './transit-clock.ts';

/** A feed and the day it is read for. */
export interface FeedOnDay {
  readonly outline: FeedOutline;
  readonly day: ServiceDate;
}

/** Routes of a feed that are read from others. */
export interface RepeatedRoutes {
  /** The index of the feed that each route is read from, by `route_id`. */
  readonly readFrom: ReadonlyMap<string, number>;
  /** Whether these are all routes of the feed that run in the window. */
  readonly isAll: boolean;
}

/** Two places at which a trip calls one after the other. */
type Hop = string;

/** A trip in the window. */
interface Trip {
  /** Null for a repetition by headway. */
  readonly id: string | null;
  /** The trip's places and times; the times of a repetition by headway since its first call. */
  readonly signature: string;
  readonly hops: readonly Hop[];
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

/**
 * Finds routes that need not be read, since another feed of an agency has them, too: copies, parts
 * of a region's feed, and other versions. Returns them by the index of their feed. Only trips in
 * the window count, as they will be read. Ids of stops and routes do not, since agencies number
 * them anew.
 *
 * A route is not read if another feed that is read for the same day has each of its trips, too: at
 * the same places at the same times. Nothing is lost by that. Then a route is taken for another
 * version of what the other feed has if
 *
 * - most of its trips have the same times or the same ids there (for one day); or
 * - a route of the same name and kind there has most of the same hops, or all routes of the feed do
 *   under other names, with a similar number of trips. This holds for feeds that are read for
 *   different days, or that have one `feed_id` and different dates.
 *
 * The version in the feed that is read for `common` is kept, then the one read for the nearest day,
 * then the one that begins later, then the one with the longest trip, then the one given first.
 */
export async function findRepeatedRoutes(
  feeds: readonly FeedOnDay[],
  clock: TransitClock,
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
      (most, { trips }) => trips.reduce((so, { hops }) => Math.max(so, hops.length), most),
      0,
    ),
  );
  const away = ({ day }: FeedOnDay) => Math.abs(dayNumber(day) - dayNumber(clock.common));
  const order = [...feeds.keys()].sort(
    (a, b) =>
      away(feeds[a]) - away(feeds[b]) ||
      beginOf(feeds[b].outline) - beginOf(feeds[a].outline) ||
      longest[b] - longest[a] ||
      a - b,
  );
  const calls = routesOf.map((routes) => new HopCounts(routes).total);
  const largest = order.toSorted((a, b) => calls[b] - calls[a]);
  leaveOutParts(
    largest,
    routesOf,
    (a, b) => related[a].includes(b) && feeds[a].day === feeds[b].day,
  );
  for (const [rank, i] of order.entries()) {
    for (const other of order.slice(0, rank)) {
      if (!related[i].includes(other)) continue;
      const [own, others] = [routesOf[i].filter(isRead), routesOf[other].filter(isRead)];
      const isOneDay = feeds[i].day === feeds[other].day;
      const found = [
        ...(isOneDay ? sameTrips(own, others) : []),
        ...(isOneDay && !areVersions(feeds[i].outline, feeds[other].outline)
          ? []
          : versions(own, others)),
      ];
      for (const route of found) route.readFrom = others[0];
    }
  }
  return repeatedOf(routesOf);
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

/** Whether two feeds are versions of one by what they state, rather than two parts of it. */
function areVersions(a: FeedOutline, b: FeedOutline): boolean {
  return hasSameId(a, b) && (beginOf(a) !== beginOf(b) || endOf(a) !== endOf(b));
}

function beginOf({ info, days }: FeedOutline): number {
  return info.firstDay ?? Math.min(...days.trips.keys());
}

function endOf({ info, days }: FeedOutline): number {
  return info.lastDay ?? Math.max(...days.trips.keys());
}

/**
 * Leaves out routes all of whose trips another feed has, the shortest first, so that of any two
 * routes the whole stays rather than its part, and of equal ones that of the first feed in `order`.
 */
function leaveOutParts(
  order: readonly number[],
  routesOf: readonly (readonly Route[])[],
  areComparable: (a: number, b: number) => boolean,
): void {
  const having = routesOf.map((routes) => {
    const bySignature = new Map<string, Route[]>();
    for (const route of routes) {
      for (const { signature } of route.trips) {
        const known = bySignature.get(signature);
        if (known) known.push(route);
        else bySignature.set(signature, [route]);
      }
    }
    return bySignature;
  });
  const lowestFirst = order.toReversed().flatMap((i) => routesOf[i]);
  for (const route of lowestFirst.sort((a, b) => a.trips.length - b.trips.length)) {
    const whole = order.find(
      (other) => areComparable(route.feed, other) && hasTrips(having[other], route),
    );
    if (whole === undefined) continue;
    route.readFrom = having[whole].get(route.trips[0].signature)!.find(isRead)!;
  }
}

/** Whether a feed has the trips of a route, and those by headway about as often. */
function hasTrips(having: ReadonlyMap<string, readonly Route[]>, { trips }: Route): boolean {
  const byHeadway = new Map<string, number>();
  for (const { id, signature } of trips) {
    if (!having.get(signature)?.some(isRead)) return false;
    if (id === null) byHeadway.set(signature, (byHeadway.get(signature) ?? 0) + 1);
  }
  return [...byHeadway].every(
    ([signature, runs]) => Math.abs(having.get(signature)!.filter(isRead).length - runs) <= 1,
  );
}

/** Returns the routes most of whose trips others have, at the same times or by the same ids. */
function sameTrips(own: readonly Route[], others: readonly Route[]): Route[] {
  const signatures = new Set<string>();
  const byId = new Map<string, ReadonlySet<Hop>>();
  for (const { trips } of others) {
    for (const { id, signature, hops } of trips) {
      if (id === null) continue;
      signatures.add(signature);
      if (!isCount(id)) byId.set(id, new Set(hops));
    }
  }
  const hasTwin = ({ id, signature, hops }: Trip) => {
    if (id === null) return false;
    const named = byId.get(id);
    const shared = named ? hops.filter((hop) => named.has(hop)).length : 0;
    return signatures.has(signature) || (shared > 0 && shared >= ROUTE_SHARE * hops.length);
  };
  return own.filter(({ trips }) => trips.filter(hasTwin).length >= ROUTE_SHARE * trips.length);
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
      for (const { hops } of trips) {
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
    const ways = new Map<TripRun['calls'], { places: string; hops: readonly Hop[] }>();
    const wayOf = (calls: TripRun['calls']) => {
      const known = ways.get(calls);
      if (known) return known;
      const at = calls.map(({ stop: id }) => {
        const { lon, lat } = feed.stops.get(id)!;
        const place = placeOf.get(id) ?? places.at(lon, lat);
        placeOf.set(id, place);
        return place;
      });
      const way = { places: at.join(), hops: at.slice(1).map((to, i) => `${at[i]}>${to}`) };
      ways.set(calls, way);
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
      const { places, hops } = wayOf(run.calls);
      const zero = run.trip === null ? run.departures[0] : -window.shift;
      const times = run.departures.map((time, i) => `${run.arrivals[i] - zero} ${time - zero}`);
      route.trips.push({ id: run.trip, signature: `${places} ${times}`, hops });
    }
    return [...routes.values()];
  } catch (error) {
    if (error instanceof BuildError) return [];
    throw error;
  } finally {
    feed.source.close();
  }
}
