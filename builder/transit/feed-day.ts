import path from 'node:path';
import type { FeedFacts, WheelchairFacts } from '../../shards/release/manifest.ts';
import { ALIGHT, BOARD, type ScheduledTrip } from '../../shards/transit/timetable.ts';
import type { Millis, RouteOrdinal, Seconds, StopOrdinal } from '../../shards/units.ts';
import { type FeedEntrance, type FeedIndoorPath, StationEntrances } from '../gtfs/entrances.ts';
import { type Feed, type RailKind, stationOf, timeZoneOf, wheelchairAt } from '../gtfs/feed.ts';
import { FEED_LIMITS } from '../gtfs/limits.ts';
import {
  dateOf,
  dayNumber,
  isoDate,
  offsetAtNoon,
  type ServiceDate,
} from '../gtfs/service-time.ts';
import { type DayWindow, readTrips, type TripRun } from '../gtfs/trips.ts';
import type { WheelchairAccess } from '../gtfs/values.ts';
import { MILLIS_PER_SECOND, type WheelchairUnknown } from '../routing-parameters.ts';
import type { StopWalk, TransferRule } from './build-footpaths.ts';
import { transferRulesOf } from './transfer-rules.ts';
import { opensAt, shiftOf, type TransitClock } from './transit-clock.ts';
import type { TransitStop } from './transit-stop.ts';
import { continuationsOf } from './vehicle-continuations.ts';

/**
 * A stop according to its feed; the level of its platform relative to the street may be unknown.
 */
export interface StopOfFeed extends Omit<TransitStop, 'entrances'> {
  readonly entrances: readonly FeedEntrance[];
  /** The kind of rail that calls at the stop; null if none does. */
  readonly rails: RailKind | null;
  /** Levels above the street, negative below it; null if the feed does not give any. */
  readonly level: number | null;
  /**
   * For riders without steps, whether nothing is known of the way inside: the feed neither states
   * that the stop is boarded in a wheelchair, nor has pathways to it.
   */
  readonly isUncertain?: boolean;
}

/** A walk inside a station, according to its feed. */
export interface WalkOfFeed extends Omit<StopWalk, 'levels'>, Pick<FeedIndoorPath, 'lies'> {}

/**
 * The service of a feed on its day while any window is open, with its own numbering of stops,
 * routes and trips.
 */
export interface FeedDay {
  readonly stops: readonly StopOfFeed[];
  /** Departures in the window from each stop, by line and direction. */
  readonly departures: readonly ReadonlyMap<string, number>[];
  readonly trips: readonly ScheduledTrip[];
  /** The names of routes, by their ordinals in the trips. */
  readonly routes: readonly string[];
  /** Pairs of positions in `trips`: a trip, and another that its vehicle continues as. */
  readonly continuations: readonly (readonly [from: number, to: number])[];
  readonly rules: readonly TransferRule[];
  readonly insideWalks: readonly WalkOfFeed[];
}

/** A day of which trips are read, while any window is open. */
interface ShiftedDay extends DayWindow {
  /** The number of the day, counted from the day of the feed: -1 for the day before. */
  readonly number: number;
  /**
   * Added to times of the day, which GTFS counts from its noon minus 12 hours, to convert them to
   * seconds on the clock that all feeds share (`transit-clock.ts`).
   */
  readonly shift: Seconds;
}

/** A file of a feed and the day it is read for. */
export interface FeedOfDay {
  readonly path: string;
  /** The `fingerprint` of the feed. */
  readonly sha256: string;
  readonly day: ServiceDate;
  readonly patterns: FeedFacts['weekday_patterns'];
  /** Number of trips on the feed's best ordinary weekdays, or days of a weekend like its own. */
  readonly best: number;
  /** Routes that are not read, each with the file of the feed that it is read from. */
  readonly without: readonly (readonly [route: string, file: string])[];
}

const SECONDS_PER_DAY = 86_400;

/**
 * Reads a feed for its day, with times on the common clock of all feeds. Includes trips of earlier
 * days that still run in the window. Throws a `BuildError` for an unusable feed. With `unknown`,
 * also returns the service for riders without steps, at the same stops in the same order.
 */
export async function readFeedDay(
  feed: Feed,
  { day, patterns, best, without, ...file }: FeedOfDay,
  clock: TransitClock,
  unknown?: WheelchairUnknown,
): Promise<{
  feedDay: FeedDay;
  stepFreeDay: FeedDay | null;
  facts: FeedFacts;
  runs: readonly TripRun[];
}> {
  const elsewhere = new Map(without);
  reportRepeated(feed, elsewhere);
  const windows = daysInWindow(feed.timeZone, day, clock);
  const inWindow = await readTrips(feed, windows, elsewhere);
  const runs = inWindow.map(({ run }) => run);
  const { ordinals, rails, stations, stops } = stopsOf(feed, runs, clock);
  reportClosedStops(feed, inWindow, stops);
  const departures = stops.map(() => new Map<string, number>());
  const routes = [...new Set(inWindow.map(({ run }) => run.route))].sort();
  const routeOrdinals = new Map(routes.map((id, ordinal) => [id, ordinal]));
  const added = inWindow.map(({ run, window: { number, shift } }) => {
    const scheduled = scheduledTrip(run, shift, ordinals, routeOrdinals);
    countDepartures(run, scheduled, stops, clock.length, departures);
    return { run, day: number, scheduled };
  });
  const positions = new Map(added.map(({ scheduled }, i) => [scheduled, i]));
  const continuations = continuationsOf(feed, added).map(([from, to]) => {
    // In some feeds, a vehicle is at the start of its next trip before the end of its last one.
    to.arrivals[0] = Math.max(to.arrivals[0], from.arrivals[from.arrivals.length - 1]);
    return [positions.get(from)!, positions.get(to)!] as const;
  });
  const feedDay: FeedDay = {
    stops,
    departures,
    continuations,
    rules: transferRulesOf(feed, ordinals),
    insideWalks: walksInside(feed, ordinals, stations),
    trips: added.map(({ scheduled }) => scheduled),
    routes: routes.map((id) => feed.routeNames.get(id) ?? id),
  };
  const stepFree = unknown
    ? stepFreeDay(feed, feedDay, { runs, ordinals, rails, stations }, unknown)
    : null;
  return {
    runs,
    feedDay,
    stepFreeDay: stepFree?.feedDay ?? null,
    facts: {
      agency: feed.agency,
      file: path.basename(file.path),
      feed_id: feed.info.feedId,
      publisher: feed.info.publisher,
      sha256: file.sha256,
      time_zone: feed.timeZone,
      service_date: isoDate(day),
      runs_on_common_day: day === clock.common,
      weekday_patterns: [...patterns],
      best_weekday_trips: best,
      trips_in_window: inWindow.length,
      trips_by_phone: inWindow.filter(({ run }) => run.calls.some(({ byPhone }) => byPhone)).length,
      ...(stepFree && { wheelchair: stepFree.facts }),
      problems: [...feed.report.problems],
    },
  };
}

/**
 * Returns the days whose trips may run in the window, each with the window by its own times: the
 * day of a feed, those before it, and the day after, which a late window lasts into.
 */
export function daysInWindow(
  timeZone: string,
  day: ServiceDate,
  { earliest, latest, ...clock }: TransitClock,
): ShiftedDay[] {
  const offset = offsetAtNoon(timeZone, day);
  const days: ShiftedDay[] = [];
  for (let number = 1; ; number--) {
    const date = dateOf(dayNumber(day) + number);
    // Two noons are 24 hours apart, or 23 or 25 when the clocks change.
    const secondsBetweenNoons = -number * SECONDS_PER_DAY - offset + offsetAtNoon(timeZone, date);
    const shift = shiftOf(clock, timeZone) - secondsBetweenNoons;
    const [from, to] = [earliest, latest].map((time) => time / MILLIS_PER_SECOND - shift);
    if (from > FEED_LIMITS.serviceTime) return days;
    if (to >= 0) days.push({ day: date, number, shift, from, to });
  }
}

function reportRepeated({ trips, report }: Feed, elsewhere: ReadonlyMap<string, string>): void {
  for (const { route, line } of trips.values()) {
    const file = elsewhere.get(route);
    if (file === undefined) continue;
    report.add('trips.txt', line, `on a route that is read from ${file}; left out`);
  }
}

/** Numbers the stops that some trips call at, and finds their stations. */
function stopsOf(feed: Feed, runs: readonly TripRun[], clock: TransitClock) {
  const used = new Set<string>();
  const rails = new Map<string, RailKind>();
  for (const { calls, route } of runs) {
    const kind = feed.railways.get(route);
    for (const { stop } of calls) {
      used.add(stop);
      if (kind && rails.get(stop) !== 'subway') rails.set(stop, kind);
    }
  }
  const stations = new StationEntrances(feed, rails);
  const opens = new Map<string, Millis>();
  const opensIn = (zone: string): Millis => {
    const known = opens.get(zone) ?? opensAt(clock, zone);
    opens.set(zone, known);
    return known;
  };
  const ids = [...used].sort();
  const ordinals = new Map(ids.map((id, ordinal): [string, StopOrdinal] => [id, ordinal]));
  const stops = ids.map((id): StopOfFeed => {
    const stop = feed.stops.get(id)!;
    const station = stationOf(feed, stop);
    return {
      agency: feed.agency,
      id,
      name: stop.name,
      lon: stop.lon,
      lat: stop.lat,
      station: { id: station.id, name: station.name, lon: station.lon, lat: station.lat },
      entrances: stations.of(stop),
      rails: rails.get(id) ?? null,
      level: stop.level,
      windowStart: opensIn(timeZoneOf(feed, stop)),
    };
  });
  return { ordinals, rails, stations, stops };
}

/** Finds the walks inside stations between some stops. */
function walksInside(
  feed: Feed,
  ordinals: ReadonlyMap<string, StopOrdinal>,
  stations: StationEntrances,
): WalkOfFeed[] {
  const walks: WalkOfFeed[] = [];
  for (const [id, from] of ordinals) {
    for (const [other, { seconds, lies }] of stations.within(feed.stops.get(id)!)) {
      const to = ordinals.get(other);
      if (to === undefined || to === from) continue;
      walks.push({ from, to, time: Math.round(seconds * MILLIS_PER_SECOND), lies });
    }
  }
  return walks;
}

/** The trips of a day, in its order, and its stops. */
interface ReadDay {
  readonly runs: readonly TripRun[];
  readonly ordinals: ReadonlyMap<string, StopOrdinal>;
  readonly rails: ReadonlyMap<string, RailKind>;
  readonly stations: StationEntrances;
}

/**
 * Reduces the day of a feed to what riders without steps may use: trips with room for a wheelchair,
 * calls at stops that are boarded in one, and the ways without steps inside stations. Stops and
 * trips on which the feed states nothing are `unknown`.
 */
function stepFreeDay(
  feed: Feed,
  { stops, trips, continuations, ...day }: FeedDay,
  { runs, ordinals, rails, stations: all }: ReadDay,
  unknown: WheelchairUnknown,
): { readonly feedDay: FeedDay; readonly facts: WheelchairFacts } {
  const isOpen = (access: WheelchairAccess) => access !== 'no' && (access ?? unknown) !== 'closed';
  const stations = new StationEntrances(feed, rails, {
    all,
    isOpen: (entrance) => wheelchairAt(feed, entrance) !== 'no',
  });
  const stated = stops.map(({ id }) => wheelchairAt(feed, feed.stops.get(id)!));
  const positions = new Map<number, number>();
  const kept: ScheduledTrip[] = [];
  trips.forEach((trip, i) => {
    if (isOpen(runs[i].wheelchair))
      positions.set(i, kept.push(withoutStops(trip, stated, isOpen)) - 1);
  });
  const isStated = (access: WheelchairAccess) => access !== null;
  const isRefused = (access: WheelchairAccess) => access === 'no';
  return {
    feedDay: {
      ...day,
      stops: stops.map((stop, i) => {
        const entrances = stations.of(feed.stops.get(stop.id)!);
        const isUncertain = unknown === 'street' && stated[i] === null;
        return { ...stop, entrances, isUncertain };
      }),
      trips: kept,
      continuations: continuations.flatMap(([from, to]) => {
        const [a, b] = [positions.get(from), positions.get(to)];
        return a === undefined || b === undefined ? [] : [[a, b] as const];
      }),
      insideWalks: walksInside(feed, ordinals, stations),
    },
    facts: {
      stops: stops.length,
      stops_stated: stated.filter(isStated).length,
      stops_refused: stated.filter(isRefused).length,
      trips: runs.length,
      trips_stated: runs.filter(({ wheelchair }) => isStated(wheelchair)).length,
      trips_refused: runs.filter(({ wheelchair }) => isRefused(wheelchair)).length,
    },
  };
}

/** A trip that is neither boarded nor left at stops that are not open. */
function withoutStops(
  trip: ScheduledTrip,
  stated: readonly WheelchairAccess[],
  isOpen: (access: WheelchairAccess) => boolean,
): ScheduledTrip {
  return {
    ...trip,
    rules: trip.rules.map((rule, i) => (isOpen(stated[trip.stops[i]]) ? rule : 0)),
  };
}

/**
 * Reports the stops where trips may be boarded or left, but to or from which no pathway leads from
 * or to an entrance.
 */
function reportClosedStops(
  feed: Feed,
  trips: readonly { readonly run: TripRun }[],
  stops: readonly StopOfFeed[],
): void {
  const [boarded, left] = [new Set<string>(), new Set<string>()];
  for (const { run } of trips) {
    for (const { stop, board, alight } of run.calls) {
      if (board) boarded.add(stop);
      if (alight) left.add(stop);
    }
  }
  const noWay = (way: 'secondsIn' | 'secondsOut') => (stop: StopOfFeed) =>
    stop.entrances.every((entrance) => entrance[way] === Number.POSITIVE_INFINITY);
  const closed: readonly [string, StopOfFeed[]][] = [
    [
      'no pathway from an entrance; nobody can board from the street',
      stops.filter(({ id }) => boarded.has(id)).filter(noWay('secondsIn')),
    ],
    [
      'no pathway to an entrance; nobody can leave to the street',
      stops.filter(({ id }) => left.has(id)).filter(noWay('secondsOut')),
    ],
  ];
  for (const [problem, some] of closed) {
    for (const { id } of some) {
      const first = `${problem} (first at stop ${some[0].id})`;
      feed.report.add('stops.txt', feed.stops.get(id)!.line, first);
    }
  }
}

function scheduledTrip(
  run: TripRun,
  shift: number,
  ordinals: ReadonlyMap<string, StopOrdinal>,
  routes: ReadonlyMap<string, RouteOrdinal>,
): ScheduledTrip {
  return {
    stops: run.calls.map(({ stop }) => ordinals.get(stop)!),
    rules: run.calls.map(({ board, alight }) => (board ? BOARD : 0) | (alight ? ALIGHT : 0)),
    arrivals: run.arrivals.map((time) => (time + shift) * MILLIS_PER_SECOND),
    departures: run.departures.map((time) => (time + shift) * MILLIS_PER_SECOND),
    route: routes.get(run.route)!,
  };
}

/** Counts the departures, per stop, at which riders may board a trip while the window is open. */
function countDepartures(
  run: TripRun,
  { stops: calls, departures }: ScheduledTrip,
  stops: readonly StopOfFeed[],
  length: Millis,
  counts: readonly Map<string, number>[],
): void {
  const line = lineOf(run, stops[calls[calls.length - 1]]);
  run.calls.forEach(({ board }, i) => {
    const isLast = i === calls.length - 1;
    const opens = stops[calls[i]].windowStart;
    if (board && !isLast && departures[i] >= opens && departures[i] < opens + length) {
      const ofStop = counts[calls[i]];
      ofStop.set(line, (ofStop.get(line) ?? 0) + 1);
    }
  });
}

/** Identifies a line in one direction: that given by its feed, or else the terminus of the trip. */
function lineOf({ route, direction }: TripRun, { agency, station }: StopOfFeed): string {
  return [agency, route, direction || `to ${station.id}`].join('\0');
}
