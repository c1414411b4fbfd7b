import { clock, type ServiceSeconds } from '../../builder/gtfs/service-time.ts';
import type { Seconds } from '../../shards/units.ts';
import { inMinutes, short } from './adjust-headway.ts';
import type { FeedDraft, Trip } from './feed-draft.ts';
import { ChangeError, type ChangeOf } from './scenario-file.ts';
import { byDays, groupTrips, passingTrips, routeInWords, type TripGroup } from './select-trips.ts';

/**
 * Gives lines another first and last departure: trips outside are removed, and the first and the
 * last trip repeated, at their headway or a given one, to fill what is missing.
 */
export function adjustSpan(draft: FeedDraft, change: ChangeOf<'adjust-span'>): string[] {
  return groupTrips(draft, change).flatMap((group) =>
    byDays(draft, group).map(({ service, ...ofDays }) => {
      const what = `${routeInWords(group.route)}${group.direction && `, direction ${group.direction}`}, service ${service}`;
      const repeated = ofDays.trips.filter(({ frequencies }) => frequencies.length > 0);
      if (repeated.length === 0) return `${what}: ${setSpan(draft, ofDays, service, change)}`;
      if (repeated.length < ofDays.trips.length) {
        throw new ChangeError(
          ['route'],
          `${what}: some trips are repeated by frequencies.txt and others are not; choose them by direction or service`,
        );
      }
      return `${what}: ${setPeriods(draft, repeated, change)}`;
    }),
  );
}

function setSpan(
  draft: FeedDraft,
  group: TripGroup,
  service: string,
  { first, last, headway }: ChangeOf<'adjust-span'>,
): string {
  const { passes } = passingTrips(group);
  const isOutside = ({ at }: { at: number }) =>
    (first !== undefined && at < first) || (last !== undefined && at > last);
  const inside = passes.filter((pass) => !isOutside(pass));
  if (inside.length === 0) throw noneLeft(first);
  for (const { trip } of passes.filter(isOutside)) draft.removeTrip(trip);
  const times = inside.map(({ at }) => at);
  const usual = (a: number, b: number): Seconds => {
    const given = headway ?? times[b] - times[a];
    if (given > 0) return given;
    throw new ChangeError([], 'needs a headway: the trips that it extends have none');
  };
  let [added, begin, end] = [0, times[0], times.at(-1)!];
  // Copies run on all days, and on some of them the trip that they lead to does not.
  const refuseFewerDays = (member: string, { trip }: (typeof inside)[number]) => {
    if (trip.service === service) return;
    throw new ChangeError(
      [member],
      `trip ${trip.id}, from which it would extend, runs on some days of service ${service} only (${trip.service}); change each of them by service`,
    );
  };
  if (first !== undefined && first < begin) {
    refuseFewerDays('first', inside[0]);
    const every = usual(0, 1);
    for (let at = begin - every; at >= first; at -= every, added++) {
      draft.copyTrip(inside[0].trip, service, at - times[0]);
      begin = at;
    }
  }
  if (last !== undefined && last > end) {
    refuseFewerDays('last', inside.at(-1)!);
    const every = usual(times.length - 2, times.length - 1);
    for (let at = end + every; at <= last; at += every, added++) {
      draft.copyTrip(inside.at(-1)!.trip, service, at - times.at(-1)!);
      end = at;
    }
  }
  return `from ${short(begin)} to ${short(end)}; ${added} trips added, ${passes.length - inside.length} removed`;
}

function noneLeft(first: ServiceSeconds | undefined): ChangeError {
  const member = first === undefined ? 'last' : 'first';
  return new ChangeError([member], 'would leave no trip; remove-route drops a line');
}

/** Cuts and extends the periods of trips that are repeated by headway. */
function setPeriods(
  draft: FeedDraft,
  trips: readonly Trip[],
  { first, last, headway }: ChangeOf<'adjust-span'>,
): string {
  const table = draft.tables.frequencies!;
  const periods = trips
    .flatMap((trip) => draft.periodsOf(trip).map((period) => ({ trip, ...period })))
    .sort((a, b) => a.start - b.start);
  const [begin, end] = [
    first ?? periods[0].start,
    last ?? Math.max(...periods.map(({ end }) => end)),
  ];
  // `last` is inclusive, and periods end before a departure at their end.
  const closing = (exact: boolean) => (exact && last !== undefined ? end + 1 : end);
  const inside = periods.filter(
    ({ exact, ...period }) => period.start < closing(exact) && period.end > begin,
  );
  if (inside.length === 0) throw noneLeft(first);
  const lastEnd = Math.max(...inside.map(({ end }) => end));
  for (const trip of trips) {
    const own = inside.filter((period) => period.trip === trip);
    trip.frequencies = own.flatMap(({ record, start, end: until, headway: usual, exact }) => {
      const end = closing(exact);
      // An earlier start of exact departures keeps those that follow.
      const back =
        exact && start > begin ? Math.floor((start - begin) / usual) * usual : start - begin;
      const ahead = exact
        ? Math.max(0, Math.ceil((begin - start) / usual)) * usual
        : Math.max(0, begin - start);
      const isFirst = start === inside[0].start;
      const isLast = until === lastEnd;
      const from =
        start < begin ? start + ahead : isFirst && headway === undefined ? start - back : start;
      const to = until > end || (isLast && headway === undefined) ? end : until;
      if (from < to) {
        table.set(record, 'start_time', clock(from));
        table.set(record, 'end_time', clock(to));
      }
      const more = (from: number, to: number) =>
        from < to && headway !== undefined
          ? [
              table.copy(record, {
                start_time: clock(from),
                end_time: clock(to),
                headway_secs: headway,
              }),
            ]
          : [];
      return [
        ...(isFirst ? more(begin, from) : []),
        ...(from < to ? [record] : []),
        ...(isLast ? more(to, end) : []),
      ];
    });
    if (trip.frequencies.length === 0) draft.removeTrip(trip);
  }
  if (trips.every(({ frequencies }) => frequencies.length === 0)) throw noneLeft(first);
  const every =
    headway === undefined ? 'at the headways next to them' : `every ${inMinutes(headway)}`;
  return `from ${short(begin)} to ${short(end)}, extended ${every}, in frequencies.txt`;
}
