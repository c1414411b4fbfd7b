import { boxAroundBoth } from '../../shards/geometry/wgs84.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { type Feed, type FeedInfo, readFeed, timeZoneOf } from './feed.ts';
import { type FeedProblem, withProblems } from './feed-report.ts';
import { type FeedDays, nearestDay, ordinaryDays } from './ordinary-days.ts';
import type { ServiceDay } from './service-time.ts';

/**
 * The data for choosing a feed's service day. It excludes the trips, which would be too many for
 * all feeds together.
 */
export interface FeedOutline {
  readonly path: string;
  readonly agency: string;
  readonly agencies: ReadonlySet<string>;
  readonly timeZone: string;
  /** The time zones of stops, each with the box around its stops. */
  readonly zones: ReadonlyMap<string, BoundingBox>;
  /** The names of routes. */
  readonly lines: ReadonlySet<string>;
  readonly info: FeedInfo;
  readonly days: FeedDays;
  /** Number of trips, whatever their days, including repetitions by headway. */
  readonly trips: number;
  /** Rows that could not be used unchanged. */
  readonly problems: readonly FeedProblem[];
}

/**
 * Reads the outline of a feed, whose usual service is that near a given day. Throws a `BuildError`
 * for an unusable feed.
 */
export async function readFeedOutline(path: string, near: ServiceDay): Promise<FeedOutline> {
  const feed = await readFeed(path);
  try {
    requireRows(feed);
    const { agency, agencies, timeZone, tripCount: trips } = feed;
    const days = ordinaryDays(feed, near);
    const { problems } = feed.report;
    const zones = zonesOf(feed);
    const info = withServiceIn(feed.info, days);
    const lines = new Set(feed.routeNames.values());
    return { path, agency, agencies, timeZone, zones, lines, info, days, trips, problems };
  } finally {
    feed.source.close();
  }
}

/** Drops the days for which a feed claims to be valid, if it has no service on any of them. */
function withServiceIn(info: FeedInfo, { trips }: FeedDays): FeedInfo {
  const first = info.firstDay ?? Number.NEGATIVE_INFINITY;
  const last = info.lastDay ?? Number.POSITIVE_INFINITY;
  const hasService = [...trips.keys()].some((day) => day >= first && day <= last);
  return hasService ? info : { ...info, firstDay: null, lastDay: null };
}

/** Whether a feed states that it is valid from a later day and until a later day than another. */
export function succeeds(later: FeedInfo, earlier: FeedInfo): boolean {
  const [begins, ends] = [later.firstDay, later.lastDay];
  if (begins === null || ends === null) return false;
  const { firstDay, lastDay } = earlier;
  return firstDay !== null && lastDay !== null && begins > firstDay && ends > lastDay;
}

/**
 * Orders feeds by how well they suit a day: first those that do not state that they are valid on
 * other days only, then those whose ordinary days are nearest.
 */
export function bySuitability(day: ServiceDay): (a: FeedOutline, b: FeedOutline) => number {
  const isInvalid = ({ info: { firstDay, lastDay } }: FeedOutline) =>
    Number((firstDay !== null && firstDay > day) || (lastDay !== null && lastDay < day));
  const away = ({ days: { ordinary, trips } }: FeedOutline) =>
    Math.abs(nearestDay([...(ordinary.size > 0 ? ordinary : trips.keys())], day) - day);
  return (a, b) => isInvalid(a) - isInvalid(b) || away(a) - away(b);
}

function requireRows({ source, stops, trips, report }: Feed): void {
  const empty = stops.size === 0 ? 'stops.txt' : trips.size === 0 ? 'trips.txt' : null;
  if (empty === null) return;
  const problems = report.problems.filter(({ file }) => file === empty);
  throw new BuildError(withProblems(`${source.path}: ${empty} has no usable row`, problems));
}

function zonesOf(feed: Feed): Map<string, BoundingBox> {
  const zones = new Map<string, BoundingBox>();
  for (const stop of feed.stops.values()) {
    if (Number.isNaN(stop.lon)) continue;
    const zone = timeZoneOf(feed, stop);
    const at = { minLon: stop.lon, minLat: stop.lat, maxLon: stop.lon, maxLat: stop.lat };
    const known = zones.get(zone);
    zones.set(zone, known ? boxAroundBoth(known, at) : at);
  }
  return zones;
}
