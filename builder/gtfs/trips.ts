import { BuildError } from '../errors.ts';
import { type BlankableCall, fillBlankTimes, hasDistances } from './blank-times.ts';
import type { Feed, FeedTrip } from './feed.ts';
import type { FeedReport } from './feed-report.ts';
import { departuresOf, runsOf } from './frequencies.ts';
import { FEED_LIMITS } from './limits.ts';
import { parseServiceTime, type ServiceDate, type ServiceSeconds } from './service-time.ts';
import { Shapes } from './shapes.ts';
import { type Row, readTable } from './table.ts';

/** One run of a trip, with its calls in order of travel. The three arrays have the same length. */
export interface TripRun {
  /** `trip_id`; null for a repetition by headway. */
  readonly trip: string | null;
  readonly route: string;
  /** `direction_id`, or ''. */
  readonly direction: string;
  readonly service: string;
  /** Trips that share this array call at the same stops under the same rules. */
  readonly calls: readonly Call[];
  readonly arrivals: readonly ServiceSeconds[];
  readonly departures: readonly ServiceSeconds[];
}

interface Call {
  readonly stop: string;
  readonly board: boolean;
  readonly alight: boolean;
  /** Whether riders have to phone the agency in advance, to board or to alight. */
  readonly byPhone: boolean;
}

interface StopTime extends BlankableCall {
  readonly sequence: number;
  readonly call: Call;
}

const FILE = 'stop_times.txt';

/**
 * Values of `pickup_type` and `drop_off_type` that permit riders to board or alight: as scheduled
 * (empty or 0), by phoning the agency (2), or by arrangement with the driver (3).
 */
const BY_PHONE = '2';
const POSSIBLE = new Set(['', '0', BY_PHONE, '3']);
/** Columns that only demand-responsive calls use. */
const FLEXIBLE = ['location_id', 'location_group_id', 'start_pickup_drop_off_window'];

/**
 * Reads the trips that run on any of some service days, with repetitions by headway expanded. Rows
 * with unknown references, invalid times, and trips that cannot be ridden are dropped and reported.
 */
export async function readTrips(feed: Feed, days: readonly ServiceDate[]): Promise<TripRun[]> {
  const { source, trips, calendar, tripsOfService, report } = feed;
  const services = [...tripsOfService.keys()];
  const running = new Set(services.filter((id) => days.some((day) => calendar.runsOn(id, day))));
  const timesOf = new Map<string, StopTime[]>();
  const calls = new CallPool();
  let rows = 0;
  const columns = ['trip_id', 'stop_id', 'stop_sequence', 'arrival_time', 'departure_time'];
  await readTable(source, report, FILE, columns, (row) => {
    rows++;
    const trip = trips.get(row.text('trip_id'));
    if (!trip) return report.add(FILE, row.line, 'trip missing from trips.txt; left out');
    const time = readStopTime(feed, calls, row);
    if (!time || trip.onDemand || !running.has(trip.service)) return;
    const times = timesOf.get(trip.id);
    if (times) times.push(time);
    else timesOf.set(trip.id, [time]);
  });
  if (rows === 0) throw new BuildError(`${source.path}: ${FILE} is empty`);
  const timesInOrder = new Map<FeedTrip, StopTime[]>();
  for (const [id, unsorted] of timesOf) {
    const times = inOrder(unsorted, report);
    if (times) timesInOrder.set(trips.get(id)!, times);
  }
  const measured = [...timesInOrder].filter(([, times]) => !hasDistances(times));
  const shapes = await Shapes.read(source, new Set(measured.map(([{ shape }]) => shape)), report);
  const runs: TripRun[] = [];
  let [repeatedTrips, repeatedCalls] = [0, 0];
  for (const [trip, times] of timesInOrder) {
    const run = runOf(feed, trip, times, shapes);
    for (const frequency of feed.frequencies.get(trip.id) ?? []) {
      const repetitions = runsOf(frequency);
      repeatedTrips += repetitions;
      repeatedCalls += repetitions * run.calls.length;
    }
    if (repeatedTrips > FEED_LIMITS.repeatedTrips || repeatedCalls > FEED_LIMITS.repeatedCalls) {
      throw new BuildError(
        `${source.path}: frequencies.txt: repeats trips so often that at trip ${trip.id} there are more than ${FEED_LIMITS.repeatedTrips} of them, or ${FEED_LIMITS.repeatedCalls} calls, a day; are headways in the wrong unit?`,
      );
    }
    for (const repeated of repeat(feed, trip.id, run)) runs.push(repeated);
  }
  return runs;
}

function readStopTime(feed: Feed, calls: CallPool, row: Row): StopTime | null {
  const { report } = feed;
  const stop = row.text('stop_id');
  if (FLEXIBLE.some((column) => row.text(column) !== '')) {
    report.add(FILE, row.line, 'an on-demand call in a zone or time window; left out');
    return null;
  }
  if (!feed.stops.has(stop)) {
    report.add(FILE, row.line, 'stop missing from stops.txt; left out');
    return null;
  }
  const sequence = row.number('stop_sequence');
  if (sequence === null || !Number.isFinite(sequence)) {
    report.add(FILE, row.line, 'no valid stop_sequence; left out');
    return null;
  }
  const time = (column: string) => {
    const value = parseServiceTime(row.text(column));
    if (!Number.isNaN(value)) return value;
    report.add(FILE, row.line, `impossible ${column}; treated as blank`);
    return null;
  };
  const [arrival, departure] = [time('arrival_time'), time('departure_time')];
  if (arrival !== null && departure !== null && departure < arrival) {
    report.add(FILE, row.line, 'departs before it arrives; departure used as arrival');
  }
  const [pickup, dropOff] = [row.text('pickup_type'), row.text('drop_off_type')];
  const call = calls.get({
    stop,
    board: POSSIBLE.has(pickup),
    alight: POSSIBLE.has(dropOff),
    byPhone: pickup === BY_PHONE || dropOff === BY_PHONE,
  });
  return {
    sequence,
    call,
    arrival: arrival ?? departure,
    departure: departure === null ? arrival : Math.max(departure, arrival ?? departure),
    distance: row.number('shape_dist_traveled') ?? Number.NaN,
    line: row.line,
  };
}

/** Returns the same object for equal calls, so that patterns can be compared by identity. */
class CallPool {
  readonly #pool = new Map<string, Call>();

  get(call: Call): Call {
    const { stop, board, alight, byPhone } = call;
    const key = `${Number(board)}${Number(alight)}${Number(byPhone)}${stop}`;
    const known = this.#pool.get(key);
    if (known) return known;
    this.#pool.set(key, call);
    return call;
  }
}

/**
 * Puts the rows of a trip in the order of travel, without those that cannot be used, which are
 * reported. Null if too few remain, or too many. The first and the last call have times.
 */
function inOrder(unsorted: StopTime[], report: FeedReport): StopTime[] | null {
  const sorted = unsorted.sort((a, b) => a.sequence - b.sequence || a.line - b.line);
  if (Number.isNaN(sorted[0].distance)) sorted[0].distance = 0;
  const single = sorted.filter(({ sequence, line }, i) => {
    if (i === 0 || sequence !== sorted[i - 1].sequence) return true;
    report.add(FILE, line, 'duplicate stop_sequence in a trip; left out');
    return false;
  });
  const times = withoutGoingBack(single, report);
  while (times.length > 0 && times[times.length - 1].arrival === null) {
    report.add(FILE, times.pop()!.line, 'no time at the end of a trip; left out');
  }
  while (times.length > 0 && times[0].departure === null) {
    report.add(FILE, times.shift()!.line, 'no time at the beginning of a trip; left out');
  }
  if (times.length < 2) {
    report.add(FILE, sorted[0].line, 'a trip with fewer than two stops; left out');
    return null;
  }
  if (times.length > FEED_LIMITS.calls) {
    const problem = `a trip with more than ${FEED_LIMITS.calls} calls; left out`;
    report.add(FILE, times[FEED_LIMITS.calls].line, problem);
    return null;
  }
  return times;
}

function runOf(feed: Feed, trip: FeedTrip, times: readonly StopTime[], shapes: Shapes): TripRun {
  const { id, service, route, direction } = trip;
  if (times.some(({ arrival }) => arrival === null)) {
    const stops = times.map(({ call }) => feed.stops.get(call.stop)!);
    fillBlankTimes(times, stops, shapes.along(trip.shape, stops), (line, rule) =>
      feed.report.add(FILE, line, rule),
    );
  }
  return {
    trip: id,
    service,
    route,
    direction,
    calls: times.map(({ call }) => call),
    arrivals: times.map(({ arrival }) => arrival!),
    departures: times.map(({ departure }) => departure!),
  };
}

/**
 * Drops as few calls of a trip as possible so that none goes back in time, and reports the dropped
 * calls. If two calls exclude each other, the earlier stays: the one whose time precedes the
 * previous call's is dropped.
 */
function withoutGoingBack(calls: StopTime[], report: FeedReport): StopTime[] {
  const timed = calls.filter(({ arrival }) => arrival !== null);
  const follows = (next: StopTime, call: StopTime) => next.arrival! >= call.departure!;
  if (timed.every((call, i) => i === 0 || follows(call, timed[i - 1]))) return calls;
  const lengths = longestChains(timed);
  let left = lengths.reduce((most, length) => Math.max(most, length), 0);
  let last: StopTime | null = null;
  const kept = new Set<StopTime>();
  timed.forEach((call, i) => {
    if (lengths[i] !== left || (last && !follows(call, last))) return;
    kept.add(call);
    last = call;
    left--;
  });
  return calls.filter((call) => {
    if (call.arrival === null || kept.has(call)) return true;
    report.add(FILE, call.line, 'goes back in time; the call is left out');
    return false;
  });
}

/**
 * Returns the length of the longest chain of consistent calls that starts at each call, by patience
 * sorting.
 */
function longestChains(calls: readonly StopTime[]): number[] {
  /** The latest arrival with which a chain of each length, from 1, starts; descending. */
  const latest: ServiceSeconds[] = [];
  const lengths = calls.toReversed().map(({ arrival, departure }) => {
    let [low, high] = [0, latest.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (latest[middle] >= departure!) low = middle + 1;
      else high = middle;
    }
    latest[low] = Math.max(latest[low] ?? arrival!, arrival!);
    return low + 1;
  });
  return lengths.reverse();
}

function* repeat(feed: Feed, trip: string, run: TripRun): Generator<TripRun> {
  const frequencies = feed.frequencies.get(trip);
  if (!frequencies) return yield run;
  const start = run.departures[0];
  for (const frequency of frequencies) {
    for (const departs of departuresOf(trip, frequency)) {
      yield {
        ...run,
        trip: null,
        arrivals: run.arrivals.map((time) => time - start + departs),
        departures: run.departures.map((time) => time - start + departs),
      };
    }
  }
}
