import KDBush from 'kdbush';
import { bufferBox, localDistance } from '../../shards/geometry/wgs84.ts';
import type { Degrees, Metres } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { type RailKind, readFeed } from './feed.ts';
import type { FeedOutline } from './feed-outline.ts';
import { dayNumber, type ServiceDate, type ServiceSeconds } from './service-time.ts';
import { readTrips } from './trips.ts';

/** A feed and the day it is read for. */
export interface FeedOnDay {
  readonly outline: FeedOutline;
  readonly day: ServiceDate;
}

/** Routes of a feed that another feed has, too. */
export interface RepeatedRoutes {
  /** The ids of the routes, ascending. */
  readonly routes: readonly string[];
  /** The other feed, by index; if there are several, the first by precedence. */
  readonly other: number;
  /** Whether these are all routes of the feed that run in the morning of its day. */
  readonly isAll: boolean;
}

/** The trips of a feed's routes of one name and kind. */
interface Line {
  readonly key: string;
  readonly kind: RailKind | null;
  readonly routes: Set<string>;
  readonly trips: Set<string>;
  calls: number;
  /** The feed that the line is read from instead, by index; null if it is read from its own. */
  repeatedIn: number | null;
}

/** A place where trips of a line stop, and when they leave it. */
interface LineStop {
  readonly lon: Degrees;
  readonly lat: Degrees;
  /** The key of the line in `MorningCalls`. */
  readonly line: string;
  readonly times: ServiceSeconds[];
}

/** The calls of a feed on the morning of its day. */
interface MorningCalls {
  readonly lines: ReadonlyMap<string, Line>;
  readonly stops: readonly LineStop[];
  readonly index: KDBush | null;
}

/** Stops this near are the same stop: versions of a feed correct the positions of their stops. */
const SAME_STOP: Metres = 50;
/** The share of a route's calls at stops of the other, and of its trips, so that both are one. */
const ROUTE_SHARE = 2 / 3;
/** The share of a feed's calls at stops of the other, so that both are one, whatever the names. */
const FEED_SHARE = 9 / 10;
/** The time of day whose calls are compared; calls later in the day reach no travel time. */
const MORNING = { from: 5 * 3600, to: 12 * 3600 } as const;

/**
 * Finds routes that several feeds have, so that riders would find their trips twice: copies, new
 * versions, and parts of a region's feed. Returns them by the index of the feed that need not be
 * read for them. Only feeds with an agency or a `feed_id` in common are compared, and their stop
 * times read; ids of stops and routes do not count, since agencies number them anew.
 *
 * A route is repeated if most of its calls are at stops where the other feed has calls of a route
 * of the same name and kind. If both are read for one day, most of its trips must also have the
 * same ids, numbers of a few digits apart, or most of its departures the same times, unless the
 * feeds have one `feed_id`; otherwise it may be the other half of the route. A feed that is read
 * for another day than the other is also repeated if nearly all of its calls are at stops of the
 * other, as after a new numbering of routes.
 *
 * The feed that is read for `common` precedes others, then the one read for the nearest day, then
 * the one that begins later, then the one in which the route has more calls, then the one given
 * first. Routes are compared only with routes that are read.
 */
export async function findRepeatedRoutes(
  feeds: readonly FeedOnDay[],
  common: ServiceDate,
): Promise<ReadonlyMap<number, RepeatedRoutes>> {
  const begins = ({ outline: { info, days } }: FeedOnDay) =>
    info.firstDay ?? Math.min(...(days.ordinary.size > 0 ? days.ordinary : days.trips.keys()));
  const away = ({ day }: FeedOnDay) => Math.abs(dayNumber(day) - dayNumber(common));
  const order = [...feeds.keys()].sort(
    (a, b) => away(feeds[a]) - away(feeds[b]) || begins(feeds[b]) - begins(feeds[a]) || a - b,
  );
  const read = new Map<number, MorningCalls>();
  const callsOf = async (i: number) => {
    const known = read.get(i) ?? (await readCalls(feeds[i]));
    read.set(i, known);
    return known;
  };
  for (const [rank, i] of order.entries()) {
    for (const other of order.slice(0, rank)) {
      if (!areRelated(feeds[i].outline, feeds[other].outline)) continue;
      const isSameService = hasSameId(feeds[i].outline, feeds[other].outline)
        ? () => true
        : hasSameTrips;
      const [own, others] = [await callsOf(i), await callsOf(other)];
      if (feeds[i].day !== feeds[other].day) {
        for (const line of linesOfAnotherDay(own, others)) line.repeatedIn ??= other;
        continue;
      }
      const isTie = begins(feeds[i]) === begins(feeds[other]);
      const reverse = new Set(isTie ? sharedLines(others, own, isSameService) : []);
      for (const line of sharedLines(own, others, isSameService)) {
        const partner = others.lines.get(line.key)!;
        if (reverse.has(partner) && partner.calls < line.calls) partner.repeatedIn = i;
        else line.repeatedIn = other;
      }
    }
  }
  const repeated = new Map<number, RepeatedRoutes>();
  for (const [i, { lines }] of read) {
    const found = [...lines.values()].filter((line) => line.repeatedIn !== null);
    if (found.length === 0) continue;
    const routes = found.flatMap((line) => [...line.routes]).sort();
    const others = found.map((line) => order.indexOf(line.repeatedIn!));
    const other = order[Math.min(...others)];
    repeated.set(i, { routes, other, isAll: found.length === lines.size });
  }
  return repeated;
}

function areRelated(a: FeedOutline, b: FeedOutline): boolean {
  return hasSameId(a, b) || [...a.agencies].some((agency) => b.agencies.has(agency));
}

/** Whether two feeds have one `feed_id`; many feeds have a number such as 1, which says nothing. */
function hasSameId({ info: { feedId } }: FeedOutline, other: FeedOutline): boolean {
  return feedId !== null && !/^\d+$/.test(feedId) && feedId === other.info.feedId;
}

/** The calls of a line at stops of the line of the same name and kind in another feed. */
interface SharedCalls {
  readonly line: Line;
  readonly partner: Line;
  calls: number;
  /** Calls that the other line has at the same second. */
  sameTime: number;
}

/** Returns the lines of a feed that another has, too, by their calls and trips. */
function sharedLines(
  own: MorningCalls,
  other: MorningCalls,
  isSameService: (shared: SharedCalls) => boolean,
): Line[] {
  const shared = new Map<string, SharedCalls>();
  for (const { lon, lat, line: key, times } of own.stops) {
    const [line, partner] = [own.lines.get(key)!, other.lines.get(key)];
    if (!partner || line.repeatedIn !== null || partner.repeatedIn !== null) continue;
    const near = stopsAt(other, lon, lat).filter((stop) => stop.line === key);
    if (near.length === 0) continue;
    const known = shared.get(key) ?? { line, partner, calls: 0, sameTime: 0 };
    shared.set(key, known);
    known.calls += times.length;
    const others = new Set(near.flatMap((stop) => stop.times));
    known.sameTime += times.filter((time) => others.has(time)).length;
  }
  return [...shared.values()]
    .filter((one) => one.calls >= ROUTE_SHARE * one.line.calls && isSameService(one))
    .map(({ line }) => line);
}

/** Whether most trips of a line have their ids, or most departures their times, in another feed. */
function hasSameTrips({ line, partner, sameTime }: SharedCalls): boolean {
  const sameIds = [...line.trips].filter((id) => partner.trips.has(id) && !isCount(id)).length;
  const hasIds = line.trips.size > 0 && sameIds >= ROUTE_SHARE * line.trips.size;
  return hasIds || sameTime >= ROUTE_SHARE * line.calls;
}

/** Whether an id may count the trips of a feed, so that it says nothing about another. */
function isCount(id: string): boolean {
  return /^\d{1,4}$/.test(id);
}

/** Returns the lines of a feed that another, which is read for another day, has, too. */
function linesOfAnotherDay(own: MorningCalls, other: MorningCalls): Line[] {
  const lines = [...own.lines.values()];
  const all = lines.reduce((sum, { calls }) => sum + calls, 0);
  let shared = 0;
  for (const { lon, lat, line, times } of own.stops) {
    const { kind } = own.lines.get(line)!;
    const isServed = stopsAt(other, lon, lat).some((stop) => {
      const served = other.lines.get(stop.line)!;
      return served.kind === kind && served.repeatedIn === null;
    });
    if (isServed) shared += times.length;
  }
  return shared > 0 && shared >= FEED_SHARE * all ? lines : sharedLines(own, other, () => true);
}

/** Returns the stops of a feed at a place. */
function stopsAt({ stops, index }: MorningCalls, lon: Degrees, lat: Degrees): LineStop[] {
  const at = { minLon: lon, minLat: lat, maxLon: lon, maxLat: lat };
  const { minLon, minLat, maxLon, maxLat } = bufferBox(at, SAME_STOP);
  return (index?.range(minLon, minLat, maxLon, maxLat) ?? [])
    .map((i) => stops[i])
    .filter((stop) => localDistance(lon, lat, stop.lon, stop.lat) <= SAME_STOP);
}

/** Counts the calls of a feed on the morning of its day; none if they cannot be read. */
async function readCalls({ outline: { path }, day }: FeedOnDay): Promise<MorningCalls> {
  const lines = new Map<string, Line>();
  const stops = new Map<string, LineStop>();
  const feed = await readFeed(path);
  try {
    for (const { run } of await readTrips(feed, [{ day, ...MORNING }])) {
      const kind = feed.railways.get(run.route) ?? null;
      const key = `${kind ?? 'road'} ${feed.routeNames.get(run.route) ?? run.route}`;
      const line = lines.get(key) ?? {
        key,
        kind,
        routes: new Set<string>(),
        trips: new Set<string>(),
        calls: 0,
        repeatedIn: null,
      };
      lines.set(key, line);
      line.routes.add(run.route);
      if (run.trip !== null) line.trips.add(run.trip);
      line.calls += run.calls.length;
      for (const [i, { stop: id }] of run.calls.entries()) {
        const { lon, lat } = feed.stops.get(id)!;
        const stop = stops.get(`${id}\0${key}`) ?? { lon, lat, line: key, times: [] };
        stops.set(`${id}\0${key}`, stop);
        stop.times.push(run.departures[i]);
      }
    }
  } catch (error) {
    if (error instanceof BuildError) return { lines: new Map(), stops: [], index: null };
    throw error;
  } finally {
    feed.source.close();
  }
  const list = [...stops.values()];
  const index = list.length === 0 ? null : new KDBush(list.length);
  for (const { lon, lat } of list) index?.add(lon, lat);
  index?.finish();
  return { lines, stops: list, index };
}
