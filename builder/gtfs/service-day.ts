import type { FeedFacts } from '../../shards/release/manifest.ts';
import type { FeedOutline } from './feed-outline.ts';
import { type FeedDays, nearestDay, regularDays } from './ordinary-days.ts';
import {
  dateOf,
  isoDate,
  isWeekday,
  type ServiceDate,
  type ServiceDay,
  weekdayOf,
} from './service-time.ts';

/** The day on which each feed is read. */
export interface ServiceDays {
  /** The nominal day of the release. */
  readonly common: ServiceDate;
  /**
   * The day of each feed: `common` if that is an ordinary day for the feed, or was requested and
   * has service.
   */
  readonly byFeed: readonly ServiceDate[];
  /** The weekday patterns of each feed, with the pattern of the feed's own day first. */
  readonly patterns: readonly FeedFacts['weekday_patterns'][];
  /** Lines for the log about each feed's day. */
  readonly notes: readonly string[];
}

/** Maximum number of patterns reported per feed. */
const REPORTED_PATTERNS = 3;

/**
 * Returns the days of which the one nearest to the common day is a feed's own: those of its usual
 * pattern; or, if a day of a weekend is requested, the `regularDays` of that day of the week.
 */
export function ownDays(days: FeedDays, asked: ServiceDay | null): readonly ServiceDay[] {
  if (asked === null || isWeekday(asked)) return days.patterns[0]?.preferred ?? [];
  return regularDays(days, weekdayOf(asked), asked);
}

/**
 * Chooses the service days of feeds, each of which has `ownDays`. The common day is the requested
 * one, or else the day that is an ordinary weekday of most feeds; of several, the one of their
 * usual pattern, and of those the nearest to `near`. A feed for which the common day is not an
 * ordinary day is read on the nearest of its `ownDays`, and reported; a requested day need only
 * have service.
 */
export function chooseServiceDays(
  feeds: readonly FeedOutline[],
  asked: ServiceDay | null,
  near: ServiceDay,
): ServiceDays {
  const daysOf = feeds.map(({ days }) => days);
  const common = asked ?? commonDay(distinctDays(feeds), near);
  const byFeed = daysOf.map((days) => dayOf(days, common, asked));
  const patterns = feeds.map((_, i) => weekdayPatterns(daysOf[i], byFeed[i]));
  const notes = feeds.flatMap(({ path, agency }, i) => {
    const day = byFeed[i];
    const [own, ...others] = patterns[i];
    const name = `${path} (${agency})`;
    const lines: string[] = [];
    if (day !== common) {
      const why = daysOf[i].trips.has(common) ? 'no regular service' : 'no service';
      lines.push(
        `WARNING: ${name} has ${why} on ${isoDate(dateOf(common))}; using the nearest day that has its regular service, ${isoDate(dateOf(day))}`,
      );
    } else if (isWeekday(day) && !daysOf[i].ordinary.has(day)) {
      lines.push(
        `WARNING: ${name}: ${isoDate(dateOf(day))} is not one of its regular weekdays: a holiday, or a day with two timetables at once`,
      );
    }
    const also = others.map((one) => `${one.weekdays} like ${one.date} (${one.trips} trips)`);
    const alike = isWeekday(day) ? `, like ${own.weekdays} of its weekdays` : '';
    lines.push(
      `${name}: service day ${isoDate(dateOf(day))}, ${own.trips} trips${alike}${also.length > 0 ? `; unlike ${also.join(', ')}` : ''}`,
    );
    return lines;
  });
  return {
    common: dateOf(common),
    byFeed: byFeed.map(dateOf),
    patterns,
    notes,
  };
}

/** Returns the days of feeds, those of copies of a feed once, so that they have one say. */
function distinctDays(feeds: readonly FeedOutline[]): FeedDays[] {
  const distinct = new Map<string, FeedDays>();
  for (const { agencies, days } of feeds) {
    distinct.set(JSON.stringify([[...agencies].sort(), [...days.trips]]), days);
  }
  return [...distinct.values()];
}

/**
 * Returns the day that is ordinary for most feeds; of several, the one of the usual pattern of most
 * feeds, then the one preferred in most, then the one nearest to `near`.
 */
function commonDay(daysOf: readonly FeedDays[], near: ServiceDay): ServiceDay {
  const votes = new Map<ServiceDay, { ordinary: number; usual: number; preferred: number }>();
  for (const { ordinary, patterns } of daysOf) {
    const isUsual = new Set(patterns[0].days);
    const isPreferred = new Set(patterns.flatMap(({ preferred }) => preferred));
    for (const day of ordinary) {
      const vote = votes.get(day) ?? { ordinary: 0, usual: 0, preferred: 0 };
      votes.set(day, {
        ordinary: vote.ordinary + 1,
        usual: vote.usual + Number(isUsual.has(day)),
        preferred: vote.preferred + Number(isPreferred.has(day)),
      });
    }
  }
  const [[day]] = [...votes].sort(
    ([dayA, a], [dayB, b]) =>
      b.ordinary - a.ordinary ||
      b.usual - a.usual ||
      b.preferred - a.preferred ||
      Math.abs(dayA - near) - Math.abs(dayB - near) ||
      dayA - dayB,
  );
  return day;
}

function dayOf(days: FeedDays, common: ServiceDay, asked: ServiceDay | null): ServiceDay {
  if (days.ordinary.has(common) || (asked !== null && days.trips.has(asked))) return common;
  return nearestDay(ownDays(days, asked), common);
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
