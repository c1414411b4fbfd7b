import type { FeedFacts } from '../../shards/release/manifest.ts';
import { bySuitability, type FeedOutline, succeeds } from './feed-outline.ts';
import {
  type FeedDays,
  nearestDay,
  regularDays,
  SIMILAR_SHARE,
  SUSTAINED_DAYS,
} from './ordinary-days.ts';
import {
  dateOf,
  isoDate,
  isWeekday,
  type ServiceDate,
  type ServiceDay,
  weekdayOf,
} from './service-time.ts';

/** The day on which each feed is read. */
interface ServiceDays {
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

const REPORTED_PATTERNS = 3;
/** The share of the fewer ordinary days of two feeds on which versions of one may both run. */
const OVERLAP_SHARE = 1 / 2;
/** The share of the fewer lines of two feeds that versions of one have in common. */
const LINE_SHARE = 2 / 3;

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
 * one, or else the ordinary weekday on which most trips of all feeds run; of several, the one of
 * their usual pattern, and of those the nearest to `near`. A feed for which the common day is not
 * ordinary is read on the nearest of its `ownDays`, and reported; a requested day need only have
 * service.
 */
export function chooseServiceDays(
  feeds: readonly FeedOutline[],
  asked: ServiceDay | null,
  near: ServiceDay,
): ServiceDays {
  const daysOf = feeds.map(({ days }) => days);
  const common = asked ?? commonDay(feeds, near);
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

/** How well a day represents feeds, each of which counts by the trips that it usually has. */
interface Vote {
  /** Trips on the days of feeds for which it is ordinary; nearly all trips count as all. */
  readonly ordinary: number;
  /** Trips of feeds for which it is of the usual pattern. */
  readonly usual: number;
  /** Trips of feeds for which it is preferred. */
  readonly preferred: number;
}

/**
 * Returns the ordinary day with the most trips of all feeds; of several, the one of the usual
 * pattern of most, then the one preferred in most, then the one nearest to `near`. One of several
 * copies and versions of a feed has a say, the one that suits `near`. Feeds of an event of a few
 * days have none beside others.
 */
function commonDay(feeds: readonly FeedOutline[], near: ServiceDay): ServiceDay {
  const sustained = feeds.filter(({ days }) => days.ordinary.size >= SUSTAINED_DAYS);
  const votes = new Map<ServiceDay, Vote>();
  const voters = (sustained.length > 0 ? sustained : feeds).toSorted(bySuitability(near));
  const isVersion = (feed: FeedOutline, i: number) =>
    voters.slice(0, i).some((other) => areOneService(feed, other));
  for (const { days } of voters.filter((feed, i) => !isVersion(feed, i))) addVotes(votes, days);
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

function addVotes(votes: Map<ServiceDay, Vote>, { patterns }: FeedDays): void {
  const [{ trips: most }] = patterns;
  for (const [i, { days, preferred, trips }] of patterns.entries()) {
    const isPreferred = new Set(preferred);
    const regular = trips >= SIMILAR_SHARE * most ? most : trips;
    for (const day of days) {
      const vote = votes.get(day) ?? { ordinary: 0, usual: 0, preferred: 0 };
      votes.set(day, {
        ordinary: vote.ordinary + regular,
        usual: vote.usual + (i === 0 ? most : 0),
        preferred: vote.preferred + (isPreferred.has(day) ? most : 0),
      });
    }
  }
}

/** Whether two feeds have one calendar, or one is an earlier or later timetable of the lines. */
function areOneService(a: FeedOutline, b: FeedOutline): boolean {
  if (a.agencies.size !== b.agencies.size) return false;
  if ([...a.agencies].some((agency) => !b.agencies.has(agency))) return false;
  if (JSON.stringify([...a.days.trips]) === JSON.stringify([...b.days.trips])) return true;
  const days = Math.min(a.days.ordinary.size, b.days.ordinary.size);
  const both = [...a.days.ordinary].filter((day) => b.days.ordinary.has(day)).length;
  if (both > OVERLAP_SHARE * days && !succeeds(a.info, b.info) && !succeeds(b.info, a.info))
    return false;
  const shared = [...a.lines].filter((line) => b.lines.has(line)).length;
  return shared >= LINE_SHARE * Math.min(a.lines.size, b.lines.size);
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
