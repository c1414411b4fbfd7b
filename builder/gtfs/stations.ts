import type { Feed } from './feed.ts';
import { type FeedStop, LOCATION } from './stops.ts';

/** Returns the station that a stop belongs to, or the stop itself if it belongs to none. */
export function stationOf({ stops }: Pick<Feed, 'stops'>, stop: FeedStop): FeedStop {
  const parent = stops.get(stop.parent);
  return parent?.type === LOCATION.station ? parent : stop;
}

export function timeZoneOf(feed: Pick<Feed, 'stops' | 'timeZone'>, stop: FeedStop): string {
  return stationOf(feed, stop).timeZone ?? feed.timeZone;
}
