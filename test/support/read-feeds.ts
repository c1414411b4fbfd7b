import type { PlanRequest } from '../../builder/build-request.ts';
import { readFeed } from '../../builder/gtfs/feed.ts';
import { dayNumber, dayOfMillis } from '../../builder/gtfs/service-time.ts';
import { dateOfPbf } from '../../builder/osm/pbf.ts';
import { type DatedFeeds, dateFeeds, outlineFeeds } from '../../builder/transit/date-feeds.ts';
import { type FeedDay, readFeedDay } from '../../builder/transit/feed-day.ts';
import type { Transit } from '../../builder/transit/join-feeds.ts';
import { assumeLevels } from '../../builder/transit/station-levels.ts';
import type { FeedFacts } from '../../shards/release/manifest.ts';
import type { DepartureWindow } from '../../shards/services.ts';
import { joinedFeeds } from './joined-feeds.ts';

/**
 * All trips of feeds on their days, without a map of their stations, and the metadata of each feed.
 */
export async function readFeeds({
  clock,
  feeds,
}: DatedFeeds): Promise<{ transit: Transit; facts: FeedFacts[] }> {
  const days: FeedDay[] = [];
  const facts: FeedFacts[] = [];
  for (const { day, ...file } of feeds) {
    if (day === null) continue;
    const feed = await readFeed(file.path);
    try {
      const read = await readFeedDay(feed, { ...file, day }, clock);
      days.push(read.feedDay);
      facts.push(read.facts);
    } finally {
      feed.source.close();
    }
  }
  return { transit: assumeLevels(joinedFeeds(days), []), facts };
}

/** Chooses the days of the feeds of a request as a plan does; null without feeds. */
export async function datesOf(
  { osm, gtfs = [], serviceDate }: Pick<PlanRequest, 'osm' | 'gtfs' | 'serviceDate'>,
  window?: DepartureWindow,
): Promise<DatedFeeds | null> {
  if (gtfs.length === 0) return null;
  const asked = serviceDate === undefined ? null : dayNumber(serviceDate.replaceAll('-', ''));
  const newest = Math.max(...(await Promise.all(osm.map(dateOfPbf))));
  const outlined = await outlineFeeds(gtfs, { asked, near: asked ?? dayOfMillis(newest) });
  return dateFeeds(outlined, window);
}
