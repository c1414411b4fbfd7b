import path from 'node:path';
import { counted } from '../../shards/number-words.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import { COARSE_CELLS } from '../geo/cell-set.ts';
import { readFeed } from '../gtfs/feed.ts';
import { isoDate } from '../gtfs/service-time.ts';
import type { Progress } from '../progress.ts';
import { putObject } from '../publish/put-object.ts';
import type { DatedFeeds } from '../transit/date-feeds.ts';
import { type FeedDay, type FeedOfDay, readFeedDay } from '../transit/feed-day.ts';
import type { TransitClock } from '../transit/transit-clock.ts';
import type { Preparation } from './preparation.ts';
import { encodeFeedDay, type PreparedFeed, preparedFeedSchema } from './read-feeds.ts';

/**
 * Reads feeds for their days once for all units, one after another, and puts the service of each
 * into the store; feeds that are left out are absent. Throws a `BuildError` for an unusable feed.
 */
export async function writeFeeds(
  { clock, feeds }: DatedFeeds,
  { keyOf, store, receipts, progress }: Preparation,
): Promise<PreparedFeed[]> {
  const stage = progress.start('transit', feeds.length, 'feeds');
  const prepared: PreparedFeed[] = [];
  for (const [i, { day, ...file }] of feeds.entries()) {
    stage.at(i);
    if (day === null) continue;
    const feed = { ...file, day };
    const key = keyOf([clock, feed.day, feed.sha256, feed.patterns, path.basename(feed.path)]);
    const make = () => prepareFeed(feed, clock, store, progress);
    prepared.push(await receipts.findOrMake('feed', key, preparedFeedSchema, make));
  }
  const trips = prepared.reduce((sum, { facts }) => sum + facts.trips_in_window, 0);
  stage.finish(
    `${counted(prepared.length, 'feed')}, ${counted(trips, 'trip')} in the window of ${isoDate(clock.common)}`,
  );
  return prepared;
}

async function prepareFeed(
  file: FeedOfDay,
  clock: TransitClock,
  store: WritableStore,
  progress: Progress,
): Promise<PreparedFeed> {
  const feed = await readFeed(file.path);
  try {
    const { feedDay, facts } = await readFeedDay(feed, file, clock);
    feed.report.noteProblems(file.path, progress);
    const { trips_by_phone, trips_in_window } = facts;
    if (trips_by_phone > 0) {
      progress.note(
        `${file.path}: ${trips_by_phone} of ${trips_in_window} trips have calls that must be booked by phone; they count as scheduled`,
      );
    }
    const ref = await putObject(store, 'prepared/feed', 'json', encodeFeedDay(feedDay));
    return { facts, cells: cellsOf(feedDay), feedDay: ref };
  } finally {
    feed.source.close();
  }
}

function cellsOf({ stops }: FeedDay): number[] {
  const points = stops.flatMap((stop) => [stop, ...stop.entrances]);
  const cells = new Set(points.map(({ lon, lat }) => COARSE_CELLS.at(lon, lat)));
  return [...cells].sort((a, b) => a - b);
}
