import { boxAroundBoth } from '../../shards/geometry/wgs84.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { type Feed, type FeedInfo, readFeed } from './feed.ts';
import { type FeedDays, ordinaryDays } from './ordinary-days.ts';
import { timeZoneOf } from './stations.ts';

/**
 * The data for choosing a feed's service day: without its trips, which would be too many for all
 * feeds together.
 */
export interface FeedOutline {
  readonly path: string;
  /** As in `Feed`. */
  readonly agency: string;
  readonly timeZone: string;
  /** The zones of its stops, and the box around those of each. */
  readonly zones: ReadonlyMap<string, BoundingBox>;
  readonly info: FeedInfo;
  readonly days: FeedDays;
  /** Trips of all days, including repetitions by headway. */
  readonly trips: number;
}

/** Reads the outline of a feed. Throws a `BuildError` for one that cannot be used. */
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
