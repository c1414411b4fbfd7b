import { type FeedInfo, readFeed } from './feed.ts';
import { type FeedDays, ordinaryDays } from './ordinary-days.ts';

/** What a day is chosen for a feed by: without its trips, of which all feeds together have many. */
export interface FeedOutline {
  readonly path: string;
  /** As in `Feed`. */
  readonly agency: string;
  readonly timeZone: string;
  readonly info: FeedInfo;
  readonly days: FeedDays;
  /** Trips of all days, repetitions by headway counted. */
  readonly trips: number;
}

/** Reads the outline of a feed. Throws a `BuildError` for one that cannot be used. */
export async function readFeedOutline(path: string): Promise<FeedOutline> {
  const feed = await readFeed(path);
  try {
    const { agency, timeZone, info, tripsOfService } = feed;
    const trips = [...tripsOfService.values()].reduce((sum, count) => sum + count, 0);
    return { path, agency, timeZone, info, days: ordinaryDays(feed), trips };
  } finally {
    feed.source.close();
  }
}
