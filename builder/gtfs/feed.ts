import type { Degrees } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { ROUTING } from '../routing-parameters.ts';
import { Calendar } from './calendar.ts';
import { FeedReport } from './feed-report.ts';
import { type FeedSource, openFeedSource } from './feed-source.ts';
import { type Frequency, readFrequencies, runsOf } from './frequencies.ts';
import { FEED_LIMITS } from './limits.ts';
import { offsetAtNoon } from './service-time.ts';
import { type Row, readTable } from './table.ts';

/** GTFS `location_type`. */
export const LOCATION = { stop: 0, station: 1, entrance: 2, node: 3, boardingArea: 4 } as const;

export interface FeedStop {
  readonly id: string;
  readonly name: string;
  readonly lon: Degrees;
  readonly lat: Degrees;
  /** One of `LOCATION`. */
  readonly type: number;
  /** Id of the station it belongs to, or ''. */
  readonly parent: string;
}

export interface FeedTrip {
  readonly id: string;
  readonly service: string;
}

export interface Transfer {
  readonly from: string;
  readonly to: string;
  /** Whether one may not change there at all. */
  readonly forbidden: boolean;
  /** Seconds one needs at least. */
  readonly minSeconds: number;
}

export interface Pathway {
  readonly from: string;
  readonly to: string;
  readonly seconds: number;
  readonly bothWays: boolean;
}

/** A GTFS feed but for its stop times, which are read for the days that matter: `readTrips`. */
export interface Feed {
  readonly source: FeedSource;
  /** The name of its first agency: what its stops' ids are told apart by. */
  readonly agency: string;
  /** `feed_id` of feed_info.txt, which many feeds have beside what GTFS defines; null without. */
  readonly feedId: string | null;
  readonly timeZone: string;
  readonly stops: ReadonlyMap<string, FeedStop>;
  readonly trips: ReadonlyMap<string, FeedTrip>;
  readonly calendar: Calendar;
  readonly frequencies: ReadonlyMap<string, readonly Frequency[]>;
  readonly transfers: readonly Transfer[];
  readonly pathways: readonly Pathway[];
  /** Trips of each service, repetitions by headway counted. */
  readonly tripsOfService: ReadonlyMap<string, number>;
  readonly report: FeedReport;
}

const REQUIRED_FILES = ['agency.txt', 'stops.txt', 'trips.txt', 'stop_times.txt'];

/** Opens a feed and reads all of it but stop times and shapes. Close its `source` when done. */
export async function readFeed(path: string): Promise<Feed> {
  const source = await openFeedSource(path);
  try {
    for (const file of REQUIRED_FILES) {
      if (!source.has(file)) {
        throw new BuildError(`${path}: has no ${file}; is it a whole GTFS feed?`);
      }
    }
    if (!source.has('calendar.txt') && !source.has('calendar_dates.txt')) {
      throw new BuildError(`${path}: has neither calendar.txt nor calendar_dates.txt`);
    }
    const report = new FeedReport();
    const agency = await readAgency(source, report);
    const stops = await readStops(source, report);
    const calendar = await Calendar.read(source, report);
    const trips = await readTripHeads(source, calendar, report);
    const frequencies = await readFrequencies(source, trips, report);
    return {
      source,
      ...agency,
      feedId: await readFeedId(source),
      stops,
      trips,
      calendar,
      frequencies,
      transfers: await readTransfers(source, stops, report),
      pathways: await readPathways(source, stops, report),
      tripsOfService: countTrips(trips, frequencies),
      report,
    };
  } catch (error) {
    source.close();
    throw error;
  }
}

async function readFeedId(source: FeedSource): Promise<string | null> {
  let feedId = '';
  await readTable(source, 'feed_info.txt', [], (row) => {
    feedId ||= row.text('feed_id');
  });
  return feedId || null;
}

async function readAgency(source: FeedSource, report: FeedReport) {
  let first: { agency: string; timeZone: string } | null = null;
  await readTable(source, 'agency.txt', ['agency_timezone'], (row) => {
    const timeZone = row.text('agency_timezone');
    first ??= { agency: row.text('agency_name') || row.text('agency_id'), timeZone };
    if (timeZone !== first.timeZone) {
      report.add('agency.txt', row.line, `another time zone; ${first.timeZone} is used for all`);
    }
  });
  // Assigned in the callback, which the compiler does not follow.
  const found = first as { agency: string; timeZone: string } | null;
  if (!found) throw new BuildError(`${source.path}: agency.txt names no agency`);
  try {
    offsetAtNoon(found.timeZone, '20200101');
  } catch {
    throw new BuildError(
      `${source.path}: agency.txt: "${found.timeZone}" is no time zone; it should be one such as America/New_York`,
    );
  }
  return found;
}

async function readStops(source: FeedSource, report: FeedReport): Promise<Map<string, FeedStop>> {
  const stops = new Map<string, FeedStop>();
  const parents: { readonly parent: string; readonly line: number }[] = [];
  await readTable(source, 'stops.txt', ['stop_id'], (row) => {
    const [id, type] = [row.text('stop_id'), row.number('location_type') ?? LOCATION.stop];
    const [lat, lon] = [row.number('stop_lat'), row.number('stop_lon')];
    const mayFloat = type === LOCATION.node || type === LOCATION.boardingArea;
    const placed = lat !== null && lon !== null && Math.abs(lat) <= 90 && Math.abs(lon) <= 180;
    if (id === '' || (!placed && !mayFloat) || (lat === 0 && lon === 0)) {
      return report.add('stops.txt', row.line, 'no id or no valid coordinates; left out');
    }
    const parent = row.text('parent_station');
    if (stops.has(id)) return report.add('stops.txt', row.line, 'stop_id given twice; left out');
    stops.set(id, {
      id,
      name: row.text('stop_name') || id,
      lon: lon ?? Number.NaN,
      lat: lat ?? Number.NaN,
      type,
      parent,
    });
    if (parent !== '') parents.push({ parent, line: row.line });
  });
  for (const { parent, line } of parents) {
    if (!stops.has(parent)) report.add('stops.txt', line, 'names a parent_station not there');
  }
  return stops;
}

async function readTripHeads(source: FeedSource, calendar: Calendar, report: FeedReport) {
  const trips = new Map<string, FeedTrip>();
  await readTable(source, 'trips.txt', ['trip_id', 'service_id'], (row) => {
    const [id, service] = [row.text('trip_id'), row.text('service_id')];
    if (trips.has(id)) return report.add('trips.txt', row.line, 'trip_id given twice; left out');
    if (!calendar.has(service)) {
      report.add('trips.txt', row.line, 'names a service the calendar lacks; never runs');
    }
    trips.set(id, { id, service });
  });
  return trips;
}

async function readTransfers(
  source: FeedSource,
  stops: ReadonlyMap<string, FeedStop>,
  report: FeedReport,
): Promise<Transfer[]> {
  const transfers: Transfer[] = [];
  await readTable(source, 'transfers.txt', ['from_stop_id', 'to_stop_id'], (row) => {
    const [from, to, type] = ['from_stop_id', 'to_stop_id', 'transfer_type'].map((c) =>
      row.text(c),
    );
    if (isForSomeTrips(row)) {
      return report.add('transfers.txt', row.line, 'holds for single routes or trips; not used');
    }
    if (!stops.has(from) || !stops.has(to)) {
      return report.add('transfers.txt', row.line, 'names a stop stops.txt lacks; left out');
    }
    if (type !== '2' && type !== '3') return;
    const minSeconds = row.number('min_transfer_time') ?? 0;
    transfers.push({
      from,
      to,
      forbidden: type === '3',
      minSeconds: minSeconds >= 0 ? Math.min(minSeconds, FEED_LIMITS.serviceTime) : 0,
    });
  });
  return transfers;
}

function isForSomeTrips(row: Row): boolean {
  return ['from_trip_id', 'to_trip_id', 'from_route_id', 'to_route_id'].some(
    (column) => row.text(column) !== '',
  );
}

/** An escalator's or a stair's step, walked or ridden. */
const SECONDS_PER_STEP = 0.75;
const EXIT_GATE = '7';

async function readPathways(
  source: FeedSource,
  stops: ReadonlyMap<string, FeedStop>,
  report: FeedReport,
): Promise<Pathway[]> {
  const pathways: Pathway[] = [];
  await readTable(source, 'pathways.txt', ['from_stop_id', 'to_stop_id'], (row) => {
    const [from, to] = [row.text('from_stop_id'), row.text('to_stop_id')];
    if (!stops.has(from) || !stops.has(to)) {
      return report.add('pathways.txt', row.line, 'names a stop stops.txt lacks; left out');
    }
    const steps = Math.abs(row.number('stair_count') ?? 0) * SECONDS_PER_STEP;
    const metres = row.number('length') ?? 0;
    const seconds = row.number('traversal_time') ?? metres / ROUTING.walkMetresPerSecond + steps;
    if (!(seconds >= 0 && seconds <= FEED_LIMITS.serviceTime)) {
      return report.add('pathways.txt', row.line, 'no valid time or length; left out');
    }
    const bothWays = row.text('is_bidirectional') === '1' && row.text('pathway_mode') !== EXIT_GATE;
    pathways.push({ from, to, seconds, bothWays });
  });
  return pathways;
}

function countTrips(
  trips: ReadonlyMap<string, FeedTrip>,
  frequencies: ReadonlyMap<string, readonly Frequency[]>,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { id, service } of trips.values()) {
    const runs = frequencies.get(id)?.reduce((n, frequency) => n + runsOf(frequency), 0);
    counts.set(service, (counts.get(service) ?? 0) + (runs ?? 1));
  }
  return counts;
}
