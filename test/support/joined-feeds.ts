import type { FeedDay } from '../../builder/transit/feed-day.ts';
import { joinFeeds, type TransitOfFeeds } from '../../builder/transit/join-feeds.ts';
import type { SearchedWindow } from '../../builder/transit/transit-region.ts';
import { BASE_PERCENTILE, BASE_WINDOW } from '../../shards/services.ts';

/** The window and the percentile of every release. */
export const AM: SearchedWindow = { ...BASE_WINDOW, percentiles: [BASE_PERCENTILE] };

/** Joins feeds that are read for one window. */
export function joinedFeeds(days: readonly FeedDay[], window = AM): TransitOfFeeds {
  const feeds = new Map(days.map((day, feed) => [String(feed), day]));
  return joinFeeds([{ window, feeds }])[0];
}
