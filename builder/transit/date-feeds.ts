import { EVERYWHERE } from '../../shards/geometry/wgs84.ts';
import type { FeedFacts } from '../../shards/release/manifest.ts';
import { BuildError } from '../errors.ts';
import { type FeedOutline, readFeedOutline } from '../gtfs/feed-outline.ts';
import { chooseServiceDays } from '../gtfs/service-day.ts';
import type { ServiceDate, ServiceDay } from '../gtfs/service-time.ts';
import { fingerprint } from '../inputs/fingerprint.ts';
import type { Progress } from '../progress.ts';
import { clockOf, type TransitClock } from './transit-clock.ts';

/** A feed and the day it is read on. */
export interface DatedFeed {
  readonly path: string;
  /** `fingerprint` of it. */
  readonly sha256: string;
  /** Null: it is another version of a feed that is read, and left out. */
  readonly day: ServiceDate | null;
  readonly patterns: FeedFacts['weekday_patterns'];
}

/** Feeds, each with its day, and the clock that they share. */
export interface DatedFeeds {
  readonly clock: TransitClock;
  readonly feeds: readonly DatedFeed[];
}

/**
 * Gives each feed the day it is read on, by what all of them have; `near` is the day of the street
 * data, `area` is around all who begin. Throws a `BuildError` for a feed that cannot be used.
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
      ...{ path, sha256: digests[i], day: byFeed[i], patterns: patterns[i] },
    })),
  };
}

/** Digests of feeds, which must be different ones: trips of one given twice would run twice. */
async function distinctFeeds(paths: readonly string[]): Promise<string[]> {
  const digests: string[] = [];
  for (const feed of paths) {
    const digest = await fingerprint([feed]);
    const known = digests.indexOf(digest);
    if (known !== -1) {
      throw new BuildError(`${feed}: is the same feed as ${paths[known]}; give it only once`);
    }
    digests.push(digest);
  }
  return digests;
}
