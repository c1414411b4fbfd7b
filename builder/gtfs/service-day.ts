import { BuildError } from '../errors.ts';
import type { Progress } from '../progress.ts';
import type { Feed } from './feed.ts';
import { dateOf, dayNumber, isoDate, type ServiceDate, weekdayOf } from './service-time.ts';

/** On which day each feed is read. */
export interface ServiceDays {
  /** The day the release stands for. */
  readonly common: ServiceDate;
  /** The day of each feed: `common` where it runs then. */
  readonly byFeed: readonly ServiceDate[];
}

const SATURDAY = 5;

/**
 * Chooses the service day: the one asked for, or else the weekday on which most feeds run, and of
 * those the one with most trips, and of those the first. A feed that does not run then is read on
 * its own most representative weekday: of those with its commonest number of trips, the first.
 * Throws a `BuildError` that names a feed without any weekday service, or a day asked for on which
 * none runs at all.
 */
export function chooseServiceDays(
  feeds: readonly Feed[],
  asked: ServiceDate | null,
  progress: Progress,
): ServiceDays {
  const tripsByDay = feeds.map((feed) => {
    const days = [...feed.calendar.tripsByDay(feed.tripsOfService)];
    return new Map(days.filter(([day]) => weekdayOf(day) < SATURDAY || day === dayOf(asked)));
  });
  feeds.forEach(({ source }, i) => {
    if ([...tripsByDay[i].keys()].every((day) => weekdayOf(day) >= SATURDAY)) {
      throw new BuildError(
        `${source.path}: no trip runs on any weekday; leave the feed out, or fetch a current one`,
      );
    }
  });
  const common = asked ?? dateOf(busiestDay(tripsByDay));
  if (!tripsByDay.some((days) => days.has(dayNumber(common)))) {
    const days = tripsByDay.flatMap((trips) => [...trips.keys()]).sort((a, b) => a - b);
    throw new BuildError(
      `no feed runs on ${isoDate(common)}; there is service from ${isoDate(dateOf(days[0]))} to ${isoDate(dateOf(days[days.length - 1]))}`,
    );
  }
  const byFeed = feeds.map(({ source, agency }, i) => {
    if (tripsByDay[i].has(dayNumber(common))) return common;
    const own = dateOf(representativeDay(tripsByDay[i]));
    progress.note(
      `WARNING: ${source.path} (${agency}) has no service on ${isoDate(common)}; it is read on its own most representative weekday, ${isoDate(own)}`,
    );
    return own;
  });
  return { common, byFeed };
}

function dayOf(date: ServiceDate | null): number | null {
  return date === null ? null : dayNumber(date);
}

function busiestDay(tripsByDay: readonly ReadonlyMap<number, number>[]): number {
  const totals = new Map<number, { feeds: number; trips: number }>();
  for (const days of tripsByDay) {
    for (const [day, trips] of days) {
      const total = totals.get(day) ?? { feeds: 0, trips: 0 };
      totals.set(day, { feeds: total.feeds + 1, trips: total.trips + trips });
    }
  }
  const [[day]] = [...totals].sort(
    ([dayA, a], [dayB, b]) => b.feeds - a.feeds || b.trips - a.trips || dayA - dayB,
  );
  return day;
}

function representativeDay(days: ReadonlyMap<number, number>): number {
  const weekdays = [...days].filter(([day]) => weekdayOf(day) < SATURDAY);
  const daysWith = new Map<number, number>();
  for (const [, trips] of weekdays) daysWith.set(trips, (daysWith.get(trips) ?? 0) + 1);
  const [[commonest]] = [...daysWith].sort(([tripsA, a], [tripsB, b]) => b - a || tripsB - tripsA);
  return Math.min(...weekdays.filter(([, trips]) => trips === commonest).map(([day]) => day));
}
