import type { Feed } from './feed.ts';
import { isWeekday, type ServiceDay } from './service-time.ts';

const WEEK = 7;

/** Weekdays, Monday to Friday, with the same service. */
interface WeekdayPattern {
  /** The weekdays, ascending. */
  readonly days: readonly ServiceDay[];
  /**
   * The days to choose from: those for which the most neighbours, a week before and after, have the
   * same service.
   */
  readonly preferred: readonly ServiceDay[];
  readonly trips: number;
}

/** The days of a feed, by kind. */
export interface FeedDays {
  /** Number of trips on each day that has any. */
  readonly trips: ReadonlyMap<ServiceDay, number>;
  /** Weekdays that are representative of the feed. */
  readonly ordinary: ReadonlySet<ServiceDay>;
  /** The weekdays of `ordinary`, grouped by service, the most common first. */
  readonly patterns: readonly WeekdayPattern[];
}

/**
 * Finds the representative weekdays of a feed. The candidates are the weekdays within the dates of
 * its `feed_info.txt` on which no two versions of a timetable overlap, without those that have a
 * weekend's service as on a holiday (`hasWeekendService`). If there are none, the candidates are
 * all weekdays without such service, or else all weekdays. Days of the most common pattern of trips
 * are representative, and days of each other pattern that some day shares with the same weekday a
 * week before and a week after, which a holiday does not.
 */
export function ordinaryDays(feed: Feed): FeedDays {
  const { calendar, tripsOfService, info } = feed;
  const trips = calendar.tripsByDay(tripsOfService);
  // Days are alike when they have the same number of trips of each line and direction, whatever the
  // names of their services. They are compared by a sum over trips of a number derived from line
  // and direction.
  const kinds = calendar.tripsByDay(feed.kindOfService);
  const overlaps = calendar.overlapOfVersions(feed.tripsOfRoutes);
  const isCandidate = (day: ServiceDay) =>
    (info.firstDay === null || day >= info.firstDay) &&
    (info.lastDay === null || day <= info.lastDay) &&
    !overlaps(day);
  const neighboursAlike = (day: ServiceDay) =>
    [day - WEEK, day + WEEK].filter((other) => kinds.get(other) === kinds.get(day)).length;
  const weekdays = [...trips.keys()].filter(isWeekday);
  const workdays = weekdays.filter((day) => !hasWeekendService(kinds, day));
  const byKind = new Map<number, ServiceDay[]>();
  for (const day of firstOf(workdays.filter(isCandidate), workdays, weekdays)) {
    const kind = kinds.get(day)!;
    const days = byKind.get(kind);
    if (days) days.push(day);
    else byKind.set(kind, [day]);
  }
  const patterns = [...byKind.values()]
    .map((days) => {
      const most = days.reduce((so, day) => Math.max(so, neighboursAlike(day)), 0);
      const preferred = days.filter((day) => neighboursAlike(day) === most);
      return { days, preferred, trips: trips.get(days[0])!, recurs: most === 2 };
    })
    .sort((a, b) => b.days.length - a.days.length || b.trips - a.trips || a.days[0] - b.days[0])
    .filter(({ recurs }, i) => recurs || i === 0);
  return { trips, ordinary: new Set(patterns.flatMap(({ days }) => days)), patterns };
}

/**
 * Whether a weekday has the service of a weekend day within a week of it, as on a holiday, while
 * most weekdays around it do not.
 */
function hasWeekendService(kinds: ReadonlyMap<ServiceDay, number>, day: ServiceDay): boolean {
  const around = Array.from({ length: 2 * WEEK + 1 }, (_, i) => day - WEEK + i).filter(
    (other) => other !== day && kinds.has(other),
  );
  const isAlike = (other: ServiceDay) => kinds.get(other) === kinds.get(day);
  const weekdays = around.filter(isWeekday);
  const isOnWeekend = around.some((other) => !isWeekday(other) && isAlike(other));
  return isOnWeekend && weekdays.filter(isAlike).length < weekdays.length / 2;
}

function firstOf(...lists: readonly (readonly ServiceDay[])[]): readonly ServiceDay[] {
  return lists.find((days) => days.length > 0) ?? [];
}

/** Returns the day of a list that is nearest to a given day; on a tie, the one listed first. */
export function nearestDay(days: readonly ServiceDay[], to: ServiceDay): ServiceDay {
  return days.reduce((best, day) => (Math.abs(day - to) < Math.abs(best - to) ? day : best));
}
