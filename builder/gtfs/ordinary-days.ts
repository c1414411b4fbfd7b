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
  /** The weekdays of `ordinary`, grouped by service, the feed's usual service first. */
  readonly patterns: readonly WeekdayPattern[];
  /** Number of trips on the weekdays with the most that recur; 0 without weekday service. */
  readonly best: number;
}

/** Days before and after the date of the streets whose service counts: a quarter of a year. */
const NEAR_DAYS = 91;

/**
 * Finds the representative weekdays of a feed. The candidates are the weekdays within the dates of
 * its `feed_info.txt` on which no two versions of a timetable overlap, without those that have a
 * weekend's service as on a holiday (`hasWeekendService`). If there are none, the candidates are
 * all weekdays without such service, or else all weekdays.
 *
 * A pattern of trips recurs if some day shares it with the same weekday a week before and a week
 * after, which a holiday does not. Days of recurring patterns are representative if they have at
 * least half the trips of the fullest, since some calendars go on for months with the few trips of
 * a forgotten service. The usual pattern is the one with the most trips, over all its days
 * together, within a quarter of a year of the representative day nearest to `near`.
 */
export function ordinaryDays(feed: Feed, near: ServiceDay): FeedDays {
  const { calendar, tripsOfService, info } = feed;
  const trips = calendar.tripsByDay(tripsOfService);
  // Days are alike when they have the same number of trips of each line and direction, whatever the
  // names of their services. They are compared by a sum over trips of a number derived from line
  // and direction.
  const kinds = calendar.tripsByDay(feed.kindOfService);
  const overlaps = calendar.overlapOfVersions(feed.tripsOfRoutes);
  const isWithinDates = (day: ServiceDay) =>
    (info.firstDay === null || day >= info.firstDay) &&
    (info.lastDay === null || day <= info.lastDay);
  const neighboursAlike = (day: ServiceDay) =>
    [day - WEEK, day + WEEK].filter((other) => kinds.get(other) === kinds.get(day)).length;
  const weekdays = [...trips.keys()].filter(isWeekday);
  const workdays = weekdays.filter((day) => !hasWeekendService(kinds, day));
  const single = workdays.filter((day) => !overlaps(day));
  const byKind = new Map<number, ServiceDay[]>();
  for (const day of firstOf(single.filter(isWithinDates), workdays, weekdays)) {
    const kind = kinds.get(day)!;
    const days = byKind.get(kind);
    if (days) days.push(day);
    else byKind.set(kind, [day]);
  }
  const all = [...byKind.values()].map((days) => {
    const most = days.reduce((so, day) => Math.max(so, neighboursAlike(day)), 0);
    const preferred = days.filter((day) => neighboursAlike(day) === most);
    return { days, preferred, trips: trips.get(days[0])!, recurs: most === 2 };
  });
  const fullest = mostTrips(all.filter(({ recurs }) => recurs));
  const full = all.filter((pattern) => 2 * pattern.trips >= fullest);
  const fullDays = full.flatMap(({ days }) => days);
  const anchor = fullDays.length > 0 ? nearestDay(fullDays, near) : near;
  const weight = ({ days, trips }: WeekdayPattern) =>
    trips * days.filter((day) => Math.abs(day - anchor) <= NEAR_DAYS).length;
  const patterns = full
    .sort(
      (a, b) =>
        weight(b) - weight(a) ||
        b.days.length - a.days.length ||
        b.trips - a.trips ||
        a.days[0] - b.days[0],
    )
    .filter(({ recurs }, i) => recurs || i === 0);
  const recurring = single.filter((day) => neighboursAlike(day) === 2);
  const best = recurring.reduce((most, day) => Math.max(most, trips.get(day)!), 0);
  return {
    trips,
    ordinary: new Set(patterns.flatMap(({ days }) => days)),
    patterns,
    best: best || mostTrips(patterns),
  };
}

function mostTrips(patterns: readonly WeekdayPattern[]): number {
  return patterns.reduce((most, { trips }) => Math.max(most, trips), 0);
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
