import type { Frequency } from '../../builder/gtfs/frequencies.ts';
import { clock, type ServiceSeconds } from '../../builder/gtfs/service-time.ts';
import { groupBy } from '../../shards/arrays/group-by.ts';
import { counted } from '../../shards/number-words.ts';
import type { Seconds } from '../../shards/units.ts';
import { endOf, type FeedDraft, startOf, type Trip } from './feed-draft.ts';
import { ChangeError, type ChangeOf } from './scenario-file.ts';
import {
  byDays,
  groupTrips,
  type PassingTrips,
  passingTrips,
  patternOf,
  routeInWords,
  shared,
  type TripGroup,
} from './select-trips.ts';

type Passes = PassingTrips['passes'];

/**
 * Gives lines another headway between two times, within their span of service. Departures on the
 * new headway that exist stay as they are; the others are added and removed around them.
 */
export function adjustHeadway(draft: FeedDraft, change: ChangeOf<'adjust-headway'>): string[] {
  const { headway, from = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = change;
  const notes: string[] = [];
  for (const group of groupTrips(draft, change)) {
    const times = group.trips.map((trip) => ({ trip, periods: timesOf(draft, trip) }));
    const near = times.filter(({ periods }) =>
      periods.some((one) => one[0] < until && one[1] >= from),
    );
    const isWithin =
      times.some(({ periods }) => periods.some((one) => one[0] < from)) &&
      times.some(({ periods }) => periods.some((one) => one[0] >= until));
    // Between two times without a trip, those before and after are repeated.
    const some = near.length > 0 || !isWithin ? near : times;
    const trips = some.map(({ trip }) => trip);
    for (const { service, ...ofDays } of byDays(draft, { ...group, trips })) {
      const repeated = ofDays.trips.filter(({ frequencies }) => frequencies.length > 0);
      const what = `${routeInWords(group.route)}${group.direction && `, direction ${group.direction}`}, service ${service}`;
      if (repeated.length === 0) {
        const span = setDepartures(draft, ofDays, sameServices(group, ofDays), service, {
          headway,
          from,
          until,
        });
        if (span) notes.push(`${what}: every ${inMinutes(headway)} ${span}`);
      } else if (repeated.length < ofDays.trips.length) {
        throw new ChangeError(
          ['route'],
          `${what}: some trips are repeated by frequencies.txt and others are not, between these times; choose them by direction, service, from and until`,
        );
      } else {
        refuseTogether(draft, repeated, what, from, until);
        for (const trip of repeated) setPeriods(draft, trip, { headway, from, until });
        notes.push(`${what}: every ${inMinutes(headway)}, in frequencies.txt`);
      }
    }
  }
  if (notes.length > 0) return notes;
  throw new ChangeError(
    change.from === undefined ? ['until'] : ['from'],
    'no trip runs between these times; adjust-span extends the times of service',
  );
}

interface Schedule {
  readonly headway: Seconds;
  readonly from: ServiceSeconds;
  readonly until: ServiceSeconds;
}

/** The first and the last time at which a trip, or each period of its repetitions, is under way. */
function timesOf(draft: FeedDraft, trip: Trip): [ServiceSeconds, ServiceSeconds][] {
  if (trip.frequencies.length === 0) return [[startOf(trip), endOf(trip)]];
  return draft.periodsOf(trip).map(({ start, end }) => [start, end]);
}

/**
 * Sets the departures between two times at the first stop that all trips have; returns their times
 * in words, or null if there is nothing to change. They are of the service of all days of the
 * group, before its first and after its last trip of those that run then.
 */
function setDepartures(
  draft: FeedDraft,
  group: TripGroup,
  ofServices: readonly Trip[],
  service: string,
  { headway, from, until }: Schedule,
): string | null {
  const { stop, passes } = passingTrips(group);
  const [first, last] = spanAt(stop, ofServices);
  const inside = passes.filter(({ at }) => at >= from && at < until);
  const [begin, end] = [Math.max(from, first), Math.min(until, last + 1)];
  if (begin >= end) return null;
  const anchor = inside[0]?.at ?? begin;
  const times: ServiceSeconds[] = [];
  for (
    let at = anchor - Math.floor((anchor - begin) / headway) * headway;
    at < end;
    at += headway
  ) {
    times.push(at);
  }
  const spans = spansOf(draft, stop, ofServices, service);
  const kept = new Set<Trip>();
  let added = 0;
  for (const { at, template } of templatesAt(times, inside.length > 0 ? inside : passes)) {
    for (const one of servicesAt(draft, spans, at)) {
      if (template.at === at && template.trip.service === one && inside.includes(template)) {
        kept.add(template.trip);
        continue;
      }
      draft.copyTrip(template.trip, one, at - template.at);
      added++;
    }
  }
  for (const { trip } of inside) if (!kept.has(trip)) draft.removeTrip(trip);
  const at = draft.stops.get(stop)?.name ?? stop;
  return `from ${short(times[0])} to ${short(times.at(-1)!)} at ${at}; ${counted(kept.size, 'trip')} kept, ${added} added, ${inside.length - kept.size} removed`;
}

/** A service, with its first and its last time at a stop. */
interface ServiceSpan {
  readonly service: string;
  readonly first: ServiceSeconds;
  readonly last: ServiceSeconds;
}

/** The services of trips: the main one, of all days, then those of fewer and fewer days. */
function spansOf(
  draft: FeedDraft,
  stop: string,
  trips: readonly Trip[],
  main: string,
): ServiceSpan[] {
  const days = (service: string) =>
    service === main ? Number.POSITIVE_INFINITY : draft.daysOf(service).size;
  return [...groupBy(trips, ({ service }) => service)]
    .sort(([a], [b]) => days(b) - days(a))
    .map(([service, own]) => {
      const [first, last] = spanAt(stop, own);
      return { service, first, last };
    });
}

/** The services that have begun by a time, and not ended, each for other days. */
function servicesAt(
  draft: FeedDraft,
  [main, ...others]: readonly ServiceSpan[],
  at: ServiceSeconds,
): string[] {
  if (at >= main.first && at <= main.last) return [main.service];
  const chosen: string[] = [];
  for (const { service, first, last } of others) {
    const days = draft.daysOf(service);
    const isUnderWay = at < main.first ? first <= at : last >= at;
    if (isUnderWay && chosen.every((one) => shared(draft.daysOf(one), days) === 0)) {
      chosen.push(service);
    }
  }
  return chosen;
}

/** The trips of a group, at any time, whose services are among those of others. */
function sameServices({ trips }: TripGroup, others: TripGroup): Trip[] {
  const services = new Set(others.trips.map(({ service }) => service));
  return trips.filter(({ service }) => services.has(service));
}

function spanAt(stop: string, trips: readonly Trip[]): [ServiceSeconds, ServiceSeconds] {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { calls } of trips) {
    const at = calls.find((call) => call.stop === stop)?.departure ?? null;
    if (at === null) continue;
    first = Math.min(first, at);
    last = Math.max(last, at);
  }
  return [first, last];
}

/**
 * Chooses the trip to run at each time: patterns keep their shares of the trips, and of a pattern
 * the trip nearest in time is taken, since running times follow the time of day.
 */
function* templatesAt(times: readonly ServiceSeconds[], passes: Passes) {
  const patterns = [...groupBy(passes, ({ trip }) => patternOf(trip)).values()];
  const given = patterns.map(() => 0);
  for (const [k, at] of times.entries()) {
    let next = 0;
    let most = Number.NEGATIVE_INFINITY;
    for (const [i, { length }] of patterns.entries()) {
      const owed = (length * (k + 1)) / passes.length - given[i];
      if (owed > most + 1e-9) [next, most] = [i, owed];
    }
    given[next]++;
    yield { at, template: nearest(patterns[next], at) };
  }
}

function nearest(passes: Passes, at: ServiceSeconds): Passes[number] {
  return passes.reduce((best, one) =>
    Math.abs(one.at - at) < Math.abs(best.at - at) ? one : best,
  );
}

/** Refuses trips whose repetitions are mixed, since a headway of the line is not that of each. */
function refuseTogether(
  draft: FeedDraft,
  trips: readonly Trip[],
  what: string,
  from: ServiceSeconds,
  until: ServiceSeconds,
): void {
  const periods = trips
    .flatMap((trip) => draft.periodsOf(trip).map((period) => ({ trip, ...period })))
    .filter(({ start, end }) => start < until && end > from)
    .sort((a, b) => a.start - b.start);
  for (const [i, period] of periods.slice(1).entries()) {
    if (period.start >= periods[i].end || period.trip === periods[i].trip) continue;
    throw new ChangeError(
      ['route'],
      `${what}: trips ${periods[i].trip.id} and ${period.trip.id} are repeated by frequencies.txt at the same time, so the headway of the line is that of no trip; choose one by direction, service, from and until`,
    );
  }
}

/** Gives the repetitions of a trip between two times another headway. */
function setPeriods(draft: FeedDraft, trip: Trip, { headway, from, until }: Schedule): void {
  const table = draft.tables.frequencies!;
  trip.frequencies = draft.periodsOf(trip).flatMap((period) => {
    const { record, start, end } = period;
    if (end <= from || start >= until || period.headway === headway) return [record];
    const parts = [
      { start, end: Math.min(end, from), headway: period.headway },
      { start: departureFrom(period, from), end: Math.min(end, until), headway },
      { start: departureFrom(period, until), end, headway: period.headway },
    ];
    const used = parts.filter((part) => part.start < part.end);
    return used.map((part, i) => {
      const made = i === 0 ? record : table.copy(record);
      table.set(made, 'start_time', clock(part.start));
      table.set(made, 'end_time', clock(part.end));
      table.set(made, 'headway_secs', String(part.headway));
      return made;
    });
  });
}

/**
 * The first time from `at` on at which a period may begin: if its departures are exact, that of
 * one, so that later ones stay.
 */
function departureFrom({ start, headway, exact }: Frequency, at: ServiceSeconds): ServiceSeconds {
  if (at <= start) return start;
  return exact ? start + Math.ceil((at - start) / headway) * headway : at;
}

/** A duration in words: `10 min`, `90 s`. */
export function inMinutes(seconds: Seconds): string {
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}

/** A time of day without its seconds, if they are 0. */
export function short(seconds: ServiceSeconds): string {
  return clock(seconds).replace(/:00$/, '');
}
