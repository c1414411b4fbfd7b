import { fillBlankTimes } from '../../builder/gtfs/blank-times.ts';
import { Calendar } from '../../builder/gtfs/calendar.ts';
import { openFeed } from '../../builder/gtfs/feed.ts';
import { FeedReport } from '../../builder/gtfs/feed-report.ts';
import type { FeedContainer } from '../../builder/gtfs/feed-source.ts';
import { departuresOf, type Frequency, frequencyIn } from '../../builder/gtfs/frequencies.ts';
import { FEED_LIMITS } from '../../builder/gtfs/limits.ts';
import { clock, type ServiceDay, type ServiceSeconds } from '../../builder/gtfs/service-time.ts';
import { Shapes } from '../../builder/gtfs/shapes.ts';
import { type FeedStop, readStops } from '../../builder/gtfs/stops.ts';
import { FLEXIBLE } from '../../builder/gtfs/trips.ts';
import { codeOf, parseServiceTime } from '../../builder/gtfs/values.ts';
import { addTo } from '../../shards/arrays/group-by.ts';
import type { Seconds } from '../../shards/units.ts';
import { UsageError } from '../errors.ts';
import { RawTable, type TableRecord } from './raw-table.ts';
import { ChangeError } from './scenario-file.ts';

/** A call of a trip at a stop. Times are null where they are blank. */
export interface Call {
  readonly record: TableRecord;
  readonly stop: string;
  arrival: ServiceSeconds | null;
  departure: ServiceSeconds | null;
}

export interface Trip {
  readonly id: string;
  readonly route: string;
  readonly service: string;
  /** `direction_id`, or ''. */
  readonly direction: string;
  readonly headsign: string;
  readonly record: TableRecord;
  /** The calls in the order of travel. */
  calls: Call[];
  frequencies: TableRecord[];
  /** Whether the times of the trip, which the feed has, have changed. */
  isRetimed: boolean;
  readonly original: {
    readonly trip: readonly TableRecord[];
    readonly calls: readonly TableRecord[];
    readonly frequencies: readonly TableRecord[];
  };
}

export interface Route {
  readonly id: string;
  readonly shortName: string;
  readonly longName: string;
  readonly record: TableRecord;
}

interface Needs {
  /** Ids of the routes whose trips are read, found among all. */
  readonly routes: (routes: ReadonlyMap<string, Route>) => ReadonlySet<string>;
  /** Whether blank times may have to be filled in. */
  readonly shapes: boolean;
}

const MAX_NEW_TRIPS = 100_000;

/**
 * A feed that is being changed: its routes and stops, and the trips of the routes in question, with
 * their records. All other records are read again as the changed feed is written.
 */
export class FeedDraft {
  readonly feed: FeedContainer;
  readonly calendar: Calendar;
  readonly routes: ReadonlyMap<string, Route>;
  readonly stops: ReadonlyMap<string, FeedStop>;
  readonly tables: {
    readonly routes: RawTable;
    readonly stops: RawTable;
    readonly trips: RawTable;
    readonly stopTimes: RawTable;
    readonly frequencies: RawTable | null;
  };
  readonly #trips: Map<string, Trip>;
  readonly #shapes: Shapes;
  readonly #days = new Map<string, ReadonlySet<ServiceDay>>();
  /** The services of all trips of the feed. */
  readonly services: ReadonlySet<string>;
  /** Ids of all trips of the feed, and of those made. */
  readonly #tripIds: Set<string>;
  readonly #stopRecords: ReadonlyMap<string, TableRecord>;
  #made = 0;
  readonly removedTrips = new Set<string>();
  readonly removedRoutes = new Set<string>();

  private constructor(parts: {
    feed: FeedContainer;
    calendar: Calendar;
    routes: Map<string, Route>;
    stops: Map<string, FeedStop>;
    stopRecords: Map<string, TableRecord>;
    tables: FeedDraft['tables'];
    trips: Map<string, Trip>;
    tripIds: Set<string>;
    services: Set<string>;
    shapes: Shapes;
  }) {
    this.feed = parts.feed;
    this.calendar = parts.calendar;
    this.routes = parts.routes;
    this.stops = parts.stops;
    this.tables = parts.tables;
    this.#trips = parts.trips;
    this.#tripIds = parts.tripIds;
    this.services = parts.services;
    this.#shapes = parts.shapes;
    this.#stopRecords = parts.stopRecords;
  }

  /** Opens a feed for changes. Close its `feed` when done. */
  static async open(path: string, needs: Needs): Promise<FeedDraft> {
    const feed = await openFeed(path);
    try {
      const report = new FeedReport();
      const calendar = await Calendar.read(feed, report);
      const routes = new Map<string, Route>();
      const routeTable = await requireTable(feed, 'routes.txt', (table, record) => {
        const id = table.get(record, 'route_id');
        refuseTwice(feed, 'routes.txt', 'route_id', id, routes.get(id)?.record, record);
        const [shortName, longName] = ['route_short_name', 'route_long_name'].map((column) =>
          table.get(record, column),
        );
        routes.set(id, { id, shortName, longName, record });
      });
      const stopRecords = new Map<string, TableRecord>();
      const stopTable = await requireTable(feed, 'stops.txt', (table, record) => {
        const id = table.get(record, 'stop_id');
        if (!stopRecords.has(id)) stopRecords.set(id, record);
      });
      const {
        table: tripTable,
        trips,
        tripIds,
        services,
      } = await readTrips(feed, needs.routes(routes));
      const frequencies = await RawTable.read(feed, 'frequencies.txt', (table, record) => {
        const trip = trips.get(table.get(record, 'trip_id'));
        trip?.frequencies.push(record);
      });
      const stopTimes = await readCalls(feed, trips);
      for (const trip of trips.values()) {
        Object.assign(trip.original, {
          calls: trip.calls.map(({ record }) => record),
          frequencies: [...trip.frequencies],
        });
      }
      const shapeIds = needs.shapes
        ? [...trips.values()].map(({ record }) => tripTable.get(record, 'shape_id'))
        : [];
      const wanted = new Set(shapeIds.filter((id) => id !== ''));
      return new FeedDraft({
        feed,
        calendar,
        routes,
        stops: await readStops(feed, report),
        stopRecords,
        tables: { routes: routeTable, stops: stopTable, trips: tripTable, stopTimes, frequencies },
        trips,
        tripIds,
        services,
        shapes: await Shapes.read(feed, wanted, report),
      });
    } catch (error) {
      feed.close();
      throw error;
    }
  }

  /** The trips that were read or made, and not removed. */
  get trips(): Iterable<Trip> {
    return this.#trips.values();
  }

  tripsOf(routes: ReadonlySet<string>): Trip[] {
    return [...this.#trips.values()].filter(({ route }) => routes.has(route));
  }

  daysOf(service: string): ReadonlySet<ServiceDay> {
    const known = this.#days.get(service);
    if (known) return known;
    const days = new Set(this.calendar.daysOf(service));
    this.#days.set(service, days);
    return days;
  }

  stopRecord(stop: string): TableRecord {
    return this.#stopRecords.get(stop)!;
  }

  addStop(stop: FeedStop, record: TableRecord): void {
    (this.stops as Map<string, FeedStop>).set(stop.id, stop);
    (this.#stopRecords as Map<string, TableRecord>).set(stop.id, record);
    this.tables.stops.add(record);
  }

  moveStop(id: string, lon: string, lat: string): void {
    const record = this.stopRecord(id);
    this.tables.stops.set(record, 'stop_lon', lon);
    this.tables.stops.set(record, 'stop_lat', lat);
    if (record.line !== null && record.isChanged) this.tables.stops.replace(record, [record]);
    const moved = { ...this.stops.get(id)!, lon: Number(lon), lat: Number(lat) };
    (this.stops as Map<string, FeedStop>).set(id, moved);
  }

  addRoute(route: Route): void {
    (this.routes as Map<string, Route>).set(route.id, route);
    this.tables.routes.add(route.record);
  }

  removeTrip(trip: Trip): void {
    this.#trips.delete(trip.id);
    if (trip.original.trip.length > 0) {
      this.removedTrips.add(trip.id);
      this.#write(trip, []);
    }
  }

  removeRoute(route: Route): void {
    (this.routes as Map<string, Route>).delete(route.id);
    this.removedRoutes.add(route.id);
    this.tables.routes.drop(route.record);
  }

  /** Returns an id that no trip has, from one that may be taken. */
  freeTripId(wanted: string): string {
    let id = wanted;
    for (let n = 2; this.#tripIds.has(id); n++) id = `${wanted}~${n}`;
    return id;
  }

  addTrip(trip: Omit<Trip, 'original' | 'isRetimed' | 'frequencies'>): Trip {
    if (++this.#made > MAX_NEW_TRIPS) {
      throw new UsageError(
        `the scenario adds more than ${MAX_NEW_TRIPS} trips; are headways in the right unit?`,
      );
    }
    const original = { trip: [], calls: [], frequencies: [] };
    const made = { ...trip, isRetimed: false, frequencies: [], original };
    this.#tripIds.add(trip.id);
    this.#trips.set(trip.id, made);
    return made;
  }

  /** Adds a copy of a trip that begins later or earlier, as a vehicle of no block. */
  copyTrip(trip: Trip, service: string, shift: Seconds): Trip {
    const { trips, stopTimes } = this.tables;
    if (startOf(trip) + shift < 0 || endOf(trip) + shift > FEED_LIMITS.serviceTime) {
      throw new ChangeError([], `a copy of trip ${trip.id} would not be within its service day`);
    }
    const id = this.freeTripId(`${trip.id}+${clock(startOf(trip) + shift)}`);
    return this.addTrip({
      ...trip,
      id,
      service,
      record: trips.copy(trip.record, { trip_id: id, service_id: service, block_id: '' }),
      calls: trip.calls.map((call) => {
        const made = { ...call, record: stopTimes.copy(call.record, { trip_id: id }) };
        const later = (at: ServiceSeconds | null) => (at === null ? null : at + shift);
        this.setTimes(made, later(call.arrival), later(call.departure));
        return made;
      }),
    });
  }

  /** Sets the times of a call; throws a `ChangeError` if they are later than the builder reads. */
  setTimes(call: Call, arrival: ServiceSeconds | null, departure: ServiceSeconds | null): void {
    const { stopTimes } = this.tables;
    if (Math.max(arrival ?? 0, departure ?? 0) > FEED_LIMITS.serviceTime) {
      const [trip, stop] = ['trip_id', 'stop_id'].map((id) => stopTimes.get(call.record, id));
      throw new ChangeError(
        [],
        `trip ${trip} would call at ${stop} at ${clock(departure ?? arrival!)}, and no trip may run later than ${clock(FEED_LIMITS.serviceTime)} of its service day`,
      );
    }
    if (call.arrival !== arrival || call.departure !== departure) {
      stopTimes.set(call.record, 'arrival_time', arrival === null ? '' : clock(arrival));
      stopTimes.set(call.record, 'departure_time', departure === null ? '' : clock(departure));
    }
    call.arrival = arrival;
    call.departure = departure;
  }

  /** Returns the times of a trip with the blank ones filled in, as the builder fills them in. */
  filledTimes(trip: Trip): { arrival: ServiceSeconds; departure: ServiceSeconds }[] {
    const { stopTimes, trips } = this.tables;
    const filled = trip.calls.map(({ record, arrival, departure }) => {
      const distance = stopTimes.get(record, 'shape_dist_traveled');
      return {
        arrival,
        departure,
        distance: distance === '' ? Number.NaN : Number(distance),
        line: 0,
      };
    });
    if (Number.isNaN(filled[0].distance)) filled[0].distance = 0;
    const stops = trip.calls.map(({ stop }) => this.stopOf(trip, stop));
    const shape = this.#shapes.along(trips.get(trip.record, 'shape_id'), stops);
    fillBlankTimes(filled, stops, shape, () => {});
    return filled.map(({ arrival, departure }) => ({ arrival: arrival!, departure: departure! }));
  }

  /** Returns a stop of a trip; throws a `ChangeError` if `stops.txt` has no such stop. */
  stopOf({ id }: Trip, stop: string): FeedStop {
    const known = this.stops.get(stop);
    if (known) return known;
    throw new ChangeError(
      [],
      `trip ${id} calls at ${stop}, which stops.txt does not have, or without coordinates; correct the feed first`,
    );
  }

  periodsOf(trip: Trip): (Frequency & { readonly record: TableRecord })[] {
    const { frequencies } = this.tables;
    return trip.frequencies.flatMap((record) => {
      const period = frequencyIn((column) => frequencies!.get(record, column));
      return period ? [{ ...period, record }] : [];
    });
  }

  /** The departures of a trip from its first stop. */
  departuresOf(trip: Trip): ServiceSeconds[] {
    if (trip.frequencies.length === 0) return [startOf(trip)];
    return this.periodsOf(trip).flatMap((period) => departuresOf(trip.id, period));
  }

  /** Hands all records that differ from those of the feed to its tables. */
  finish(): void {
    for (const trip of this.#trips.values()) this.#write(trip, [trip.record]);
  }

  #write(trip: Trip, record: TableRecord[]): void {
    const { trips, stopTimes, frequencies } = this.tables;
    const isKept = record.length > 0;
    const { original } = trip;
    rewrite(trips, original.trip, record);
    const calls = isKept ? trip.calls.map(({ record }) => record) : [];
    rewrite(stopTimes, original.calls, calls);
    if (frequencies) rewrite(frequencies, original.frequencies, isKept ? trip.frequencies : []);
  }
}

/** Whether the first and the last of a trip's calls have times, so that it can be ridden. */
export function isTimed({ calls }: Trip): boolean {
  return calls.length > 1 && calls[0].departure !== null && calls.at(-1)!.arrival !== null;
}

/** When a trip that `isTimed` leaves its first stop. */
export function startOf({ calls }: Trip): ServiceSeconds {
  return calls[0].departure!;
}

/** When a trip that `isTimed` arrives at its last stop. */
export function endOf({ calls }: Trip): ServiceSeconds {
  return calls.at(-1)!.arrival!;
}

/**
 * Writes records in place of those that a table has of a trip: made ones after the one before them.
 */
function rewrite(
  table: RawTable,
  original: readonly TableRecord[],
  current: readonly TableRecord[],
): void {
  if (original.length === 0) {
    for (const record of current) table.add(record);
    return;
  }
  const isOriginal = new Set(original);
  const kept = current.filter((record) => isOriginal.has(record));
  const places = new Map<TableRecord, TableRecord[]>();
  let at = kept[0] ?? original[0];
  for (const record of current) {
    if (isOriginal.has(record)) at = record;
    addTo(places, at, record);
  }
  for (const record of original) {
    const now = places.get(record) ?? [];
    const isSame = now.length === 1 && now[0] === record && !record.isChanged;
    if (!isSame) table.replace(record, now);
  }
}

async function requireTable(
  feed: FeedContainer,
  file: string,
  onRecord: (table: RawTable, record: TableRecord) => void,
): Promise<RawTable> {
  const table = await RawTable.read(feed, file, onRecord);
  if (table) return table;
  throw new UsageError(
    `${feed.path}: has no ${file}, or an empty one; is it a complete GTFS feed?`,
  );
}

function refuseTwice(
  feed: FeedContainer,
  file: string,
  column: string,
  id: string,
  known: TableRecord | undefined,
  record: TableRecord,
): void {
  if (!known) return;
  throw new UsageError(
    `${feed.path}: ${file} has ${column} ${id} twice, in lines ${known.line} and ${record.line}; correct it first`,
  );
}

/** Reads the trips of some routes, and those that share a vehicle with them. */
async function readTrips(feed: FeedContainer, routes: ReadonlySet<string>) {
  const trips = new Map<string, Trip>();
  const tripIds = new Set<string>();
  const services = new Set<string>();
  const blocks = new Set<string>();
  const take = (table: RawTable, record: TableRecord) => {
    const id = table.get(record, 'trip_id');
    if (trips.get(id)?.record.line === record.line) return;
    refuseTwice(feed, 'trips.txt', 'trip_id', id, trips.get(id)?.record, record);
    trips.set(id, {
      id,
      route: table.get(record, 'route_id'),
      service: table.get(record, 'service_id'),
      direction: codeOf(table.get(record, 'direction_id')),
      headsign: table.get(record, 'trip_headsign'),
      record,
      calls: [],
      frequencies: [],
      isRetimed: false,
      original: { trip: [record], calls: [], frequencies: [] },
    });
  };
  const table = await requireTable(feed, 'trips.txt', (table, record) => {
    tripIds.add(table.get(record, 'trip_id'));
    services.add(table.get(record, 'service_id'));
    if (!routes.has(table.get(record, 'route_id'))) return;
    take(table, record);
    const block = table.get(record, 'block_id');
    if (block !== '') blocks.add(block);
  });
  if (blocks.size > 0) {
    await RawTable.read(feed, 'trips.txt', (table, record) => {
      if (blocks.has(table.get(record, 'block_id'))) take(table, record);
    });
  }
  return { table, trips, tripIds, services };
}

/** Reads the calls of trips, in the order of travel. */
async function readCalls(feed: FeedContainer, trips: ReadonlyMap<string, Trip>): Promise<RawTable> {
  const orders = new Map<Call, number>();
  const table = await requireTable(feed, 'stop_times.txt', (table, record) => {
    const trip = trips.get(table.get(record, 'trip_id'));
    if (!trip) return;
    if (FLEXIBLE.some((column) => table.get(record, column) !== '')) {
      throw new UsageError(
        `${feed.path}: stop_times.txt: line ${record.line}: trip ${trip.id} of route ${trip.route} runs on demand, in zones or time windows; scenarios change scheduled lines only`,
      );
    }
    const time = (column: string) => {
      const value = parseServiceTime(table.get(record, column));
      return value === null || Number.isNaN(value) ? null : value;
    };
    const [arrival, departure] = [time('arrival_time'), time('departure_time')];
    const call = {
      record,
      stop: table.get(record, 'stop_id'),
      arrival: arrival ?? departure,
      departure: departure ?? arrival,
    };
    orders.set(call, Number(table.get(record, 'stop_sequence')));
    trip.calls.push(call);
  });
  for (const trip of trips.values()) {
    trip.calls.sort((a, b) => orders.get(a)! - orders.get(b)! || a.record.line! - b.record.line!);
  }
  return table;
}
