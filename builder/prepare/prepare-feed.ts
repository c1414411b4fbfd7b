import { counted, withCommas } from '../../shards/number-words.ts';
import type { LeftOutFeed } from '../../shards/release/manifest.ts';
import { COARSE_CELLS } from '../geo/cell-set.ts';
import { readFeed } from '../gtfs/feed.ts';
import { putObject } from '../publish/put-object.ts';
import { unreadableFeed } from '../transit/accept-feeds.ts';
import { type FeedDay, readFeedDay } from '../transit/feed-day.ts';
import type { PreparationJobContext } from './preparation.ts';
import type { FeedJobSpec } from './preparation-job.ts';
import { encodeFeedDay, type PreparedFeed } from './read-feeds.ts';

/** Reads a feed for its day, and puts its service into the store; an unusable feed is left out. */
export async function prepareFeed(
  path: string,
  spec: FeedJobSpec,
  context: PreparationJobContext,
): Promise<PreparedFeed | LeftOutFeed> {
  try {
    return await readService(path, spec, context);
  } catch (error) {
    return unreadableFeed(path, spec.sha256, error);
  }
}

async function readService(
  path: string,
  { clock, ...dated }: FeedJobSpec,
  { store, note }: PreparationJobContext,
): Promise<PreparedFeed> {
  const feed = await readFeed(path);
  try {
    const { feedDay, facts } = await readFeedDay(feed, { ...dated, path }, clock);
    feed.report.noteProblems(note);
    const { trips_by_phone, trips_in_window } = facts;
    if (trips_by_phone > 0) {
      note(
        `${withCommas(trips_by_phone)} of ${counted(trips_in_window, 'trip')} must be booked by phone at some calls; they count as scheduled`,
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
