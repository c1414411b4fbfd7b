import { GrowableArray, grow } from '../arrays/growable-array.ts';
import { type VarintReader, VarintWriter } from '../codec/varint.ts';
import type { Millis } from '../units.ts';
import { indexVisits, type Timetable } from './timetable.ts';

/** Initial capacity for times: enough for a small timetable. */
const FIRST_TIMES = 1 << 12;

/**
 * Encodes a timetable:
 *
 *     varint   number of patterns
 *     varints  per pattern: numbers of calls and of trips; the stop and the rules of each call;
 *              then per trip its route and, for each call, milliseconds from the previous
 *              departure (at the first call, from the first arrival of the previous trip) to the
 *              arrival, and from the arrival to the departure
 *     varints  per trip that others continue: the difference of its number from the previous such
 *              trip's, plus 1; the number of trips that continue it; the pattern of each, and its
 *              trip within the pattern; 0 ends the list
 *
 * Times are divided by their greatest common divisor, which comes first.
 */
export function writeTimetable(timetable: Timetable): Uint8Array {
  const { patternCount, firstCall, callStop, callRules, tripCount, firstTime } = timetable;
  const { arrivals, departures, firstTrip, tripRoute } = timetable;
  const out = new VarintWriter(1 << 16);
  const unit = commonDivisor(arrivals, commonDivisor(departures, 0)) || 1;
  out.uint(unit);
  out.uint(patternCount);
  for (let pattern = 0; pattern < patternCount; pattern++) {
    const calls = firstCall[pattern + 1] - firstCall[pattern];
    const trips = tripCount[pattern];
    out.uint(calls);
    out.uint(trips);
    for (let call = firstCall[pattern]; call < firstCall[pattern + 1]; call++) {
      out.uint(callStop[call]);
      out.uint(callRules[call]);
    }
    let began = 0;
    for (let trip = 0; trip < trips; trip++) {
      out.uint(tripRoute[firstTrip[pattern] + trip]);
      let now: Millis = began;
      for (let call = 0; call < calls; call++) {
        const at = firstTime[pattern] + call * trips + trip;
        out.int((arrivals[at] - now) / unit);
        if (call === 0) began = arrivals[at];
        out.int((departures[at] - arrivals[at]) / unit);
        now = departures[at];
      }
    }
  }
  writeContinuations(out, timetable);
  return out.view();
}

function commonDivisor(times: Int32Array, divisor: number): number {
  let known = divisor;
  for (const time of times) {
    for (let rest = Math.abs(time); rest !== 0; ) [known, rest] = [rest, known % rest];
    if (known === 1) break;
  }
  return known;
}

function writeContinuations(
  out: VarintWriter,
  { firstContinuation, continuations }: Timetable,
): void {
  let previous = 0;
  for (let trip = 0; trip + 1 < firstContinuation.length; trip++) {
    const [from, to] = [firstContinuation[trip], firstContinuation[trip + 1]];
    if (from === to) continue;
    out.uint(trip - previous + 1);
    out.uint(to - from);
    for (const number of continuations.subarray(2 * from, 2 * to)) out.uint(number);
    previous = trip;
  }
  out.uint(0);
}

/**
 * Reads what `writeTimetable` wrote for the given numbers of stops and routes, one pattern per
 * step, and nothing after it; throws a `RangeError` for anything else.
 */
export function* timetableSteps(
  reader: VarintReader,
  stopCount: number,
  routeCount: number,
): Generator<undefined, Timetable, undefined> {
  const below = (limit: number, what: string): number => {
    const value = reader.uint();
    if (value >= limit) throw new RangeError(`has ${what} ${value} of ${limit}`);
    return value;
  };
  const unit = reader.uint();
  const patternCount = reader.count('patterns');
  const firstCall = new Int32Array(patternCount + 1);
  const firstTime = new Int32Array(patternCount + 1);
  const firstTrip = new Int32Array(patternCount + 1);
  const tripCount = new Int32Array(patternCount);
  // Typed arrays that grow, since converting lists of numbers at the end would block the event
  // loop.
  const callStop = new GrowableArray(Int32Array);
  const callRules = new GrowableArray(Int32Array);
  const tripRoute = new GrowableArray(Int32Array);
  let arrivals = new Int32Array(FIRST_TIMES);
  let departures = new Int32Array(FIRST_TIMES);
  for (let pattern = 0; pattern < patternCount; pattern++) {
    const calls = reader.count('calls');
    const trips = reader.count('trips');
    if (calls * trips > reader.left) throw new RangeError(`counts ${trips} trips`);
    const end = firstTime[pattern] + calls * trips;
    if (end > arrivals.length) {
      arrivals = grow(arrivals, end);
      departures = grow(departures, end);
    }
    for (let call = 0; call < calls; call++) {
      callStop.push(below(stopCount, 'stop'));
      callRules.push(below(4, 'rules'));
    }
    let began = 0;
    for (let trip = 0; trip < trips; trip++) {
      tripRoute.push(below(routeCount, 'route'));
      let now = began;
      for (let call = 0; call < calls; call++) {
        const at = firstTime[pattern] + call * trips + trip;
        arrivals[at] = now + reader.int() * unit;
        if (call === 0) began = arrivals[at];
        departures[at] = now = arrivals[at] + reader.int() * unit;
      }
    }
    tripCount[pattern] = trips;
    firstCall[pattern + 1] = firstCall[pattern] + calls;
    firstTime[pattern + 1] = end;
    firstTrip[pattern + 1] = firstTrip[pattern] + trips;
    yield;
  }
  const stops = callStop.view().slice();
  const times = firstTime[patternCount];
  return {
    stopCount,
    patternCount,
    firstCall,
    callStop: stops,
    callRules: new Uint8Array(callRules.view()),
    tripCount,
    firstTime,
    arrivals: arrivals.slice(0, times),
    departures: departures.slice(0, times),
    ...indexVisits(stopCount, firstCall, stops),
    firstTrip,
    tripRoute: tripRoute.view().slice(),
    ...readContinuations(reader, tripCount, firstTrip),
  };
}

function readContinuations(
  reader: VarintReader,
  tripCount: Int32Array,
  firstTrip: Int32Array,
): Pick<Timetable, 'firstContinuation' | 'continuations' | 'hasContinuations'> {
  const trips = firstTrip[tripCount.length];
  const firstContinuation = new Int32Array(trips + 1);
  const hasContinuations = new Uint8Array(tripCount.length);
  const continuations: number[] = [];
  let trip = 0;
  let pattern = 0;
  for (let step = reader.uint(); step > 0; step = reader.uint()) {
    const from = trip + step - 1;
    if (from >= trips) throw new RangeError(`has continuations of trip ${from} of ${trips}`);
    while (trip < from) firstContinuation[++trip] = continuations.length / 2;
    while (firstTrip[pattern + 1] <= trip) pattern++;
    hasContinuations[pattern] = 1;
    for (let count = reader.uint(); count > 0; count--) {
      const [toPattern, toTrip] = [reader.uint(), reader.uint()];
      if (!(toTrip < tripCount[toPattern])) {
        throw new RangeError(`continues as trip ${toTrip} of pattern ${toPattern}`);
      }
      continuations.push(toPattern, toTrip);
    }
  }
  while (trip < trips) firstContinuation[++trip] = continuations.length / 2;
  return { firstContinuation, continuations: Int32Array.from(continuations), hasContinuations };
}
