import type { Feed } from './feed.ts';
import { isWeekday, type ServiceDay } from './service-time.ts';

const WEEK = 7;

/** Weekdays, Monday to Friday, on which one and the same service runs. */
export interface WeekdayPattern {
  /** Ascending. */
  readonly days: readonly ServiceDay[];
  /** Those to choose from: no others of them have as many neighbours a week away that are alike. */
  readonly preferred: readonly ServiceDay[];
  readonly trips: number;
}

/** What the days of a feed are like. */
export interface FeedDays {
  /** Trips of each day that has any. */
  readonly trips: ReadonlyMap<ServiceDay, number>;
  /** Weekdays that may stand for the feed. */
  readonly ordinary: ReadonlySet<ServiceDay>;
  /** Those by what runs on them, the commonest first. */
  readonly patterns: readonly WeekdayPattern[];
}

/**
 * Finds the weekdays that may stand for a feed: of those that its `feed_info.txt` speaks for, and on
 * which no two versions of a timetable run at once, the days of the commonest pattern of trips,
 * whatever days of the week they are, and of each other pattern that some day shares with the same
 * weekday a week before and a week after, as holidays do not. Where there is none, of all weekdays.
 */
export function ordinaryDays(feed: Feed): FeedDays {
  const { calendar, tripsOfService, info } = feed;
  const trips = calendar.tripsByDay(tripsOfService);
  // Days are alike when as many trips of each line and direction run on them, whatever the names of
  // their services: a sum of a number for each trip, which its line and direction draw, tells that.
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

/** Of some days that nearest to another; of two as near the earlier. */
export function nearestDay(days: readonly ServiceDay[], to: ServiceDay): ServiceDay {
  return days.reduce((best, day) => (Math.abs(day - to) < Math.abs(best - to) ? day : best));
}
