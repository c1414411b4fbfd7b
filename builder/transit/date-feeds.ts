import path from 'node:path';
import { EVERYWHERE } from '../../shards/geometry/wgs84.ts';
import type { FeedFacts, LeftOutFeed } from '../../shards/release/manifest.ts';
import { type FeedOutline, readFeedOutline } from '../gtfs/feed-outline.ts';
import { groupVersions } from '../gtfs/feed-versions.ts';
import { chooseServiceDays } from '../gtfs/service-day.ts';
import type { ServiceDate, ServiceDay } from '../gtfs/service-time.ts';
import { fingerprint } from '../inputs/fingerprint.ts';
import type { Progress } from '../progress.ts';
import { acceptFeeds, unneededFeed, unreadableFeed, withoutWeekdays } from './accept-feeds.ts';
import { clockOf, type TransitClock } from './transit-clock.ts';

/** A feed and the day it is read for. */
interface DatedFeed {
  readonly path: string;
  /** The `fingerprint` of the feed. */
  readonly sha256: string;
  readonly day: ServiceDate;
  readonly patterns: FeedFacts['weekday_patterns'];
  /** Number of trips on the feed's best ordinary weekday. */
  readonly best: number;
}

/** Feeds, each with its day, and their common clock. */
export interface DatedFeeds {
  readonly clock: TransitClock;
  /** The feeds to read, in the order given. */
  readonly feeds: readonly DatedFeed[];
  readonly leftOut: readonly LeftOutFeed[];
}

/** A feed with weekday service, before its day is chosen. */
interface ReadableFeed extends FeedOutline {
  readonly sha256: string;
}

/**
 * Chooses the service day of each feed, considering all feeds. Feeds that cannot be used, and feeds
 * whose service another has, are left out. `near` is the day of the street data; `area` contains
 * all origins. Throws a `BuildError` if no feed can be used.
 */
export async function dateFeeds(
  paths: readonly string[],
  askedDate: ServiceDate | null,
  near: ServiceDay,
  progress: Progress,
  area = EVERYWHERE,
): Promise<DatedFeeds> {
  const { feeds: readable, leftOut } = await outlineFeeds(paths, near);
  if (readable.length === 0) acceptFeeds([], leftOut, {}, progress);
  const { groups, parts } = await groupVersions(readable.map(({ sketch }) => sketch));
  const days = chooseServiceDays(readable, groups, askedDate, near, progress);
  const feeds = readable.flatMap(({ path, sha256, days: { best } }, i): DatedFeed[] => {
    const day = days.byFeed[i];
    return day === null ? [] : [{ path, sha256, day, patterns: days.patterns[i], best }];
  });
  for (const [i, whole] of parts) {
    leftOut.push(unneededFeed(readable[i], `its service is also in ${nameOf(readable[whole])}`));
  }
  for (const [i, other] of days.insteadOf) {
    const reason = `is another version of ${nameOf(readable[other])}, which is used`;
    leftOut.push(unneededFeed(readable[i], reason));
  }
  return { clock: clockOf(readable, days.common, area), feeds, leftOut };
}

/** Reads the outlines of feeds; those that have no use are left out. */
async function outlineFeeds(
  paths: readonly string[],
  near: ServiceDay,
): Promise<{ feeds: ReadableFeed[]; leftOut: LeftOutFeed[] }> {
  const known = new Map<string, string>();
  const feeds: ReadableFeed[] = [];
  const leftOut: LeftOutFeed[] = [];
  for (const file of paths) {
    const sha256 = await fingerprint(file);
    const twin = known.get(sha256);
    known.set(sha256, twin ?? file);
    if (twin !== undefined) {
      const reason = `is the same file as ${path.basename(twin)}`;
      leftOut.push(unneededFeed({ path: file, sha256 }, reason));
      continue;
    }
    try {
      const feed = { ...(await readFeedOutline(file, near)), sha256 };
      if (feed.days.ordinary.size > 0) feeds.push(feed);
      else leftOut.push(unneededFeed(feed, withoutWeekdays(feed.problems)));
    } catch (error) {
      leftOut.push(unreadableFeed(file, sha256, error));
    }
  }
  return { feeds, leftOut };
}

function nameOf({ path: feed }: FeedOutline): string {
  return path.basename(feed);
}
