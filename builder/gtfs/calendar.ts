import { sumCounts } from '../../shards/arrays/prefix-sums.ts';
import { BuildError } from '../errors.ts';
import type { FeedReport } from './feed-report.ts';
import type { FeedSource } from './feed-source.ts';
import { FEED_LIMITS } from './limits.ts';
import { dayNumber, type ServiceDate, type ServiceDay, weekdayOf } from './service-time.ts';
import { type Row, readTable } from './table.ts';
import { codeOf, parseServiceDate } from './values.ts';

const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;

const MONDAY_TO_FRIDAY = 0b11111;
const FIRST_DAY = dayNumber(FEED_LIMITS.firstDate);
const LAST_DAY = dayNumber(FEED_LIMITS.lastDate);

/** GTFS `exception_type`. */
const [ADDED, REMOVED] = ['1', '2'];

interface Service {
  /** One bit per weekday; Monday is the lowest. */
  weekdays: number;
  firstDay: number;
  lastDay: number;
  readonly added: Set<number>;
  readonly removed: Set<number>;
}

/**
 * The days on which each service of a feed runs, from `calendar.txt` and `calendar_dates.txt`
 * together.
 */
export class Calendar {
  readonly #services = new Map<string, Service>();
  readonly #feed: string;

  private constructor(feed: string) {
    this.#feed = feed;
  }

  static async read(source: FeedSource, report: FeedReport): Promise<Calendar> {
    const calendar = new Calendar(source.path);
    await readTable(
      source,
      report,
      'calendar.txt',
      ['service_id', 'start_date', 'end_date'],
      (row) => {
        const [start, end] = [row.text('start_date'), row.text('end_date')].map(parseServiceDate);
        if (start === null || end === null) {
          return report.add('calendar.txt', row.line, 'no valid start_date and end_date; left out');
        }
        const id = row.text('service_id');
        if (calendar.has(id)) {
          return report.add('calendar.txt', row.line, 'duplicate service_id; left out');
        }
        if (end < start) {
          const problem = 'end_date before start_date; never runs by its weekdays';
          report.add('calendar.txt', row.line, problem);
        }
        const service = calendar.#service(id);
        service.weekdays = weekdaysOf(row, report);
        service.firstDay = Math.max(dayNumber(start), FIRST_DAY);
        service.lastDay = Math.min(dayNumber(end), LAST_DAY);
      },
    );
    const columns = ['service_id', 'date', 'exception_type'];
    await readTable(source, report, 'calendar_dates.txt', columns, (row) => {
      const date = parseServiceDate(row.text('date'));
      const type = codeOf(row.text('exception_type'));
      if (date === null || (type !== ADDED && type !== REMOVED)) {
        return report.add('calendar_dates.txt', row.line, 'no valid date or exception; left out');
      }
      const day = dayNumber(date);
      if (day < FIRST_DAY || day > LAST_DAY) {
        return report.add('calendar_dates.txt', row.line, 'a date out of range; left out');
      }
      const { added, removed } = calendar.#service(row.text('service_id'));
      const [days, others] = type === ADDED ? [added, removed] : [removed, added];
      if (others.has(day)) {
        const problem = 'contradicts an earlier row of the day; left out';
        return report.add('calendar_dates.txt', row.line, problem);
      }
      days.add(day);
    });
    return calendar;
  }

  #service(id: string): Service {
    const known = this.#services.get(id);
    if (known) return known;
    if (this.#services.size === FEED_LIMITS.services) {
      throw new BuildError(
        `${this.#feed}: has more than ${FEED_LIMITS.services} services, ${id} among them; download it again`,
      );
    }
    const service = {
      weekdays: 0,
      firstDay: Number.POSITIVE_INFINITY,
      lastDay: Number.NEGATIVE_INFINITY,
      added: new Set<number>(),
      removed: new Set<number>(),
    };
    this.#services.set(id, service);
    return service;
  }

  has(service: string): boolean {
    return this.#services.has(service);
  }

  runsOn(id: string, date: ServiceDate): boolean {
    const service = this.#services.get(id);
    const day = dayNumber(date);
    if (!service || service.removed.has(day)) return false;
    return service.added.has(day) || runsRegularly(service, day);
  }

  daysOf(id: string): ServiceDay[] {
    const days = this.tripsByDay(new Map([[id, 1]]));
    return [...days.keys()];
  }

  /**
   * Counts the trips that run on each day, by day number, from the number of trips of each service.
   * Days without trips are absent. Takes time proportional to the number of services plus that of
   * days, not to their product.
   */
  tripsByDay(tripsOfService: ReadonlyMap<string, number>): Map<number, number> {
    const services = [...tripsOfService.keys()].flatMap((id) => this.#services.get(id) ?? []);
    const [first, days] = spanOf(services);
    /** Per weekday and day, the change in the number of trips on such weekdays from that day on. */
    const changes = WEEKDAYS.map(() => new Float64Array(days + 1));
    const exceptions = new Float64Array(days);
    for (const [id, count] of tripsOfService) {
      const service = this.#services.get(id);
      if (!service) continue;
      const { firstDay, lastDay, weekdays, added, removed } = service;
      for (const [weekday, ofWeekday] of changes.entries()) {
        if (firstDay > lastDay || ((weekdays >> weekday) & 1) === 0) continue;
        ofWeekday[firstDay - first] += count;
        ofWeekday[lastDay - first + 1] -= count;
      }
      for (const day of added) {
        if (!runsRegularly(service, day)) exceptions[day - first] += count;
      }
      for (const day of removed) {
        if (runsRegularly(service, day)) exceptions[day - first] -= count;
      }
    }
    const trips = new Map<number, number>();
    const running = WEEKDAYS.map(() => 0);
    for (let i = 0; i < days; i++) {
      for (let weekday = 0; weekday < WEEKDAYS.length; weekday++) {
        running[weekday] += changes[weekday][i];
      }
      const count = running[weekdayOf(first + i)] + exceptions[i];
      if (count > 0) trips.set(first + i, count);
    }
    return trips;
  }

  /**
   * Returns a test for days on which two versions of a timetable overlap by their own dates.
   * `tripsOfRoutes` has the number of trips by route, then by service; `among` the weekdays whose
   * service counts, a bit each.
   */
  overlapOfVersions(
    tripsOfRoutes: ReadonlyMap<string, ReadonlyMap<string, number>>,
    among = MONDAY_TO_FRIDAY,
  ): (day: ServiceDay) => boolean {
    /**
     * Per day, from the first on which any service can run, the change in the number of overlaps.
     */
    const changes = new Int32Array(LAST_DAY - FIRST_DAY + 2);
    for (const tripsOfService of tripsOfRoutes.values()) {
      const services = [...tripsOfService].flatMap(([id, trips]) => {
        const service = this.#services.get(id);
        return service ? [{ service, trips }] : [];
      });
      forSuccessors(services, among, (firstDay, lastDay) => {
        changes[firstDay - FIRST_DAY]++;
        changes[lastDay + 1 - FIRST_DAY]--;
      });
    }
    sumCounts(changes);
    return (day) => changes[day - FIRST_DAY] > 0;
  }
}

function weekdaysOf(row: Row, report: FeedReport): number {
  let bits = 0;
  for (const [i, day] of WEEKDAYS.entries()) {
    const runs = codeOf(row.text(day));
    if (runs === '1') bits |= 1 << i;
    else if (runs !== '0') {
      report.add('calendar.txt', row.line, `${day} neither 0 nor 1; taken as 0`);
    }
  }
  return bits;
}

/**
 * Finds successive versions among the services of one route. A service is the next version of
 * another if the two share weekdays `among` those given, it begins and ends later, and it has at
 * least half and at most twice as many trips. `overlap` is called with the first and the last day
 * on which the two overlap.
 */
function forSuccessors(
  services: readonly { readonly service: Service; readonly trips: number }[],
  among: number,
  overlap: (firstDay: ServiceDay, lastDay: ServiceDay) => void,
): void {
  const versions = new Map<string, Service & { trips: number }>();
  for (const { service, trips } of services) {
    const { firstDay, lastDay } = service;
    const weekdays = service.weekdays & among;
    if (weekdays === 0 || firstDay > lastDay) continue;
    const key = `${firstDay} ${lastDay} ${weekdays}`;
    const known = versions.get(key);
    if (known) known.trips += trips;
    else versions.set(key, { ...service, weekdays, trips });
  }
  if (versions.size > FEED_LIMITS.versions) return;
  for (const a of versions.values()) {
    for (const b of versions.values()) {
      if (b.firstDay <= a.firstDay || b.lastDay <= a.lastDay || b.firstDay > a.lastDay) continue;
      if ((a.weekdays & b.weekdays) === 0) continue;
      if (Math.max(a.trips, b.trips) > 2 * Math.min(a.trips, b.trips)) continue;
      overlap(b.firstDay, a.lastDay);
    }
  }
}

/**
 * Returns the first day on which any service may run, and the number of days to the last,
 * inclusive.
 */
function spanOf(services: readonly Service[]): [first: number, days: number] {
  let [first, last] = [LAST_DAY, FIRST_DAY];
  for (const { firstDay, lastDay, added } of services) {
    if (firstDay <= lastDay) {
      first = Math.min(first, firstDay);
      last = Math.max(last, lastDay);
    }
    for (const day of added) {
      first = Math.min(first, day);
      last = Math.max(last, day);
    }
  }
  return [first, Math.max(0, last - first + 1)];
}

/** Whether a day is one of the service's weekdays between its first and last. */
function runsRegularly({ weekdays, firstDay, lastDay }: Service, day: number): boolean {
  return day >= firstDay && day <= lastDay && ((weekdays >> weekdayOf(day)) & 1) === 1;
}
