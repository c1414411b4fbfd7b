import { clock } from '../../builder/gtfs/service-time.ts';
import { localDistance } from '../../shards/geometry/wgs84.ts';
import { counted } from '../../shards/number-words.ts';
import type { Metres, Seconds } from '../../shards/units.ts';
import { type Stretch, setEstimated, stretchOf } from './adjust-speed.ts';
import type { Call, FeedDraft, Trip } from './feed-draft.ts';
import { ChangeError, type ChangeOf } from './scenario-file.ts';
import { findStop, selectTimedTrips } from './select-trips.ts';

/**
 * Leads lines along other stops: from one stop to another, or from a stop to a new end, or from a
 * new beginning. The trips keep their times up to where the new way begins, or from where it ends
 * if it has a new beginning.
 */
export function reroute(draft: FeedDraft, change: ChangeOf<'reroute'>): string[] {
  const from = change.from_stop && findStop(draft, change.from_stop, ['from_stop']);
  const to = change.to_stop && findStop(draft, change.to_stop, ['to_stop']);
  const via = change.via.map((stop, i) => findStop(draft, stop, ['via', i]));
  const trips = selectTimedTrips(draft, change);
  let changed = 0;
  for (const trip of trips) {
    const stretch = stretchOf(trip, from, to);
    if (!stretch) continue;
    changed++;
    refuseContinuous(draft, trip);
    leadAlong(draft, trip, stretch, via, { ...change, from, to });
  }
  if (changed === 0) {
    throw new ChangeError(
      from === undefined ? ['to_stop'] : ['from_stop'],
      `no trip here calls ${[from && `at ${from}`, to && `at ${to}`].filter(Boolean).join(', and then ')}; another direction may`,
    );
  }
  const without = trips.length - changed;
  return [
    `${counted(changed, 'trip')} led along ${counted(via.length, 'other stop')}${without > 0 ? `, ${without} that do not call there kept` : ''}; their shapes are left out, since they lead along the old way`,
  ];
}

/** Riders board anywhere along a shape, which the new way has not. */
function refuseContinuous(draft: FeedDraft, trip: Trip): void {
  const { routes, stopTimes } = draft.tables;
  const route = draft.routes.get(trip.route)!.record;
  const isContinuous = (value: string) => value !== '' && value !== '1';
  for (const column of ['continuous_pickup', 'continuous_drop_off']) {
    const values = [
      routes.get(route, column),
      ...trip.calls.map((call) => stopTimes.get(call.record, column)),
    ];
    if (!values.some(isContinuous)) continue;
    throw new ChangeError(
      ['route'],
      `trip ${trip.id} is boarded or left anywhere along its shape (${column}), and the new way has no shape; such lines cannot be rerouted`,
    );
  }
}

interface Way {
  readonly from?: string;
  readonly to?: string;
  readonly run_time?: Seconds;
  /** Metres per second. */
  readonly speed?: number;
  readonly dwell?: Seconds;
}

function leadAlong(
  draft: FeedDraft,
  trip: Trip,
  [first, last]: Stretch,
  via: readonly string[],
  { from, to, run_time, speed, dwell = 0 }: Way,
): void {
  const { stopTimes, trips } = draft.tables;
  const { calls } = trip;
  trip.isRetimed = true;
  for (const [i, times] of draft.filledTimes(trip).entries()) setEstimated(draft, calls[i], times);
  const kept = {
    before: from === undefined ? [] : calls.slice(0, first + 1),
    after: to === undefined ? [] : calls.slice(last),
  };
  const old = calls.slice(
    from === undefined ? 0 : first,
    to === undefined ? calls.length : last + 1,
  );
  const way = [kept.before.at(-1)?.stop, ...via, kept.after[0]?.stop].filter(
    (stop) => stop !== undefined,
  );
  if (way.length < 2 && kept.before.length + kept.after.length < 2) {
    throw new ChangeError(['via'], `leaves trip ${trip.id} with fewer than two stops`);
  }
  const stays = via.length - (from === undefined ? 1 : 0) - (to === undefined ? 1 : 0);
  const ofDwell = dwell * Math.max(0, stays);
  const usual = from === undefined || to === undefined ? calls : old;
  const running =
    run_time === undefined
      ? lengthOf(draft, way) / (speed ?? speedOf(draft, usual))
      : run_time - ofDwell;
  if (!(running >= 0) || !Number.isFinite(running)) {
    throw new ChangeError(
      ['run_time'],
      run_time === undefined
        ? `give run_time or speed: trip ${trip.id} takes no time along the old way`
        : 'is shorter than the stay at the stops (dwell)',
    );
  }
  const total = Math.round(running + ofDwell);
  const begin =
    from === undefined ? kept.after[0].arrival! - total : kept.before.at(-1)!.departure!;
  if (begin < 0) {
    throw new ChangeError(
      ['via'],
      `trip ${trip.id} would begin before its service day; give a shorter way`,
    );
  }
  const length = lengthOf(draft, way);
  const places = from === undefined ? 0 : 1;
  const made = via.map((stop, i): Call => {
    const along = length === 0 ? 0 : lengthOf(draft, way.slice(0, places + i + 1)) / length;
    const stayed = dwell * Math.max(0, from === undefined ? i - 1 : i);
    const arrival = Math.round(begin + running * along + stayed);
    const isEnd = (i === 0 && from === undefined) || (i === via.length - 1 && to === undefined);
    const call: Call = {
      record: stopTimes.make({ trip_id: trip.id, stop_id: stop, timepoint: '0' }),
      stop,
      arrival: null,
      departure: null,
    };
    draft.setTimes(call, arrival, isEnd ? arrival : arrival + dwell);
    return call;
  });
  if (from !== undefined && to !== undefined) {
    const delta = begin + total - kept.after[0].arrival!;
    for (const call of kept.after) {
      draft.setTimes(call, call.arrival! + delta, call.departure! + delta);
    }
  }
  trip.calls = [...kept.before, ...made, ...kept.after];
  shiftPeriods(draft, trip, trip.calls[0].departure! - calls[0].departure!);
  trips.set(trip.record, 'shape_id', '');
  number(draft, trip);
  for (const { record } of trip.calls) stopTimes.set(record, 'shape_dist_traveled', '');
}

/** Repetitions depart from a new first stop earlier or later, so that they keep their times. */
function shiftPeriods(draft: FeedDraft, trip: Trip, shift: Seconds): void {
  if (shift === 0) return;
  for (const { record, start, end } of draft.periodsOf(trip)) {
    if (start + shift < 0) {
      throw new ChangeError(
        ['via'],
        `trip ${trip.id} would be repeated from before its service day on; give a shorter way`,
      );
    }
    draft.tables.frequencies!.set(record, 'start_time', clock(start + shift));
    draft.tables.frequencies!.set(record, 'end_time', clock(end + shift));
  }
}

/** Numbers calls in ascending order, and leaves numbers that fit as they are. */
function number(draft: FeedDraft, { calls }: Trip): void {
  const { stopTimes } = draft.tables;
  let before = -1;
  for (const { record } of calls) {
    const text = stopTimes.get(record, 'stop_sequence');
    const has = text === '' ? Number.NaN : Number(text);
    if (!(has > before)) stopTimes.set(record, 'stop_sequence', String(before + 1));
    before = has > before ? has : before + 1;
  }
}

/** Metres in straight lines from stop to stop. */
export function lengthOf({ stops }: FeedDraft, way: readonly string[]): Metres {
  let metres = 0;
  for (let i = 1; i < way.length; i++) {
    const [a, b] = [stops.get(way[i - 1])!, stops.get(way[i])!];
    metres += localDistance(a.lon, a.lat, b.lon, b.lat);
  }
  return metres;
}

/** Metres in straight lines per second of running time. */
function speedOf(draft: FeedDraft, calls: readonly Call[]): number {
  let running = 0;
  for (let i = 1; i < calls.length; i++) running += calls[i].arrival! - calls[i - 1].departure!;
  return (
    lengthOf(
      draft,
      calls.map(({ stop }) => stop),
    ) / running
  );
}
