import KDBush from 'kdbush';
import { bufferBox, localDistance } from '../../shards/geometry/wgs84.ts';
import type { Degrees, Metres } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { type Feed, readFeed } from './feed.ts';
import { type FeedDays, nearestDay } from './ordinary-days.ts';
import { dateOf, type ServiceDate, type ServiceDay } from './service-time.ts';
import { readTrips } from './trips.ts';

/** The data by which feeds are preselected that may be versions of one timetable. */
export interface TimetableSketch {
  readonly path: string;
  /** `feed_id` in `feed_info.txt`; null if absent. */
  readonly feedId: string | null;
  /** Names of the feed's agencies, in lower case. */
  readonly agencies: ReadonlySet<string>;
  /** A usual weekday; null if there is none. */
  readonly day: ServiceDate | null;
  /** Number of trips on that day, by the name of their route. */
  readonly trips: ReadonlyMap<string, number>;
}

/** A place where trips stop, and how often. */
interface CalledStop {
  readonly lon: Degrees;
  readonly lat: Degrees;
  calls: number;
}

/** Groups of feeds, by index. */
interface FeedGroups {
  /** Versions of one timetable, or a single feed. */
  readonly groups: readonly (readonly number[])[];
  /** Feeds that hold a small part of the service of another, with that other. */
  readonly parts: ReadonlyMap<number, number>;
}

/** The share of trips, and of calls, that versions of one timetable have in common at least. */
const SHARED = 2 / 3;
/** Stops this near are the same stop: versions correct the positions of their stops. */
const SAME_STOP: Metres = 50;
/** Numbers of trips or calls are alike if neither is more than this many times the other. */
const MOST_TIMES = 2;

/** The time of day whose calls are compared. Other calls do not reach the travel times. */
const MORNING = { from: 5 * 3600, to: 12 * 3600 } as const;

/** Sketches the timetable of a feed on a usual weekday near a given day. */
export function sketchOf(feed: Feed, { patterns }: FeedDays, near: ServiceDay): TimetableSketch {
  const day = patterns.length === 0 ? null : dateOf(nearestDay(patterns[0].preferred, near));
  const trips = new Map<string, number>();
  for (const [route, tripsOfService] of feed.tripsOfRoutes) {
    const name = feed.routeNames.get(route) ?? route;
    for (const [service, count] of tripsOfService) {
      if (day === null || !feed.calendar.runsOn(service, day)) continue;
      trips.set(name, (trips.get(name) ?? 0) + count);
    }
  }
  const { source, agencies, info } = feed;
  return { path: source.path, feedId: info.feedId, agencies, day, trips };
}

/**
 * Groups feeds that hold versions of one timetable, so that riders would find each trip twice if
 * two were read. Two feeds do if they have an agency in common, on most routes about as many trips,
 * or the same `feed_id`, and at most stops about as many calls. Ids of stops and trips do not
 * count, since agencies number them anew; nor does a `feed_id` alone, since many feeds have the id
 * 1. Stop times are read only of feeds with an agency and routes, or a `feed_id`, in common.
 */
export async function groupVersions(sketches: readonly TimetableSketch[]): Promise<FeedGroups> {
  const sizes = sketches.map(({ trips }) => sum(trips.values()));
  const called = new Map<number, readonly CalledStop[]>();
  const callsOf = async (i: number) => {
    const known = called.get(i) ?? (await readCalls(sketches[i]));
    called.set(i, known);
    return known;
  };
  const isServiceOf = async (part: number, whole: number) =>
    mayBeServiceOf(sketches[part], sketches[whole]) &&
    callsShared(await callsOf(part), await callsOf(whole)) >= SHARED;
  const parts = new Map<number, number>();
  const groups: number[][] = [];
  // Larger timetables come first, so that a part is compared with what may hold it.
  for (const i of [...sketches.keys()].sort((a, b) => sizes[b] - sizes[a] || a - b)) {
    let group: number[] | undefined;
    for (const one of groups) {
      if (group === undefined && (await isServiceOf(i, one[0]))) group = one;
    }
    if (group === undefined) groups.push([i]);
    else if (MOST_TIMES * sizes[i] < sizes[group[0]]) parts.set(i, group[0]);
    else group.push(i);
  }
  return { groups, parts };
}

function mayBeServiceOf(part: TimetableSketch, whole: TimetableSketch): boolean {
  if (![...part.agencies].some((agency) => whole.agencies.has(agency))) return false;
  if (part.feedId !== null && part.feedId === whole.feedId) return true;
  const shared = [...part.trips].map(([route, count]) =>
    areAlike(count, whole.trips.get(route) ?? 0) ? count : 0,
  );
  return sum(shared) >= SHARED * sum(part.trips.values());
}

function areAlike(a: number, b: number): boolean {
  return a <= MOST_TIMES * b && b <= MOST_TIMES * a;
}

function sum(counts: Iterable<number>): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}

/** Counts the calls of trips of a usual morning by stop; none if stop times cannot be read. */
async function readCalls({ path, day }: TimetableSketch): Promise<CalledStop[]> {
  if (day === null) return [];
  const feed = await readFeed(path);
  try {
    const stops = new Map<string, CalledStop>();
    for (const { run } of await readTrips(feed, [{ day, ...MORNING }])) {
      for (const { stop: id } of run.calls) {
        const { lon, lat } = feed.stops.get(id)!;
        const stop = stops.get(id) ?? { lon, lat, calls: 0 };
        stops.set(id, stop);
        stop.calls++;
      }
    }
    return [...stops.values()];
  } catch (error) {
    if (error instanceof BuildError) return [];
    throw error;
  } finally {
    feed.source.close();
  }
}

/** Returns the share of calls at stops where another feed has about as many. */
function callsShared(stops: readonly CalledStop[], others: readonly CalledStop[]): number {
  if (stops.length === 0 || others.length === 0) return 0;
  const index = new KDBush(others.length);
  for (const { lon, lat } of others) index.add(lon, lat);
  index.finish();
  const shared = stops.map(({ lon, lat, calls }) => {
    const at = { minLon: lon, minLat: lat, maxLon: lon, maxLat: lat };
    const { minLon, minLat, maxLon, maxLat } = bufferBox(at, SAME_STOP);
    const isSame = (i: number) =>
      localDistance(lon, lat, others[i].lon, others[i].lat) <= SAME_STOP &&
      areAlike(calls, others[i].calls);
    return index.range(minLon, minLat, maxLon, maxLat).some(isSame) ? calls : 0;
  });
  return sum(shared) / sum(stops.map(({ calls }) => calls));
}
