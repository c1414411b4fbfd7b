import type { FeedReport } from './feed-report.ts';
import type { FeedSource } from './feed-source.ts';
import { dayNumber, isServiceDate, type ServiceDate, weekdayOf } from './service-time.ts';
import { readTable } from './table.ts';

const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;

/** Longest stretch of days looked at: some feeds run "until 2099". */
const MAX_DAYS = 3_660;

interface Service {
  /** Bit per weekday, Monday first. */
  weekdays: number;
  firstDay: number;
  lastDay: number;
  readonly added: Set<number>;
  readonly removed: Set<number>;
}

/** On which days each service of a feed runs: `calendar.txt` and `calendar_dates.txt` together. */
export class Calendar {
  readonly #services = new Map<string, Service>();

  static async read(source: FeedSource, report: FeedReport): Promise<Calendar> {
    const calendar = new Calendar();
    await readTable(source, 'calendar.txt', ['service_id', 'start_date', 'end_date'], (row) => {
      const [start, end] = [row.text('start_date'), row.text('end_date')];
      if (!isServiceDate(start) || !isServiceDate(end)) {
        return report.add('calendar.txt', row.line, 'no valid start_date and end_date; left out');
      }
      const service = calendar.#service(row.text('service_id'));
      service.weekdays = WEEKDAYS.reduce(
        (bits, day, i) => (row.text(day) === '1' ? bits | (1 << i) : bits),
        0,
      );
      service.firstDay = dayNumber(start);
      service.lastDay = dayNumber(end);
    });
    const columns = ['service_id', 'date', 'exception_type'];
    await readTable(source, 'calendar_dates.txt', columns, (row) => {
      const date = row.text('date');
      const type = row.text('exception_type');
      if (!isServiceDate(date) || (type !== '1' && type !== '2')) {
        return report.add('calendar_dates.txt', row.line, 'no valid date or exception; left out');
      }
      const service = calendar.#service(row.text('service_id'));
      (type === '1' ? service.added : service.removed).add(dayNumber(date));
    });
    return calendar;
  }

  #service(id: string): Service {
    const known = this.#services.get(id);
    if (known) return known;
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

  runsOn(service: string, date: ServiceDate): boolean {
    return this.#runsOnDay(service, dayNumber(date));
  }

  #runsOnDay(id: string, day: number): boolean {
    const service = this.#services.get(id);
    if (!service || service.removed.has(day)) return false;
    if (service.added.has(day)) return true;
    const within = day >= service.firstDay && day <= service.lastDay;
    return within && ((service.weekdays >> weekdayOf(day)) & 1) === 1;
  }

  /** How many of these trips run on each day, days as numbers; days without any are absent. */
  tripsByDay(tripsOfService: ReadonlyMap<string, number>): Map<number, number> {
    const trips = new Map<number, number>();
    for (const [id, count] of tripsOfService) {
      const service = this.#services.get(id);
      if (!service || count === 0) continue;
      const last = Math.min(service.lastDay, service.firstDay + MAX_DAYS);
      const days = new Set(service.added);
      for (let day = service.firstDay; day <= last; day++) days.add(day);
      for (const day of days) {
        if (this.#runsOnDay(id, day)) trips.set(day, (trips.get(day) ?? 0) + count);
      }
    }
    return trips;
  }
}
