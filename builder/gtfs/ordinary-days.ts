import type { Feed } from './feed.ts';
import { isWeekday, type ServiceDay } from './service-time.ts';

const WEEK = 7;

/** Weekdays, Monday to Friday, on which one and the same service runs, ascending. */
export interface WeekdayPattern {
  readonly days: readonly ServiceDay[];
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
 * Finds the weekdays that may stand for a feed: those that its `feed_info.txt` speaks for, on which
 * no two versions of a timetable run at once, and whose service is that of the same weekday a week
 * before and a week after, so that they are no holidays. Where there is none, one such week is
 * enough; or none; or any weekday.
 */
export function ordinaryDays(feed: Feed): FeedDays {
  const { calendar, tripsOfService, info } = feed;
  const trips = calendar.tripsByDay(tripsOfService);
  // Days are alike when as many trips of each line and direction run on them, whatever the names of
  // their services: a sum of a number for each trip, which its line and direction draw, tells that.
  const kinds = calendar.tripsByDay(feed.kindOfService);
  const overlaps = calendar.overlapOfVersions(feed.tripsOfRoutes);
  const spokenFor = (day: ServiceDay) =>
    (info.firstDay === null || day >= info.firstDay) &&
    (info.lastDay === null || day <= info.lastDay);
  const rank = (day: ServiceDay) => {
    if (!spokenFor(day) || overlaps(day)) return 0;
    const alike = [day - WEEK, day + WEEK].filter((other) => kinds.get(other) === kinds.get(day));
    return 1 + alike.length;
  };
  const weekdays = [...trips.keys()].filter(isWeekday);
  const ranks = new Map(weekdays.map((day) => [day, rank(day)]));
  const best = weekdays.reduce((most, day) => Math.max(most, ranks.get(day)!), 0);
  const ordinary = weekdays.filter((day) => ranks.get(day) === best);
  const byKind = new Map<number, ServiceDay[]>();
  for (const day of ordinary) {
    const kind = kinds.get(day)!;
    const days = byKind.get(kind);
    if (days) days.push(day);
    else byKind.set(kind, [day]);
  }
  const patterns = [...byKind.values()]
    .map((days) => ({ days, trips: trips.get(days[0])! }))
    .sort((a, b) => b.days.length - a.days.length || b.trips - a.trips || a.days[0] - b.days[0]);
  return { trips, ordinary: new Set(ordinary), patterns };
}

/** Of some days that nearest to another; of two as near the earlier. */
export function nearestDay(days: readonly ServiceDay[], to: ServiceDay): ServiceDay {
  return days.reduce((best, day) => (Math.abs(day - to) < Math.abs(best - to) ? day : best));
}
