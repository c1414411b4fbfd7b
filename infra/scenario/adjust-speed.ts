import type { ServiceSeconds } from '../../builder/gtfs/service-time.ts';
import { counted } from '../../shards/number-words.ts';
import type { Seconds } from '../../shards/units.ts';
import type { Call, FeedDraft, Trip } from './feed-draft.ts';
import { ChangeError, type ChangeOf } from './scenario-file.ts';
import { findStop, selectTimedTrips } from './select-trips.ts';

/**
 * Changes the running times of lines, along the whole way or between two stops. Trips leave where
 * the change begins when they did, and stay at each stop as long; calls without times stay blank.
 */
export function adjustSpeed(draft: FeedDraft, change: ChangeOf<'adjust-speed'>): string[] {
  const from = change.from_stop && findStop(draft, change.from_stop, ['from_stop']);
  const to = change.to_stop && findStop(draft, change.to_stop, ['to_stop']);
  const trips = selectTimedTrips(draft, change);
  let changed = 0;
  for (const trip of trips) {
    const stretch = stretchOf(trip, from, to);
    if (!stretch || stretch[0] === stretch[1]) continue;
    changed++;
    trip.isRetimed = true;
    timeEnds(draft, trip, stretch);
    scale(draft, trip, stretch, change);
  }
  if (changed === 0) {
    throw new ChangeError(
      from === undefined ? ['to_stop'] : ['from_stop'],
      `no trip here calls ${[from && `at ${from}`, to && `at ${to}`].filter(Boolean).join(', and then ')}`,
    );
  }
  const without = trips.length - changed;
  return [
    `${counted(changed, 'trip')} changed${without > 0 ? `, ${without} that do not call at these stops kept` : ''}`,
  ];
}

/** The positions of two calls of a trip. */
export type Stretch = readonly [from: number, to: number];

/**
 * Finds the calls at two stops, one after the other; at either end of the trip where a stop is
 * undefined. Null if the trip does not call there.
 */
export function stretchOf(
  { calls }: Trip,
  from: string | undefined,
  to: string | undefined,
): Stretch | null {
  const first = from === undefined ? 0 : calls.findIndex(({ stop }) => stop === from);
  if (first === -1) return null;
  const last =
    to === undefined
      ? calls.length - 1
      : calls.findIndex(({ stop }, i) => stop === to && (from === undefined || i > first));
  return last === -1 || (last <= first && from !== undefined) ? null : [first, last];
}

/** Gives the calls at the ends of a stretch the times at which the builder takes them to be. */
function timeEnds(draft: FeedDraft, trip: Trip, stretch: Stretch): void {
  if (stretch.every((at) => trip.calls[at].arrival !== null)) return;
  const filled = draft.filledTimes(trip);
  for (const at of stretch) setEstimated(draft, trip.calls[at], filled[at]);
}

/** Gives a call that has no time one that is an estimate. */
export function setEstimated(
  draft: FeedDraft,
  call: Call,
  { arrival, departure }: { arrival: ServiceSeconds; departure: ServiceSeconds },
): void {
  if (call.arrival !== null) return;
  draft.setTimes(call, arrival, departure);
  draft.tables.stopTimes.set(call.record, 'timepoint', '0');
}

/**
 * Changes the running time of a stretch, in proportion, or evenly from call to call where the feed
 * has none; what follows is earlier or later by it.
 */
function scale(
  draft: FeedDraft,
  { id, calls }: Trip,
  [first, last]: Stretch,
  { speed, run_time }: ChangeOf<'adjust-speed'>,
): void {
  const timed = calls.filter(({ arrival }, i) => arrival !== null && i >= first);
  const inside = new Set(calls.slice(first, last + 1));
  const legs = timed.slice(1).filter((call) => inside.has(call)).length;
  let running: Seconds = 0;
  for (let i = 1; i <= legs; i++) running += timed[i].arrival! - timed[i - 1].departure!;
  const now = changedRunning(running, speed, run_time);
  if (!(now > 0)) {
    throw new ChangeError(
      [speed === undefined ? 'run_time' : 'speed'],
      running > 0
        ? `leaves trip ${id}, which runs for ${running} s there, without a running time`
        : `has no running time of trip ${id} to change: it leaves and arrives at the same time there; give run_time as an addition, such as +1 min`,
    );
  }
  let done = 0;
  let dwell: Seconds = 0;
  let [before, delta]: [ServiceSeconds, Seconds] = [timed[0].departure!, 0];
  const begin = before;
  for (const call of timed.slice(1)) {
    const { arrival, departure } = call;
    if (inside.has(call)) {
      done += running > 0 ? (arrival! - before) / running : 1 / legs;
      delta = Math.round(begin + dwell + done * now) - arrival!;
      dwell += departure! - arrival!;
    }
    before = departure!;
    draft.setTimes(call, arrival! + delta, departure! + delta);
  }
}

function changedRunning(
  running: Seconds,
  speed: ChangeOf<'adjust-speed'>['speed'],
  run_time: ChangeOf<'adjust-speed'>['run_time'],
): Seconds {
  if (speed !== undefined) return running / speed;
  return 'factor' in run_time! ? running * run_time.factor : running + run_time!.seconds;
}
