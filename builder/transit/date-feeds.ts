import path from 'node:path';
import { boxesMeet, bufferBox, EVERYWHERE } from '../../shards/geometry/wgs84.ts';
import { counted } from '../../shards/number-words.ts';
import type { LeftOutFeed } from '../../shards/release/manifest.ts';
import { BASE_WINDOW, type DepartureWindow } from '../../shards/services.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { type FeedOutline, readFeedOutline } from '../gtfs/feed-outline.ts';
import { bestLike, daysOfWeekend } from '../gtfs/ordinary-days.ts';
import { chooseServiceDays, ownDays } from '../gtfs/service-day.ts';
import { dayNumber, isoDate, isWeekday, type ServiceDay } from '../gtfs/service-time.ts';
import { fingerprint } from '../inputs/fingerprint.ts';
import {
  noneUsable,
  noService,
  unneededFeed,
  unreadableFeed,
  withoutService,
} from './accept-feeds.ts';
import type { FeedOfDay } from './feed-day.ts';
import { findRepeatedRoutes } from './repeated-routes.ts';
import { clockOf, FARTHEST_RIDE, type TransitClock } from './transit-clock.ts';

/** Feeds, each with its day, and their common clock. */
export interface DatedFeeds {
  readonly clock: TransitClock;
  /** The feeds to read, in the order given. */
  readonly feeds: readonly FeedOfDay[];
  readonly leftOut: readonly LeftOutFeed[];
  /** Lines for the log about the feeds' days and routes. */
  readonly notes: readonly string[];
}

/** A feed with `ownDays`, before its day is chosen. */
interface ReadableFeed extends FeedOutline {
  readonly sha256: string;
}

/** A request for the service day of a release. */
export interface DayRequest {
  /** The requested day, which may be of a weekend; null to choose an ordinary weekday. */
  readonly asked: ServiceDay | null;
  /** The day that an ordinary weekday must be near: the requested one, or that of the streets. */
  readonly near: ServiceDay;
}

/** Feeds whose days are to be chosen, and those that are left out. */
export interface OutlinedFeeds extends DayRequest {
  /** An area that contains all origins. */
  readonly area: BoundingBox;
  readonly feeds: readonly ReadableFeed[];
  /** Feeds that are left out only since no trip runs on such a day. */
  readonly onOtherDays: readonly ReadableFeed[];
  readonly leftOut: readonly LeftOutFeed[];
}

/** Days of the weekend as `weekdayOf` numbers them. */
const WEEKDAY_OF = { saturday: 5, sunday: 6 } as const;

/**
 * Returns what is to be chosen for a window of departures on a day of the weekend: the ordinary one
 * of each feed that is nearest to the common day of the release.
 */
export function onWeekend(
  outlined: OutlinedFeeds,
  day: keyof typeof WEEKDAY_OF,
  common: ServiceDay,
): OutlinedFeeds {
  const days = [...outlined.feeds, ...outlined.onOtherDays].map((feed) => {
    return { ...feed, days: daysOfWeekend(feed.days, WEEKDAY_OF[day], common) };
  });
  const feeds = days.filter(({ days: { ordinary } }) => ordinary.size > 0);
  return { ...outlined, asked: null, near: common, feeds, onOtherDays: [], leftOut: [] };
}

/**
 * Chooses the service day of each feed, considering all feeds. Feeds whose service another has are
 * left out. Throws a `BuildError` if there are no feeds, or none has service on the requested day.
 */
export async function dateFeeds(
  outlined: OutlinedFeeds,
  window: DepartureWindow = BASE_WINDOW,
): Promise<DatedFeeds> {
  const { asked, near, area, feeds: readable } = outlined;
  const leftOut = [...outlined.leftOut];
  if (readable.length === 0) throw noneUsable(leftOut);
  if (asked !== null && !readable.some(({ days }) => days.trips.has(asked))) {
    throw noService(asked, readable, leftOut);
  }
  const { common, byFeed, patterns, ...chosen } = chooseServiceDays(readable, asked, near);
  const notes = [...chosen.notes];
  const clock = clockOf(readable, common, area, window);
  const repeated = await findRepeatedRoutes(
    readable.map((outline, i) => ({ outline, day: byFeed[i] })),
    clock,
    asked ?? near,
  );
  const feeds = readable.flatMap((feed, i): FeedOfDay[] => {
    const { readFrom, isAll } = repeated.get(i) ?? { readFrom: new Map(), isAll: false };
    const others = [...new Set(readFrom.values())].sort((a, b) => a - b);
    if (isAll) {
      const where = others.map(
        (other) => `${nameOf(readable[other])}, which is read for ${isoDate(byFeed[other])}`,
      );
      leftOut.push(unneededFeed(feed, `its service is also in ${where.join(', and in ')}`));
      return [];
    }
    const without = [...readFrom]
      .map(([route, other]) => [route, nameOf(readable[other])] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    for (const other of others) {
      const routes = without.filter(([route]) => readFrom.get(route) === other);
      const ids = routes.slice(0, 3).map(([route]) => route);
      const what = `${counted(routes.length, 'route is', 'routes are')} read from ${nameOf(readable[other])}, which has ${routes.length === 1 ? 'it' : 'them'}, too: ${ids.join(', ')}${routes.length > 3 ? ', …' : ''}`;
      notes.push(
        byFeed[other] === byFeed[i]
          ? `${feed.path}: ${what}`
          : `WARNING: ${feed.path}: ${what}; its other routes are read for ${isoDate(byFeed[i])}: leave the file out if it is out of date`,
      );
    }
    const { path, sha256, days } = feed;
    const own = dayNumber(byFeed[i]);
    const best = isWeekday(own) ? days.best : bestLike(days, own);
    const dated = { path, sha256, day: byFeed[i], patterns: patterns[i], best };
    return [{ ...dated, without }];
  });
  return { clock, feeds, leftOut, notes };
}

/** Reads the outlines of feeds; those that have no use in an area are left out. */
export async function outlineFeeds(
  paths: readonly string[],
  { asked, near }: DayRequest,
  area = EVERYWHERE,
): Promise<OutlinedFeeds> {
  const known = new Map<string, string>();
  const feeds: ReadableFeed[] = [];
  const onOtherDays: ReadableFeed[] = [];
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
      if (ownDays(feed.days, asked).length === 0) {
        leftOut.push(withoutService(feed, asked));
        if (isWithinReach(feed, area)) onOtherDays.push(feed);
      } else if (!isWithinReach(feed, area)) {
        const kilometres = FARTHEST_RIDE / 1000;
        const reason = `has no stop within ${kilometres} km of the blocks; check the coordinates of its stops`;
        leftOut.push(unneededFeed(feed, reason));
      } else feeds.push(feed);
    } catch (error) {
      leftOut.push(await unreadableFeed(file, sha256, error));
    }
  }
  return { asked, near, area, feeds, onOtherDays, leftOut };
}

/** Whether any stop of a feed may be reached from an area. */
function isWithinReach({ zones }: FeedOutline, area: BoundingBox): boolean {
  const reach = bufferBox(area, FARTHEST_RIDE);
  return [...zones.values()].some((box) => boxesMeet(box, reach));
}

function nameOf({ path: feed }: FeedOutline): string {
  return path.basename(feed);
}
