import type { Feed } from './feed.ts';
import { isWeekday, type ServiceDay } from './service-time.ts';

const WEEK = 7;

/** Weekdays, Monday to Friday, with the same service. */
export interface WeekdayPattern {
  /** Ascending. */
  readonly days: readonly ServiceDay[];
  /** The days to choose from: those with the most similar neighbours a week away. */
  readonly preferred: readonly ServiceDay[];
  readonly trips: number;
}

/** The days of a feed, by kind. */
export interface FeedDays {
  /** Trips of each day that has any. */
  readonly trips: ReadonlyMap<ServiceDay, number>;
  /** Weekdays that are representative of the feed. */
  readonly ordinary: ReadonlySet<ServiceDay>;
  /** Those weekdays by the service they have, the most common first. */
  readonly patterns: readonly WeekdayPattern[];
}

/**
 * Finds the representative weekdays of a feed: of those within the dates of its `feed_info.txt` on
 * which no two versions of a timetable overlap, the days of the most common pattern of trips, on
 * any weekday, and of each other pattern that some day shares with the same weekday a week before
 * and a week after, which holidays do not. If there are none, they are chosen from all weekdays.
 */
export function ordinaryDays(feed: Feed): FeedDays {
  const { calendar, tripsOfService, info } = feed;
  const trips = calendar.tripsByDay(tripsOfService);
  // Days are alike when they have the same number of trips of each line and direction, whatever the
  // names of their services. They are compared by a sum over trips of a number derived from line
  // and direction.
  const kinds = calendar.tripsByDay(feed.kindOfService);
  const overlaps = calendar.overlapOfVersions(feed.tripsOfRoutes);
  const maySpeak = (day: ServiceDay) =>
    (info.firstDay === null || day >= info.firstDay) &&
    (info.lastDay === null || day <= info.lastDay) &&
    !overlaps(day);
  const neighboursAlike = (day: ServiceDay) =>
    [day - WEEK, day + WEEK].filter((other) => kinds.get(other) === kinds.get(day)).length;
  const weekdays = [...trips.keys()].filter(isWeekday);
  const speaking = weekdays.filter(maySpeak);
  const byKind = new Map<number, ServiceDay[]>();
  for (const day of speaking.length > 0 ? speaking : weekdays) {
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

/** The one of some days that is nearest to another; on a tie the earlier. */
export function nearestDay(days: readonly ServiceDay[], to: ServiceDay): ServiceDay {
  return days.reduce((best, day) => (Math.abs(day - to) < Math.abs(best - to) ? day : best));
}
