import { groupBy } from '../../shards/arrays/group-by.ts';
import type { Feed } from './feed.ts';
import { isWeekday, type ServiceDay, weekdayOf } from './service-time.ts';

const WEEK = 7;

/** Weekdays, Monday to Friday, with the same service. */
interface WeekdayPattern {
  readonly days: readonly ServiceDay[];
  /**
   * The days to choose from: those for which the most neighbours, a week before and after, have the
   * same service.
   */
  readonly preferred: readonly ServiceDay[];
  readonly trips: number;
}

export interface FeedDays {
  readonly trips: ReadonlyMap<ServiceDay, number>;
  /** Days on which two versions of a timetable run. */
  readonly doubled: ReadonlySet<ServiceDay>;
  readonly ordinary: ReadonlySet<ServiceDay>;
  /** The weekdays of `ordinary`, grouped by service, the feed's usual service first. */
  readonly patterns: readonly WeekdayPattern[];
  /** Number of trips that the feed has on its best weekdays, for two weeks; 0 without any. */
  readonly best: number;
}

/** Days before and after the date of the streets whose service counts: a quarter of a year. */
const NEAR_DAYS = 91;
/** Weekdays on which service must run to be ordinary rather than an event: two weeks. */
export const SUSTAINED_DAYS = 10;
/** A smaller share of the trips of ordinary days is a service that someone forgot to end. */
const FORGOTTEN_SHARE = 1 / 5;
/** A smaller share of the trips of ordinary days near the date of the streets is odd. */
const ORDINARY_SHARE = 1 / 2;
/** Patterns that do not recur are ordinary with this share of the trips of ordinary days. */
export const SIMILAR_SHARE = 4 / 5;

/**
 * Finds the representative weekdays of a feed. The candidates are the weekdays within the dates of
 * its `feed_info.txt` on which no two versions of a timetable overlap, without those that have a
 * weekend's service as on a holiday (`hasWeekendService`). If there are none, the candidates are
 * those of all dates, then those with overlaps, then all weekdays.
 *
 * Many calendars go on for months or years with the few trips of a forgotten service. So days with
 * under a fifth of the trips that the feed has for at least two weeks are left out, and then,
 * within a quarter of a year of the day nearest to `near`, days with under half. The usual pattern
 * is the one with the most trips within that time, over all its days together. Other patterns are
 * ordinary if some day shares them with the same weekday a week before and after, which a holiday
 * does not; or, where none recurs, if they have nearly as many trips.
 */
export function ordinaryDays(feed: Feed, near: ServiceDay): FeedDays {
  const { calendar, tripsOfService, info } = feed;
  const trips = calendar.tripsByDay(tripsOfService);
  // Days are alike when they have the same number of trips of each line and direction, whatever the
  // names of their services. They are compared by a sum over trips of a number derived from line
  // and direction.
  const kinds = calendar.tripsByDay(feed.kindOfService);
  const overlaps = calendar.overlapOfVersions(feed.tripsOfRoutes);
  const onWeekends = [5, 6].map((weekday) =>
    calendar.overlapOfVersions(feed.tripsOfRoutes, 1 << weekday),
  );
  const isDoubled = (day: ServiceDay) =>
    (isWeekday(day) ? overlaps : onWeekends[weekdayOf(day) - 5])(day);
  const isWithinDates = (day: ServiceDay) =>
    (info.firstDay === null || day >= info.firstDay) &&
    (info.lastDay === null || day <= info.lastDay);
  const weekdays = [...trips.keys()].filter(isWeekday);
  const workdays = weekdays.filter((day) => !hasWeekendService(kinds, day));
  const single = workdays.filter((day) => !overlaps(day));
  const candidates = firstOf(single.filter(isWithinDates), single, workdays, weekdays);
  const tripsOn = (day: ServiceDay) => trips.get(day)!;
  const remembered = withAtLeast(FORGOTTEN_SHARE, candidates, candidates, tripsOn);
  const middle = remembered.length > 0 ? nearestDay(remembered, near) : near;
  const isNear = (day: ServiceDay) => Math.abs(day - middle) <= NEAR_DAYS;
  const days = withAtLeast(ORDINARY_SHARE, remembered, remembered.filter(isNear), tripsOn);
  const patterns = patternsOf(days, kinds, tripsOn);
  const tripsNear = (pattern: WeekdayPattern) => pattern.trips * pattern.days.filter(isNear).length;
  patterns.sort(
    (a, b) =>
      tripsNear(b) - tripsNear(a) ||
      b.days.length - a.days.length ||
      b.trips - a.trips ||
      a.days[0] - b.days[0],
  );
  const isSimilar = patterns.some(({ recurs }) => recurs)
    ? () => false
    : (pattern: WeekdayPattern) => pattern.trips >= SIMILAR_SHARE * sustained(days, tripsOn);
  const ordinary = patterns.filter((pattern, i) => i === 0 || pattern.recurs || isSimilar(pattern));
  return {
    trips,
    doubled: new Set([...trips.keys()].filter(isDoubled)),
    ordinary: new Set(ordinary.flatMap((pattern) => pattern.days)),
    patterns: ordinary,
    best: sustained(single.length > 0 ? single : candidates, tripsOn),
  };
}

type TripsOn = (day: ServiceDay) => number;

/** Returns the number of trips that a feed has on the best days of the same day of the week. */
export function bestLike({ trips }: Pick<FeedDays, 'trips'>, day: ServiceDay): number {
  const alike = [...trips.keys()].filter((other) => weekdayOf(other) === weekdayOf(day));
  return sustained(alike, (other) => trips.get(other)!);
}

/** Returns the number of trips that two weeks of weekdays have at least, or half of fewer days. */
function sustained(days: readonly ServiceDay[], tripsOn: TripsOn): number {
  const counts = Float64Array.from(days, tripsOn).sort();
  const enough = Math.min(SUSTAINED_DAYS, Math.ceil(days.length / 2));
  return counts[counts.length - enough] ?? 0;
}

/**
 * Returns the days with at least a share of the trips that some reference days have for a while.
 */
function withAtLeast(
  share: number,
  days: readonly ServiceDay[],
  reference: readonly ServiceDay[],
  tripsOn: TripsOn,
): ServiceDay[] {
  const least = share * sustained(reference, tripsOn);
  return days.filter((day) => tripsOn(day) >= least);
}

/**
 * Returns the days of one day of the week whose service is not odd, of which `near` is the nearest
 * wanted: without those on which two versions overlap, if there are others, and those that have
 * under half of the trips of such days within a quarter of a year.
 */
export function regularDays(
  { trips, doubled }: Pick<FeedDays, 'trips' | 'doubled'>,
  weekday: number,
  near: ServiceDay,
): readonly ServiceDay[] {
  const all = [...trips.keys()].filter((day) => weekdayOf(day) === weekday);
  const single = all.filter((day) => !doubled.has(day));
  const days = firstOf(single, all);
  const isNear = (day: ServiceDay) => Math.abs(day - near) <= NEAR_DAYS;
  const reference = firstOf(days.filter(isNear), days);
  return withAtLeast(ORDINARY_SHARE, days, reference, (day) => trips.get(day)!);
}

/**
 * Returns the days of a feed as if a weekend's day of the week were its weekdays: ordinary are its
 * `regularDays`, told apart by their trips, the usual number of trips first.
 */
export function daysOfWeekend(days: FeedDays, weekday: number, near: ServiceDay): FeedDays {
  const regular = regularDays(days, weekday, near);
  const tripsOn = (day: ServiceDay) => days.trips.get(day)!;
  const patterns = [...groupBy(regular, tripsOn)]
    .map(([trips, alike]) => ({ days: alike, preferred: alike, trips }))
    .sort((a, b) => b.trips * b.days.length - a.trips * a.days.length || a.days[0] - b.days[0]);
  return {
    trips: days.trips,
    doubled: days.doubled,
    ordinary: new Set(regular),
    patterns,
    best: sustained(regular, tripsOn),
  };
}

function patternsOf(
  days: readonly ServiceDay[],
  kinds: ReadonlyMap<ServiceDay, number>,
  tripsOn: TripsOn,
): (WeekdayPattern & { readonly recurs: boolean })[] {
  const neighboursAlike = (day: ServiceDay) =>
    [day - WEEK, day + WEEK].filter((other) => kinds.get(other) === kinds.get(day)).length;
  const byKind = groupBy(days, (day) => kinds.get(day)!);
  return [...byKind.values()].map((alike) => {
    const most = alike.reduce((so, day) => Math.max(so, neighboursAlike(day)), 0);
    const preferred = alike.filter((day) => neighboursAlike(day) === most);
    return { days: alike, preferred, trips: tripsOn(alike[0]), recurs: most === 2 };
  });
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
