import { localDistance } from '../../shards/geometry/wgs84.ts';
import { INTERPOLATED } from '../../shards/release/manifest.ts';
import type { ServiceSeconds } from './service-time.ts';
import type { FeedStop } from './stops.ts';

export interface BlankableCall {
  arrival: ServiceSeconds | null;
  departure: ServiceSeconds | null;
  /** `shape_dist_traveled`, or `NaN`. */
  distance: number;
  readonly line: number;
}

/** The positions of two calls with times, between which all calls are blank. */
type Gap = readonly [from: number, to: number];

/** Finds the gaps of a trip whose first and last call have times. */
function* gapsOf(calls: readonly BlankableCall[]): Generator<Gap> {
  let from = 0;
  for (let to = 1; to < calls.length; to++) {
    if (calls[to].arrival === null) continue;
    if (to > from + 1) yield [from, to];
    from = to;
  }
}

/** Whether the blank times of a trip can be filled in by `shape_dist_traveled` alone. */
export function hasDistances(calls: readonly BlankableCall[]): boolean {
  return [...gapsOf(calls)].every(([from, to]) =>
    calls.slice(from + 1, to + 1).every(({ distance }, i) => distance > calls[from + i].distance),
  );
}

/**
 * Fills in the blank times between those given, at an even speed: along `shape_dist_traveled`, else
 * along the trip's shape, else in straight lines between stops. A call without a usable value of a
 * measure is placed between its neighbours by the next measure. `stops` are those of the calls, and
 * `shape` has their places along the shape. Passes each call filled in to `report`, with its rule.
 */
export function fillBlankTimes(
  calls: readonly BlankableCall[],
  stops: readonly FeedStop[],
  shape: Float64Array | null,
  report: (line: number, rule: string) => void,
): void {
  const distances = Float64Array.from(calls, ({ distance }) => distance);
  for (const [from, to] of gapsOf(calls)) {
    const rules = new Array<string>(to - from + 1).fill(INTERPOLATED.straight);
    let places = straightPlaces(stops.slice(from, to + 1));
    const refine = (finer: Float64Array, rule: string) => {
      const anchors = anchorsOf(finer);
      if (anchors.length === 0) return;
      places = between(finer, anchors, places);
      for (const anchor of anchors) rules[anchor] = rule;
    };
    if (shape) refine(shape.subarray(from, to + 1), INTERPOLATED.shape);
    refine(distances.subarray(from, to + 1), INTERPOLATED.distance);
    const times = new Float64Array(places.length);
    times[0] = calls[from].departure!;
    times[to - from] = calls[to].arrival!;
    const filled = between(times, [0, to - from], places);
    for (let i = 1; i < to - from; i++) {
      const call = calls[from + i];
      call.arrival = call.departure = Math.round(filled[i]);
      report(call.line, rules[i]);
    }
  }
}

/** Returns the metres along straight lines from the first of some stops to each. */
function straightPlaces(stops: readonly FeedStop[]): Float64Array {
  const places = new Float64Array(stops.length);
  for (let i = 1; i < stops.length; i++) {
    const [a, b] = [stops[i - 1], stops[i]];
    places[i] = places[i - 1] + localDistance(a.lon, a.lat, b.lon, b.lat);
  }
  return places;
}

/**
 * Returns the indexes of the usable values of a measure, from the first to the last value. The
 * values between grow from one to the next; one that does not grow is passed over like a blank.
 * Returns none if the measure is unusable: if an end is blank, if values fall, or if they do not
 * grow at all.
 */
function anchorsOf(values: Float64Array): number[] {
  const last = values.length - 1;
  if (!(values[last] > values[0])) return [];
  const anchors = [0];
  let highest = values[0];
  for (let i = 1; i <= last; i++) {
    if (Number.isNaN(values[i])) continue;
    if (values[i] < highest) return [];
    if (i === last || (values[i] > highest && values[i] < values[last])) anchors.push(i);
    highest = values[i];
  }
  return anchors;
}

/** Places the values between anchors in proportion to another measure of the same calls. */
function between(
  values: Float64Array,
  anchors: readonly number[],
  places: Float64Array,
): Float64Array {
  const result = values.slice();
  for (let a = 1; a < anchors.length; a++) {
    const [from, to] = [anchors[a - 1], anchors[a]];
    const stretch = places[to] - places[from];
    for (let i = from + 1; i < to; i++) {
      const share = stretch > 0 ? (places[i] - places[from]) / stretch : 0;
      result[i] = values[from] + share * (values[to] - values[from]);
    }
  }
  return result;
}
