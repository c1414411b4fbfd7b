import type { FeedRecord } from './gtfs-text.ts';

/** A record of `agency.txt`. */
export const AGENCY = {
  agency_id: 'A',
  agency_name: 'A to B',
  agency_url: 'https://transit.example',
  agency_timezone: 'America/New_York',
};

const WEEK = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/** A record of `calendar.txt`; `days` has a 1 for each day it runs, Monday first. */
export function service(id: string, days: string, start: number, end: number): FeedRecord {
  const flags = Object.fromEntries(WEEK.map((day, i) => [day, days[i]]));
  return { service_id: id, ...flags, start_date: start, end_date: end };
}

/** A record of `calendar_dates.txt`: the service runs on a date (1), or does not (2). */
export function exception(id: string, date: number, type: 1 | 2): FeedRecord {
  return { service_id: id, date, exception_type: type };
}

/** A day with a window that leaves out none of its trips. */
export const wholeDay = (day: string) => {
  return { day, from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
};
