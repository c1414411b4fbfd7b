import { foldText } from '../../shards/folded-text.ts';
import { BuildError, quoted } from '../errors.ts';
import { Calendar } from './calendar.ts';
import { FeedReport, withProblems } from './feed-report.ts';
import { type FeedContainer, type FeedSource, openFeedSource } from './feed-source.ts';
import { type Frequency, readFrequencies, runsOf } from './frequencies.ts';
import { type Pathway, readPathways } from './pathways.ts';
import { dayNumber, isTimeZone, type ServiceDay } from './service-time.ts';
import { type FeedStop, LOCATION, readStops } from './stops.ts';
import { readTable } from './table.ts';
import { readTransfers, type Transfers } from './transfers.ts';
import { codeOf, parseServiceDate, type WheelchairAccess, wheelchairAccessOf } from './values.ts';

export interface FeedTrip {
  readonly id: string;
  readonly service: string;
  readonly route: string;
  /** `direction_id`, or ''. */
  readonly direction: string;
  /** `block_id`, shared by the trips that one vehicle runs on the same day; or ''. */
  readonly block: string;
  /** `shape_id`, or ''. */
  readonly shape: string;
  /** Whether the trip runs only for riders who have requested it, and so cannot be relied on. */
  readonly onDemand: boolean;
  readonly wheelchair: WheelchairAccess;
  /** The line of the trip in `trips.txt`. */
  readonly line: number;
}

/**
 * Kinds of rail: below or above the streets (subways, elevated railways, monorails); in or
 * alongside them (trams, light rail); or a separate railway.
 */
export type RailKind = 'subway' | 'tram' | 'train';

export interface FeedInfo {
  /** `feed_id`, a common extension of GTFS; null if absent. */
  readonly feedId: string | null;
  /** `feed_publisher_name`; null if absent. */
  readonly publisher: string | null;
  /** The days for which the feed claims to be valid; null if not stated. */
  readonly firstDay: ServiceDay | null;
  readonly lastDay: ServiceDay | null;
}

/** A GTFS feed except for its stop times, which `readTrips` reads only for the relevant days. */
export interface Feed {
  readonly source: FeedSource;
  /** The name of the feed's first agency, which qualifies the ids of its stops. */
  readonly agency: string;
  /** The names of all agencies of the feed, without differences of case, accents and spaces. */
  readonly agencies: ReadonlySet<string>;
  readonly info: FeedInfo;
  /**
   * The time zone of the feed's agencies, which applies to all stop times, and to stops without a
   * zone of their own.
   */
  readonly timeZone: string;
  readonly stops: ReadonlyMap<string, FeedStop>;
  readonly trips: ReadonlyMap<string, FeedTrip>;
  readonly calendar: Calendar;
  readonly frequencies: ReadonlyMap<string, readonly Frequency[]>;
  readonly transfers: Transfers;
  readonly pathways: readonly Pathway[];
  /** The name of each route as riders know it, by route id: the short name, if there is one. */
  readonly routeNames: ReadonlyMap<string, string>;
  /** The colour of each route that has one, `#RRGGBB`, by route id. */
  readonly routeColours: ReadonlyMap<string, string>;
  /** The kind of rail of each route on rails, by route id. */
  readonly railways: ReadonlyMap<string, RailKind>;
  /** Number of trips, including repetitions by headway. */
  readonly tripCount: number;
  /** Number of trips of each service, including repetitions by headway. */
  readonly tripsOfService: ReadonlyMap<string, number>;
  /** Number of trips by route, then by service, including repetitions by headway. */
  readonly tripsOfRoutes: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /**
   * A number for each service, equal for services with the same number of trips of each route and
   * direction.
   */
  readonly kindOfService: ReadonlyMap<string, number>;
  readonly report: FeedReport;
}

const REQUIRED_FILES = ['agency.txt', 'stops.txt', 'trips.txt', 'stop_times.txt'];

/** Opens a feed, and checks that it has the required tables. Close it when done. */
export async function openFeed(path: string): Promise<FeedContainer> {
  const source = await openFeedSource(path);
  try {
    for (const file of REQUIRED_FILES) {
      if (!source.has(file)) {
        throw new BuildError(`${path}: has no ${file}; is it a complete GTFS feed?`);
      }
    }
    if (!source.has('calendar.txt') && !source.has('calendar_dates.txt')) {
      throw new BuildError(`${path}: has neither calendar.txt nor calendar_dates.txt`);
    }
    return source;
  } catch (error) {
    source.close();
    throw error;
  }
}

/** Counts the trips listed by a feed that need not be usable; null if they cannot be read. */
export async function countListedTrips(path: string): Promise<number | null> {
  try {
    const source = await openFeedSource(path);
    let trips = 0;
    try {
      await readTable(source, new FeedReport(), 'trips.txt', ['trip_id'], () => trips++);
    } finally {
      source.close();
    }
    return trips;
  } catch (error) {
    if (error instanceof BuildError) return null;
    throw error;
  }
}

/** Opens a feed and reads everything but stop times and shapes. Close its `source` when done. */
export async function readFeed(path: string): Promise<Feed> {
  const source = await openFeed(path);
  try {
    const report = new FeedReport();
    const agency = await readAgency(source, report);
    const stops = await readStops(source, report);
    const calendar = await Calendar.read(source, report);
    const { onDemand, railways, routeNames, routeColours } = await readRoutes(source, report);
    const trips = await readTripHeads(source, calendar, { onDemand, routeNames }, report);
    const frequencies = await readFrequencies(source, trips, report);
    return {
      source,
      ...agency,
      info: await readFeedInfo(source, report),
      stops,
      trips,
      calendar,
      frequencies,
      transfers: await readTransfers(source, stops, trips, report),
      pathways: await readPathways(source, stops, report),
      routeNames,
      routeColours,
      railways,
      ...countTrips(trips, frequencies),
      report,
    };
  } catch (error) {
    source.close();
    throw error;
  }
}

async function readFeedInfo(source: FeedSource, report: FeedReport): Promise<FeedInfo> {
  let info: FeedInfo | null = null;
  await readTable(source, report, 'feed_info.txt', [], (row) => {
    if (info) return report.add('feed_info.txt', row.line, 'another row than the first; left out');
    const day = (column: string): ServiceDay | null => {
      const text = row.text(column);
      const date = parseServiceDate(text);
      if (date !== null) return dayNumber(date);
      if (text !== '') report.add('feed_info.txt', row.line, `no valid ${column}; left out`);
      return null;
    };
    info = {
      feedId: row.text('feed_id') || null,
      publisher: row.text('feed_publisher_name') || null,
      firstDay: day('feed_start_date'),
      lastDay: day('feed_end_date'),
    };
  });
  return info ?? { feedId: null, publisher: null, firstDay: null, lastDay: null };
}

/** Reads the name of the first agency, and the first time zone, which must be that of all. */
async function readAgency(source: FeedSource, report: FeedReport) {
  let name: string | null = null;
  const zones: { readonly line: number; readonly zone: string; readonly isValid: boolean }[] = [];
  const ids = new Set<string>();
  const agencies = new Set<string>();
  await readTable(source, report, 'agency.txt', ['agency_timezone'], (row) => {
    const id = row.text('agency_id');
    if (ids.has(id)) return report.add('agency.txt', row.line, 'duplicate agency_id; left out');
    if (id !== '') ids.add(id);
    const agency = row.text('agency_name') || id;
    name ??= agency;
    if (agency !== '') agencies.add(foldText(agency).replaceAll(/\s+/g, ' '));
    const zone = row.text('agency_timezone');
    zones.push({ line: row.line, zone, isValid: isTimeZone(zone) });
  });
  if (zones.length === 0) {
    const problems = report.problems.filter(({ file }) => file === 'agency.txt');
    throw new BuildError(withProblems(`${source.path}: agency.txt lists no agency`, problems));
  }
  const timeZone = zones.find(({ isValid }) => isValid)?.zone;
  if (timeZone === undefined) {
    const { line, zone } = zones[0];
    throw new BuildError(
      `${source.path}: agency.txt: line ${line}: agency_timezone ${quoted(zone)} is not a time zone such as America/New_York; correct it`,
    );
  }
  for (const { line, zone, isValid } of zones) {
    if (zone === timeZone) continue;
    const what = isValid ? 'a different time zone' : 'no valid agency_timezone';
    report.add('agency.txt', line, `${what}; ${timeZone} is used for all`);
  }
  return { agency: name ?? '', agencies, timeZone };
}

/** GTFS `route_type` of buses, and the number of extended types, of which most are unused. */
const [BUS, ROUTE_TYPES] = [3, 1800];

/** Six digits, which some feeds write as web pages do. */
const COLOUR = /^#?([0-9A-F]{6})$/;
/** The colour of a route whose feed gives none. */
const NO_COLOUR = 'FFFFFF';

/**
 * Reads the names, colours and kinds of routes, according to GTFS's own types and the widely used
 * extended ones. Routes on demand are demand-responsive buses, and taxis, including shared ones.
 */
async function readRoutes(source: FeedSource, report: FeedReport) {
  const onDemand = new Set<string>();
  const railways = new Map<string, RailKind>();
  const routeNames = new Map<string, string>();
  const routeColours = new Map<string, string>();
  await readTable(source, report, 'routes.txt', ['route_id'], (row) => {
    const [id, stated] = [row.text('route_id'), row.number('route_type')];
    if (routeNames.has(id)) {
      return report.add('routes.txt', row.line, 'duplicate route_id; left out');
    }
    const isKnown = stated !== null && stated >= 0 && stated < ROUTE_TYPES;
    if (!isKnown) report.add('routes.txt', row.line, 'no valid route_type; taken as 3, a bus');
    const type = isKnown ? stated : BUS;
    if (type === 715 || (type >= 1500 && type < 1600)) onDemand.add(id);
    routeNames.set(id, row.text('route_short_name') || row.text('route_long_name') || id);
    const colour = COLOUR.exec(row.text('route_color').toUpperCase())?.[1] ?? NO_COLOUR;
    if (colour !== NO_COLOUR) routeColours.set(id, `#${colour}`);
    const kind = railKindOf(type);
    if (kind) railways.set(id, kind);
  });
  return { onDemand, railways, routeNames, routeColours };
}

/** Returns the kind of rail of a `route_type`, standard or extended; null if it is not on rails. */
function railKindOf(type: number): RailKind | null {
  if (type === 1 || type === 12 || (type >= 400 && type < 700)) return 'subway';
  if (type === 2 || (type >= 100 && type < 200)) return 'train';
  if (type === 0 || type === 5 || (type >= 900 && type < 1000)) return 'tram';
  return null;
}

const DIRECTIONS: ReadonlySet<string> = new Set(['', '0', '1']);

async function readTripHeads(
  source: FeedSource,
  calendar: Calendar,
  routes: Pick<Feed, 'routeNames'> & { readonly onDemand: ReadonlySet<string> },
  report: FeedReport,
) {
  const trips = new Map<string, FeedTrip>();
  await readTable(source, report, 'trips.txt', ['trip_id', 'service_id'], (row) => {
    const [id, service] = [row.text('trip_id'), row.text('service_id')];
    if (id === '') return report.add('trips.txt', row.line, 'no trip_id; left out');
    if (trips.has(id)) return report.add('trips.txt', row.line, 'duplicate trip_id; left out');
    if (!calendar.has(service)) {
      report.add('trips.txt', row.line, 'service missing from the calendar; never runs');
    }
    const [route, direction] = [row.text('route_id'), codeOf(row.text('direction_id'))];
    if (!DIRECTIONS.has(direction)) {
      report.add('trips.txt', row.line, 'direction_id neither 0 nor 1; taken as another direction');
    }
    if (source.has('routes.txt') && !routes.routeNames.has(route)) {
      report.add('trips.txt', row.line, 'route missing from routes.txt; taken as a bus');
    }
    const onDemand = routes.onDemand.has(route);
    if (onDemand) report.add('trips.txt', row.line, 'on a demand-responsive route; left out');
    const [block, shape] = [row.text('block_id'), row.text('shape_id')];
    const wheelchair = wheelchairAccessOf(row.text('wheelchair_accessible'));
    const { line } = row;
    trips.set(id, { id, service, route, direction, block, shape, onDemand, wheelchair, line });
  });
  return trips;
}

function countTrips(
  trips: ReadonlyMap<string, FeedTrip>,
  frequencies: ReadonlyMap<string, readonly Frequency[]>,
): Pick<Feed, 'tripCount' | 'tripsOfService' | 'tripsOfRoutes' | 'kindOfService'> {
  const tripsOfService = new Map<string, number>();
  const tripsOfRoutes = new Map<string, Map<string, number>>();
  const kindOfService = new Map<string, number>();
  const add = (counts: Map<string, number>, key: string, count: number) =>
    counts.set(key, (counts.get(key) ?? 0) + count);
  for (const { id, service, route, direction, onDemand } of trips.values()) {
    const runs = frequencies.get(id)?.reduce((n, frequency) => n + runsOf(frequency), 0) ?? 1;
    if (onDemand || runs === 0) continue;
    const ofRoute = tripsOfRoutes.get(route) ?? new Map<string, number>();
    tripsOfRoutes.set(route, ofRoute);
    add(tripsOfService, service, runs);
    add(ofRoute, service, runs);
    add(kindOfService, service, runs * numberOf(route, direction));
  }
  const tripCount = [...tripsOfService.values()].reduce((sum, count) => sum + count, 0);
  return { tripCount, tripsOfService, tripsOfRoutes, kindOfService };
}

const KINDS = 1 << 26;

/**
 * Hashes a route and direction to a number of at least 1 that few others share. It is small, so
 * that sums of many such numbers are exact.
 */
function numberOf(route: string, direction: string): number {
  let hash = 0x811c9dc5;
  const text = `${route}\0${direction}`;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return 1 + ((hash >>> 0) % KINDS);
}

/** Returns the station that a stop belongs to, or the stop itself if it belongs to none. */
export function stationOf({ stops }: Pick<Feed, 'stops'>, stop: FeedStop): FeedStop {
  const parent = stops.get(stop.parent);
  return parent?.type === LOCATION.station ? parent : stop;
}

export function timeZoneOf(feed: Pick<Feed, 'stops' | 'timeZone'>, stop: FeedStop): string {
  return stationOf(feed, stop).timeZone ?? feed.timeZone;
}

/** Returns the statement on a stop or entrance, or else on the station that it belongs to. */
export function wheelchairAt(feed: Pick<Feed, 'stops'>, stop: FeedStop): WheelchairAccess {
  return stop.wheelchair ?? stationOf(feed, stop).wheelchair;
}
