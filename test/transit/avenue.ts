import { AGENCY, service } from './feed-records.ts';
import type { FeedRecord, FeedTables } from './gtfs-text.ts';
import { gtfsTime } from './gtfs-text.ts';
import { pointAt, type SmallCity } from './small-city.ts';

/** Metres from the west end of the avenue. */
export type AlongAvenue = number;

const LENGTH: AlongAvenue = 30_000;
const CORNER_EVERY = 200;
/** Metres from a block or a shop to the avenue: half a minute on foot. Stops lie on the avenue. */
const SET_BACK = 40;

/**
 * A city of one straight street without any corners, so that every walk is half a minute out to the
 * avenue, a minute for each 80 m along it, and half a minute in.
 */
export function avenue(blocks: readonly AlongAvenue[], shops: readonly AlongAvenue[]): SmallCity {
  const corners = Array.from({ length: LENGTH / CORNER_EVERY + 1 }, (_, i) =>
    pointAt(i * CORNER_EVERY, 0),
  );
  return {
    corners,
    streets: corners.slice(1).map((_, i) => [i, i + 1] as const),
    blocks: blocks.map((along) => pointAt(along, SET_BACK)),
    shops: shops.map((along) => pointAt(along, SET_BACK)),
  };
}

/** A trip by the names of its stops and its times there in minutes after midnight. */
export interface AvenueTrip {
  readonly calls: readonly (readonly [stop: string, minutes: number])[];
  readonly service?: string;
  /** Repeats the trip by `frequencies.txt`, in minutes. */
  readonly every?: {
    readonly from: number;
    readonly until: number;
    readonly headway: number;
    readonly exact: 0 | 1;
  };
}

/** A trip that leaves at the given minute; `after` has the minutes from then to each stop. */
export function tripFrom(leaves: number, after: Readonly<Record<string, number>>): AvenueTrip {
  return { calls: Object.entries(after).map(([stop, minutes]) => [stop, leaves + minutes]) };
}

/** A feed on the avenue; `more` adds files or replaces them. */
export function avenueFeed(
  stops: Readonly<Record<string, AlongAvenue>>,
  trips: readonly AvenueTrip[],
  more: FeedTables = {},
): FeedTables {
  const frequencies = trips.flatMap(({ every }, trip): FeedRecord[] =>
    every
      ? [
          {
            trip_id: `t${trip}`,
            start_time: clock(every.from),
            end_time: clock(every.until),
            headway_secs: every.headway * 60,
            exact_times: every.exact,
          },
        ]
      : [],
  );
  return {
    'agency.txt': [AGENCY],
    'stops.txt': Object.entries(stops).map(([id, along]) => {
      const { lon, lat } = pointAt(along, 0);
      return { stop_id: id, stop_name: id, stop_lat: lat.toFixed(7), stop_lon: lon.toFixed(7) };
    }),
    'routes.txt': [{ route_id: 'R', agency_id: 'A', route_short_name: 'R', route_type: 3 }],
    'trips.txt': trips.map((trip, i) => {
      return { route_id: 'R', service_id: trip.service ?? 'daily', trip_id: `t${i}` };
    }),
    'stop_times.txt': trips.flatMap(({ calls }, trip) =>
      calls.map(([stop, minutes], i) => {
        const time = clock(minutes);
        return {
          trip_id: `t${trip}`,
          stop_id: stop,
          stop_sequence: i + 1,
          arrival_time: time,
          departure_time: time,
        };
      }),
    ),
    'calendar.txt': [service('daily', '1111111', 20260101, 20261231)],
    ...(frequencies.length > 0 ? { 'frequencies.txt': frequencies } : {}),
    ...more,
  };
}

/** Formats minutes after midnight, to the second, as feeds do. */
function clock(minutes: number): string {
  return gtfsTime(Math.round(minutes * 60));
}
