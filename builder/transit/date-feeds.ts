import { EVERYWHERE } from '../../shards/geometry/wgs84.ts';
import type { FeedFacts } from '../../shards/release/manifest.ts';
import { BuildError } from '../errors.ts';
import { type FeedOutline, readFeedOutline } from '../gtfs/feed-outline.ts';
import { chooseServiceDays } from '../gtfs/service-day.ts';
import type { ServiceDate, ServiceDay } from '../gtfs/service-time.ts';
import { fingerprint } from '../inputs/fingerprint.ts';
import type { Progress } from '../progress.ts';
import { clockOf, type TransitClock } from './transit-clock.ts';

/** A feed and the day it is read for. */
interface DatedFeed {
  readonly path: string;
  /** The `fingerprint` of the feed. */
  readonly sha256: string;
  /** The service day; null if the feed is left out, as another version of a feed that is read. */
  readonly day: ServiceDate | null;
  readonly patterns: FeedFacts['weekday_patterns'];
}

/** Feeds, each with its day, and their common clock. */
export interface DatedFeeds {
  readonly clock: TransitClock;
  readonly feeds: readonly DatedFeed[];
}

/**
 * Chooses the service day of each feed, considering all feeds. `near` is the day of the street
 * data; `area` contains all origins. Throws a `BuildError` for an unusable feed.
 */
export async function dateFeeds(
  paths: readonly string[],
  askedDate: ServiceDate | null,
  near: ServiceDay,
  progress: Progress,
  area = EVERYWHERE,
): Promise<DatedFeeds> {
  const digests = await distinctFeeds(paths);
  const feeds: FeedOutline[] = [];
  for (const path of paths) feeds.push(await readFeedOutline(path));
  const { common, byFeed, patterns } = chooseServiceDays(feeds, askedDate, near, progress);
  return {
    clock: clockOf(feeds, common, area),
    feeds: paths.map((path, i) => ({
      path,
      sha256: digests[i],
      day: byFeed[i],
      patterns: patterns[i],
    })),
  };
}

/**
 * Returns the digests of feeds. Throws a `BuildError` if a feed is given twice, since its trips
 * would run twice.
 */
async function distinctFeeds(paths: readonly string[]): Promise<string[]> {
  const digests: string[] = [];
  for (const feed of paths) {
    const digest = await fingerprint(feed);
    const known = digests.indexOf(digest);
    if (known !== -1) {
      throw new BuildError(`${feed}: is the same feed as ${paths[known]}; give it only once`);
    }
    digests.push(digest);
  }
  return digests;
}
