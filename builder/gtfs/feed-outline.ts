import { boxAroundBoth } from '../../shards/geometry/wgs84.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { type Feed, type FeedInfo, readFeed } from './feed.ts';
import { type FeedDays, ordinaryDays } from './ordinary-days.ts';
import { timeZoneOf } from './stations.ts';

/**
 * The data for choosing a feed's service day. It excludes the trips, which would be too many for
 * all feeds together.
 */
export interface FeedOutline {
  readonly path: string;
  /** Agency and time zone, as in `Feed`. */
  readonly agency: string;
  readonly timeZone: string;
  /** The time zones of stops, each with the box around its stops. */
  readonly zones: ReadonlyMap<string, BoundingBox>;
  readonly info: FeedInfo;
  readonly days: FeedDays;
  /** Number of trips, whatever their days, including repetitions by headway. */
  readonly trips: number;
}

/** Reads the outline of a feed. Throws a `BuildError` for an unusable feed. */
export async function readFeedOutline(path: string): Promise<FeedOutline> {
  const feed = await readFeed(path);
  try {
    const { agency, timeZone, info, tripsOfService } = feed;
    const trips = [...tripsOfService.values()].reduce((sum, count) => sum + count, 0);
    return { path, agency, timeZone, zones: zonesOf(feed), info, days: ordinaryDays(feed), trips };
  } finally {
    feed.source.close();
  }
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
