import type { FeedFacts } from '../../shards/release/manifest.ts';
import { BuildError } from '../errors.ts';
import type { Progress } from '../progress.ts';
import type { FeedOutline } from './feed-outline.ts';
import { type FeedDays, nearestDay } from './ordinary-days.ts';
import {
  dateOf,
  dayNumber,
  isoDate,
  isWeekday,
  type ServiceDate,
  type ServiceDay,
} from './service-time.ts';

/** The day on which each feed is read. */
export interface ServiceDays {
  /** The nominal day of the release. */
  readonly common: ServiceDate;
  /**
   * The day of each feed: `common` if that is an ordinary day for the feed, or was requested and
   * has service. Null if the feed is not read at all.
   */
  readonly byFeed: readonly (ServiceDate | null)[];
  /** The weekday patterns of each feed, with the pattern of the feed's own day first. */
  readonly patterns: readonly FeedFacts['weekday_patterns'][];
}

/** Maximum number of patterns reported per feed. */
const REPORTED_PATTERNS = 3;

/**
 * Chooses the service days. The common day is the requested one, or else the day that is an
 * ordinary weekday of most feeds; of several, the one of their most common kind, and of those the
 * nearest to `near`. A feed for which the common day is not an ordinary day is read on its own
 * nearest day of its most common kind, and reported; a requested day need only have service. Only
 * one of two versions of a feed is read. Throws a `BuildError` that names a feed without any
 * weekday service, or a requested day without any service.
 */
export function chooseServiceDays(
  feeds: readonly FeedOutline[],
  asked: ServiceDate | null,
  near: ServiceDay,
  progress: Progress,
): ServiceDays {
  const daysOf = feeds.map(({ days }) => days);
  feeds.forEach(({ path, days }) => {
    if (days.ordinary.size > 0) return;
    throw new BuildError(
      `${path}: no trip runs on any weekday; leave the feed out, or download a current one`,
    );
  });
  const systems = versionsOfFeeds(feeds);
  const common = asked === null ? commonDay(systems, daysOf, near) : dayNumber(asked);
  if (!daysOf.some(({ trips }) => trips.has(common))) refuseDay(common, daysOf);
  const byFeed = feeds.map((): ServiceDay | null => null);
  for (const versions of systems) {
    const chosen = versionFor(versions, daysOf, common);
    byFeed[chosen] = dayOf(daysOf[chosen], common, asked !== null);
    for (const other of versions) {
      if (other === chosen) continue;
      progress.note(
        `WARNING: ${feeds[other].path} is another version of ${feeds[chosen].path}, which is used for ${isoDate(dateOf(byFeed[chosen]))}; left out`,
      );
    }
  }
  const patterns = feeds.map((_, i) => weekdayPatterns(daysOf[i], byFeed[i] ?? common));
  feeds.forEach(({ path, agency }, i) => {
    const day = byFeed[i];
    if (day === null) return;
    const [, ...others] = patterns[i];
    const name = `${path} (${agency})`;
    if (day !== common) {
      const why = daysOf[i].trips.has(common) ? 'no regular service' : 'no service';
      progress.note(
        `WARNING: ${name} has ${why} on ${isoDate(dateOf(common))}; using its own nearest regular weekday, ${isoDate(dateOf(day))}`,
      );
    } else if (!daysOf[i].ordinary.has(day)) {
      progress.note(
        `WARNING: ${name}: ${isoDate(dateOf(day))} is not one of its regular weekdays: a weekend, a holiday, or a day with two timetables at once`,
      );
    }
    const also = others.map((one) => `${one.weekdays} like ${one.date} (${one.trips} trips)`);
    progress.note(
      `${name}: service day ${isoDate(dateOf(day))}, ${patterns[i][0].trips} trips, like ${patterns[i][0].weekdays} of its weekdays${also.length > 0 ? `; unlike ${also.join(', ')}` : ''}`,
    );
  });
  return {
    common: dateOf(common),
    byFeed: byFeed.map((day) => (day === null ? null : dateOf(day))),
    patterns,
  };
}

/**
 * Groups feeds, by index, that are versions of one feed according to the id in their
 * `feed_info.txt`. Versions that begin later come later.
 */
function versionsOfFeeds(feeds: readonly FeedOutline[]): number[][] {
  const systems = new Map<string, number[]>();
  feeds.forEach(({ info: { feedId } }, i) => {
    const key = feedId === null ? `file ${i}` : `feed ${feedId}`;
    systems.set(key, [...(systems.get(key) ?? []), i]);
  });
  const begins = (i: number) => feeds[i].info.firstDay ?? Math.min(...feeds[i].days.ordinary);
  return [...systems.values()].map((versions) => versions.sort((a, b) => begins(a) - begins(b)));
}

/**
 * Returns the day that is ordinary for most feeds; of several, the one of the most common kind in
 * most feeds, then the one preferred in most, then the one nearest to `near`.
 */
function commonDay(
  systems: readonly (readonly number[])[],
  daysOf: readonly FeedDays[],
  near: ServiceDay,
): ServiceDay {
  const votes = new Map<ServiceDay, { ordinary: number; commonest: number; preferred: number }>();
  for (const versions of systems) {
    const isCommonest = new Set(versions.flatMap((i) => daysOf[i].patterns[0].days));
    const isPreferred = new Set(
      versions.flatMap((i) => daysOf[i].patterns.flatMap(({ preferred }) => preferred)),
    );
    for (const day of new Set(versions.flatMap((i) => [...daysOf[i].ordinary]))) {
      // With two versions at once, each trip would run twice.
      if (versions.filter((i) => daysOf[i].trips.has(day)).length > 1) continue;
      const vote = votes.get(day) ?? { ordinary: 0, commonest: 0, preferred: 0 };
      votes.set(day, {
        ordinary: vote.ordinary + 1,
        commonest: vote.commonest + Number(isCommonest.has(day)),
        preferred: vote.preferred + Number(isPreferred.has(day)),
      });
    }
  }
  if (votes.size === 0) {
    const preferred = daysOf.flatMap(({ patterns: [commonest] }) => commonest.preferred);
    return nearestDay(preferred, near);
  }
  const [[day]] = [...votes].sort(
    ([dayA, a], [dayB, b]) =>
      b.ordinary - a.ordinary ||
      b.commonest - a.commonest ||
      b.preferred - a.preferred ||
      Math.abs(dayA - near) - Math.abs(dayB - near) ||
      dayA - dayB,
  );
  return day;
}

/**
 * Returns the last version of a feed for which a day is ordinary, or else the last that runs on
 * that day, or else the one with the nearest preferred day.
 */
function versionFor(
  versions: readonly number[],
  daysOf: readonly FeedDays[],
  day: ServiceDay,
): number {
  const claim = (i: number) => {
    const { ordinary, trips, patterns } = daysOf[i];
    if (ordinary.has(day)) return 2;
    if (trips.has(day)) return 1;
    return -Math.abs(nearestDay(patterns[0].preferred, day) - day);
  };
  return versions.reduce((best, i) => (claim(i) >= claim(best) ? i : best));
}

function dayOf({ trips, ordinary, patterns }: FeedDays, common: ServiceDay, isAsked: boolean) {
  if (ordinary.has(common) || (isAsked && trips.has(common))) return common;
  return nearestDay(patterns[0].preferred, common);
}

/** Returns the pattern of the chosen day, then the most common other patterns. */
function weekdayPatterns(
  { trips, patterns }: FeedDays,
  day: ServiceDay,
): FeedFacts['weekday_patterns'] {
  const own = patterns.find(({ days }) => days.includes(day)) ?? {
    days: [day],
    trips: trips.get(day) ?? 0,
  };
  const others = patterns.filter((pattern) => pattern !== own);
  const examples = [day, ...others.map(({ preferred }) => nearestDay(preferred, day))];
  return [own, ...others].slice(0, REPORTED_PATTERNS).map(({ days, trips }, i) => ({
    date: isoDate(dateOf(examples[i])),
    weekdays: days.length,
    trips,
  }));
}

function refuseDay(day: ServiceDay, daysOf: readonly FeedDays[]): never {
  const days = daysOf
    .flatMap(({ trips }) => [...trips.keys()])
    .filter(isWeekday)
    .sort((a, b) => a - b);
  throw new BuildError(
    `no feed has service on ${isoDate(dateOf(day))}; service runs from ${isoDate(dateOf(days[0]))} to ${isoDate(dateOf(days[days.length - 1]))}`,
  );
}
