import { addTo } from '../../shards/arrays/group-by.ts';
import { countWhile } from '../../shards/arrays/sorted.ts';
import type { Seconds } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { type BlankableCall, fillBlankTimes, hasDistances } from './blank-times.ts';
import type { Feed, FeedTrip } from './feed.ts';
import { FeedReport, withProblems } from './feed-report.ts';
import { departuresOf } from './frequencies.ts';
import { FEED_LIMITS } from './limits.ts';
import type { ServiceDate, ServiceSeconds } from './service-time.ts';
import { Shapes } from './shapes.ts';
import { type FeedStop, LOCATION } from './stops.ts';
import { type Row, readTable } from './table.ts';
import { codeOf, parseServiceTime, type WheelchairAccess } from './values.ts';

/** One run of a trip, with its calls in order of travel. The three arrays have the same length. */
export interface TripRun {
  /** `trip_id`; null for a repetition by headway. */
  readonly trip: string | null;
  /** Whether its feed states a headway only, so that another departure would be as right. */
  readonly isApproximate: boolean;
  readonly route: string;
  /** `direction_id`, or ''. */
  readonly direction: string;
  readonly service: string;
  /** `shape_id`, or ''. */
  readonly shape: string;
  readonly wheelchair: WheelchairAccess;
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

/** A service day, and the times of that day between which trips are read. */
export interface DayWindow {
  readonly day: ServiceDate;
  readonly from: ServiceSeconds;
  readonly to: ServiceSeconds;
}

/** A run of a trip on the day of a window, of which it has a part. */
interface DatedRun<W extends DayWindow> {
  readonly run: TripRun;
  readonly window: W;
}

const FILE = 'stop_times.txt';
/** Trips that are under way for longer than this are rare. */
const USUAL_LENGTH: ServiceSeconds = 48 * 3600;

/**
 * Values of `pickup_type` and `drop_off_type`: as scheduled (empty or 0), not at all (1), by
 * phoning the agency (2), or by arrangement with the driver (3).
 */
const BY_PHONE = '2';
const POSSIBLE = new Set(['', '0', BY_PHONE, '3']);
const IMPOSSIBLE = '1';
/** Columns of `stop_times.txt` that only demand-responsive calls use. */
export const FLEXIBLE = ['location_id', 'location_group_id', 'start_pickup_drop_off_window'];

/**
 * Reads the trips that run in any of some windows, with repetitions by headway expanded, but not
 * those of the routes in `without`. Rows with unknown references, invalid times, and trips that
 * cannot be ridden are dropped and reported. Throws a `BuildError` if none is left.
 */
export async function readTrips<W extends DayWindow>(
  feed: Feed,
  windows: readonly W[],
  without: Pick<ReadonlySet<string>, 'has'> = new Set(),
): Promise<DatedRun<W>[]> {
  const { source, report } = feed;
  const timesOf = await readStopTimes(feed, windows, without);
  const dated: { trip: FeedTrip; times: StopTime[]; starts: Start<W>[] }[] = [];
  const repeated = { trips: 0, calls: 0 };
  let usable = 0;
  for (const [trip, unsorted] of timesOf) {
    const times = inOrder(unsorted, report);
    if (!times) continue;
    usable++;
    const length = times[times.length - 1].departure! - times[0].departure!;
    const starts: Start<W>[] = [];
    for (const start of startsOf(feed, trip, times[0].departure!, length, windows)) {
      starts.push(start);
      if (!feed.frequencies.has(trip.id)) continue;
      repeated.trips++;
      repeated.calls += times.length;
      if (
        repeated.trips > FEED_LIMITS.repeatedTrips ||
        repeated.calls > FEED_LIMITS.repeatedCalls
      ) {
        throw new BuildError(
          `${source.path}: frequencies.txt: repeats trips so often that at trip ${trip.id} there are more than ${FEED_LIMITS.repeatedTrips} of them, or ${FEED_LIMITS.repeatedCalls} calls, around the departures of one morning; are headways in the wrong unit?`,
        );
      }
    }
    if (starts.length > 0) dated.push({ trip, times, starts });
  }
  if (usable === 0) {
    const problems = report.problems.filter(({ file }) => file === FILE);
    throw new BuildError(withProblems(`${source.path}: ${FILE} has no usable trip`, problems));
  }
  const unmeasured = dated.filter(({ times }) => !hasDistances(times));
  const wanted = new Set(unmeasured.map(({ trip }) => trip.shape));
  wanted.delete('');
  const shapes = await Shapes.read(source, wanted, report);
  return dated.flatMap(({ trip, times, starts }) => {
    const run = runOf(feed, trip, times, shapes);
    const isRepeated = feed.frequencies.has(trip.id);
    return starts.map(({ window, departure, isApproximate }) => ({
      window,
      run: isRepeated ? { ...departingAt(run, departure), isApproximate } : run,
    }));
  });
}

/**
 * Reads the rows of the trips that may run in a window. Trips of services that run only on days so
 * long ago that few trips last until the window are read by themselves, if there are any.
 */
async function readStopTimes(
  feed: Feed,
  windows: readonly DayWindow[],
  without: Pick<ReadonlySet<string>, 'has'>,
): Promise<Map<FeedTrip, StopTime[]>> {
  const { source, trips, calendar, tripsOfService, report } = feed;
  /** The earliest time of each service that is in a window. */
  const begins = new Map<string, ServiceSeconds>();
  for (const service of tripsOfService.keys()) {
    const froms = windows.flatMap(({ day, from }) => (calendar.runsOn(service, day) ? [from] : []));
    if (froms.length > 0) begins.set(service, Math.min(...froms));
  }
  const timesOf = new Map<FeedTrip, StopTime[]>();
  const listed = new Set<FeedTrip>();
  const calls = new CallPool();
  const longTrips = new Set<FeedTrip>();
  let rows = 0;
  const columns = ['trip_id', 'stop_id', 'stop_sequence', 'arrival_time', 'departure_time'];
  await readTable(source, report, FILE, columns, (row) => {
    rows++;
    const trip = trips.get(row.text('trip_id'));
    if (!trip) return report.add(FILE, row.line, 'trip missing from trips.txt; left out');
    listed.add(trip);
    const time = readStopTime(feed, calls, row, report);
    if (!time || trip.onDemand || without.has(trip.route)) return;
    const from = begins.get(trip.service);
    if (from === undefined) return;
    if (from < USUAL_LENGTH || feed.frequencies.has(trip.id)) addTo(timesOf, trip, time);
    else if (time.departure !== null && time.departure >= from) longTrips.add(trip);
  });
  if (rows === 0) {
    const problems = report.problems.filter(({ file }) => file === FILE);
    const lack = problems.length === 0 ? 'is empty' : 'has no usable row';
    throw new BuildError(withProblems(`${source.path}: ${FILE} ${lack}`, problems));
  }
  for (const trip of trips.values()) {
    if (listed.has(trip) || trip.onDemand || !calendar.has(trip.service)) continue;
    report.add('trips.txt', trip.line, 'a trip without rows in stop_times.txt; left out');
  }
  if (longTrips.size > 0) {
    const reported = new FeedReport();
    await readTable(source, reported, FILE, columns, (row) => {
      const trip = trips.get(row.text('trip_id'));
      if (!trip || !longTrips.has(trip)) return;
      const time = readStopTime(feed, calls, row, reported);
      if (time) addTo(timesOf, trip, time);
    });
  }
  return timesOf;
}

/** A departure of a trip from its first stop, on the day of a window that the trip is in. */
interface Start<W extends DayWindow> {
  readonly window: W;
  readonly departure: ServiceSeconds;
  readonly isApproximate: boolean;
}

/** Finds the departures of a trip of some length that are in a window, or lead to it. */
function* startsOf<W extends DayWindow>(
  { calendar, frequencies }: Feed,
  { id, service }: FeedTrip,
  departure: ServiceSeconds,
  length: Seconds,
  windows: readonly W[],
): Generator<Start<W>> {
  for (const window of windows) {
    if (!calendar.runsOn(service, window.day)) continue;
    const first = window.from - length;
    const repeats = frequencies.get(id);
    if (!repeats) {
      if (departure >= first && departure <= window.to) {
        yield { window, departure, isApproximate: false };
      }
      continue;
    }
    for (const repeat of repeats) {
      for (const departure of departuresOf(id, repeat, first, window.to)) {
        yield { window, departure, isApproximate: !repeat.exact };
      }
    }
  }
}

/** Returns a repetition of a trip that departs from its first stop at a given time. */
function departingAt(run: TripRun, departure: ServiceSeconds): TripRun {
  const start = run.departures[0];
  return {
    ...run,
    trip: null,
    arrivals: run.arrivals.map((time) => time - start + departure),
    departures: run.departures.map((time) => time - start + departure),
  };
}

function readStopTime(
  { stops }: Feed,
  calls: CallPool,
  row: Row,
  report: FeedReport,
): StopTime | null {
  const id = row.text('stop_id');
  if (FLEXIBLE.some((column) => row.text(column) !== '')) {
    report.add(FILE, row.line, 'an on-demand call in a zone or time window; left out');
    return null;
  }
  const named = stops.get(id);
  if (!named) {
    report.add(FILE, row.line, 'stop missing from stops.txt; left out');
    return null;
  }
  const stop = calledStop(stops, named);
  if (!stop) {
    report.add(FILE, row.line, 'stop and station without coordinates; left out');
    return null;
  }
  if (stop !== named) {
    report.add(FILE, row.line, 'at a boarding area or node; taken as at its platform or station');
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
  const mayDo = (column: string) => {
    const code = codeOf(row.text(column));
    if (POSSIBLE.has(code)) return code;
    if (code !== IMPOSSIBLE) {
      report.add(FILE, row.line, `unknown ${column}; taken as 1, not possible`);
    }
    return IMPOSSIBLE;
  };
  const [pickup, dropOff] = [mayDo('pickup_type'), mayDo('drop_off_type')];
  const call = calls.get({
    stop: stop.id,
    board: pickup !== IMPOSSIBLE,
    alight: dropOff !== IMPOSSIBLE,
    byPhone: pickup === BY_PHONE || dropOff === BY_PHONE,
  });
  return {
    sequence,
    call,
    arrival: arrival ?? departure,
    departure: departure === null ? arrival : Math.max(departure, arrival ?? departure),
    distance: readDistance(row, report),
    line: row.line,
  };
}

/**
 * Returns the stop at which a call is: that of a boarding area is its platform, and that of a node
 * without coordinates its station. Null if neither has coordinates.
 */
function calledStop(stops: Feed['stops'], named: FeedStop): FeedStop | null {
  const isPlaced = !Number.isNaN(named.lon);
  if (isPlaced && named.type !== LOCATION.boardingArea) return named;
  const parent = stops.get(named.parent);
  if (parent && !Number.isNaN(parent.lon)) return parent;
  return isPlaced ? named : null;
}

/** Returns the stated distance of a call, or `NaN`. */
function readDistance(row: Row, report: FeedReport): number {
  const distance = row.number('shape_dist_traveled');
  if (distance === null || Number.isFinite(distance)) return distance ?? Number.NaN;
  report.add(FILE, row.line, 'no valid shape_dist_traveled; treated as blank');
  return Number.NaN;
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
  const isNumbered = sorted[0].sequence !== sorted[sorted.length - 1].sequence;
  if (!isNumbered && sorted.length > 1) {
    report.add(
      FILE,
      sorted[0].line,
      'one stop_sequence in a whole trip; the order of the rows is used',
    );
  }
  const single = sorted.filter(({ sequence, line }, i) => {
    if (i === 0 || !isNumbered || sequence !== sorted[i - 1].sequence) return true;
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
  const { id, service, route, direction, shape, wheelchair } = trip;
  if (times.some(({ arrival }) => arrival === null)) {
    const stops = times.map(({ call }) => feed.stops.get(call.stop)!);
    fillBlankTimes(times, stops, shapes.along(trip.shape, stops), (line, rule) =>
      feed.report.add(FILE, line, rule),
    );
  }
  return {
    trip: id,
    isApproximate: false,
    service,
    wheelchair,
    route,
    direction,
    shape,
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
    const length = countWhile(latest.length, (at) => latest[at] >= departure!);
    latest[length] = Math.max(latest[length] ?? arrival!, arrival!);
    return length + 1;
  });
  return lengths.reverse();
}
