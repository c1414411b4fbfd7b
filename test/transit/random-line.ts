import type { Dice } from './dice.ts';
import { type FeedRecord, gtfsTime } from './gtfs-text.ts';
import type { Run } from './time-expanded.ts';

/** The stops of a line in order; loops return to a stop. */
export interface Line {
  readonly id: string;
  readonly path: readonly number[];
  /** Its times are multiples of this many seconds. */
  readonly unit: number;
  /** Usual time to each stop from the previous one, in units. */
  readonly hops: readonly number[];
}

/** A call of a trip, with times in seconds after the trip leaves its first stop. */
export interface DrawnCall {
  readonly stop: number;
  readonly sequence: number;
  readonly arrives: number;
  readonly departs: number;
  /** Whether the feed leaves its times out, to be interpolated. */
  readonly blank: boolean;
  /** `pickup_type` and `drop_off_type`. */
  readonly pickup: number;
  readonly dropOff: number;
  /** `shape_dist_traveled`; null where the trip has none. */
  readonly distance: number | null;
  /**
   * Seconds before its departure at which a stray record that follows repeats the call; 0 without
   * such a record.
   */
  readonly stray: number;
}

/** A line between some of the stops, of at least two calls. */
export function drawLine(dice: Dice, id: string, stops: readonly number[]): Line {
  const unit = dice.pick([1, 15, 60]);
  const picked = Array.from({ length: 3 + dice.below(7) }, () => dice.pick(stops));
  // Two consecutive calls at one stop would be odd.
  const path = picked.filter((stop, i) => stop !== picked[i - 1]);
  if (path.length === 1) path.push(stops[(stops.indexOf(path[0]) + 1) % stops.length]);
  return { id, path, unit, hops: path.map(() => (60 + dice.below(420)) / unit) };
}

/**
 * A trip of a line, faster or slower than others. Some leave times blank on a stretch where hops
 * are proportional to the given distances.
 */
export function drawTrip(dice: Dice, { path, unit, hops }: Line): DrawnCall[] {
  const last = path.length - 1;
  const blankFrom = dice.chance(0.4) && last > 2 ? dice.below(last - 1) : last;
  const hasDistances = dice.chance(0.3);
  const equalHop = unit * (1 + dice.below(5));
  const slowness = dice.between(0.5, 2);
  let [clock, moved, sequence] = [0, 0, 0];
  return path.map((stop, i) => {
    const blank = i > blankFrom && i < last;
    const isEqual = i > blankFrom && !hasDistances;
    const hop = isEqual ? equalHop : unit * Math.max(1, Math.round(hops[i] * slowness));
    if (i > 0) clock += hop;
    if (i > 0) moved += hop;
    sequence += blankFrom < last ? 2 : 2 + dice.below(9);
    // A vehicle that waits at its first stop for a while still leaves it on time.
    const arrives = i === 0 ? -unit * dice.below(3) : clock;
    if (i > 0 && !blank && dice.chance(0.3)) clock += unit * dice.below(3);
    return {
      stop,
      sequence,
      arrives,
      departs: clock,
      blank,
      pickup: dice.chance(0.12) ? dice.below(4) : 0,
      dropOff: dice.chance(0.12) ? dice.below(4) : 0,
      distance: hasDistances || blankFrom < last ? moved : null,
      stray: !blank && dice.chance(0.04) ? unit * (1 + dice.below(20)) : 0,
    };
  });
}

/**
 * The trip as records of `stop_times.txt` for a departure at `start`, in seconds, with stray ones
 * among them that go back in time.
 */
export function stopTimes(
  trip: string,
  calls: readonly DrawnCall[],
  start: number,
  idOf: (stop: number) => string,
): FeedRecord[] {
  return calls.flatMap((call): FeedRecord[] => {
    const { stop, sequence, arrives, departs, blank, pickup, dropOff, distance, stray } = call;
    const record = {
      trip_id: trip,
      stop_id: idOf(stop),
      stop_sequence: sequence,
      arrival_time: blank ? '' : gtfsTime(start + arrives),
      departure_time: blank ? '' : gtfsTime(start + departs),
      stop_headsign: 'Somewhere, "over" there',
      pickup_type: pickup,
      drop_off_type: dropOff,
      ...(distance === null ? {} : { shape_dist_traveled: distance }),
    };
    const before = gtfsTime(start + departs - stray);
    const back = { stop_sequence: sequence + 1, arrival_time: before, departure_time: before };
    return stray === 0 ? [record] : [record, { ...record, ...back }];
  });
}

/** The trip as the oracle's input for a departure at `start`, in seconds. */
export function runAt(calls: readonly DrawnCall[], start: number): Run {
  return calls.map(({ stop, arrives, departs, pickup, dropOff }) => ({
    stop,
    arrives: (start + arrives) * 1000,
    departs: (start + departs) * 1000,
    mayBoard: pickup !== 1,
    mayAlight: dropOff !== 1,
  }));
}
