import { headwayPhase } from '../../builder/gtfs/frequencies.ts';
import { seeded } from '../search/random-streets.ts';
import { type FeedRecord, type FeedTables, gtfsTime } from './gtfs-text.ts';
import type { Point } from './small-city.ts';
import type { Run, TransferRule } from './time-expanded.ts';

/** Feeds, and what they mean on the service day as the oracle takes it. */
export interface RandomTimetable {
  readonly feeds: readonly FeedTables[];
  readonly runs: readonly Run[];
  readonly rules: readonly TransferRule[];
}

/** A Wednesday. */
export const SERVICE_DATE = '2026-03-11';

/** When each service runs, of the service day and the day before it. */
const SERVICES = {
  weekdays: { today: true, yesterday: true },
  'added today': { today: true, yesterday: false },
  'not today': { today: false, yesterday: true },
  tuesdays: { today: false, yesterday: true },
  saturdays: { today: false, yesterday: false },
  'last year': { today: false, yesterday: false },
} as const;
type Service = keyof typeof SERVICES;

const WEEK = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const HOUR = 3600;
const DAY = 24 * HOUR;

/**
 * Lines at random between stops: loops, trips that overtake, blank times, headways, boarding and
 * alighting forbidden here and there, transfers forbidden or slow, trips of the night before, and
 * services that do not run. Even stops are in the first feed and odd ones in the second, which uses
 * the same ids for other things.
 */
export function randomTimetable(seed: number, stops: readonly Point[]): RandomTimetable {
  const random = seeded(seed ^ 0x7ab1e);
  const below = (bound: number) => Math.floor(random() * bound);
  const chance = (share: number) => random() < share;
  const pick = <T>(values: readonly T[]): T => values[below(values.length)];
  const runs: Run[] = [];
  const rules: TransferRule[] = [];

  const feed = (parity: number): FeedTables => {
    const own = stops.flatMap((_, stop) => (stop % 2 === parity ? [stop] : []));
    const idOf = (stop: number) => `stop ${Math.floor(stop / 2)}`;
    const trips: FeedRecord[] = [];
    const stopTimes: FeedRecord[] = [];
    const frequencies: FeedRecord[] = [];

    const nextTrip = () => `trip ${trips.length}`;

    /** Adds a trip, and its runs: one for each start, on each day that the service runs. */
    const addTrip = (line: Line, service: Service, starts: readonly number[], headway: number) => {
      const trip = nextTrip();
      const calls = drawCalls(line);
      trips.push({ route_id: line.id, service_id: service, trip_id: trip });
      // A trip that is followed at headways may be written down at any time of day.
      const base = headway > 0 ? pick([HOUR, 5 * HOUR, 26 * HOUR]) : starts[0];
      calls.forEach((call, i) => {
        const time = (at: number) => (call.blank ? '' : gtfsTime(base + at));
        stopTimes.push({
          trip_id: trip,
          stop_id: idOf(call.stop),
          stop_sequence: call.sequence,
          arrival_time: time(call.arrives),
          departure_time: time(call.departs),
          pickup_type: call.pickup,
          drop_off_type: call.dropOff,
          ...(call.distance === null ? {} : { shape_dist_traveled: call.distance }),
          ...(i === 0 ? { stop_headsign: 'Somewhere, "over" there' } : {}),
        });
      });
      const { today, yesterday } = SERVICES[service];
      for (const shift of [...(today ? [0] : []), ...(yesterday ? [-DAY] : [])]) {
        for (const start of starts) {
          runs.push(
            calls.map((call) => ({
              stop: call.stop,
              arrives: (start + call.arrives + shift) * 1000,
              departs: (start + call.departs + shift) * 1000,
              mayBoard: call.pickup !== 1,
              mayAlight: call.dropOff !== 1,
            })),
          );
        }
      }
      return trip;
    };

    const drawCalls = (line: Line) => {
      const shaped = chance(0.3);
      // A stretch of equal hops without times; where distances are given, hops need not be equal.
      const last = line.path.length - 1;
      const [blankFrom, blankTo] = chance(0.4) && last > 2 ? [below(last - 1), last] : [last, last];
      const hop = line.unit * (1 + below(5));
      const slowness = 0.5 + random() * 1.5;
      let at = 0;
      let moved = 0;
      let sequence = 0;
      return line.path.map((stop, i) => {
        const blank = i > blankFrom && i < blankTo;
        const even = i > blankFrom && i <= blankTo && !shaped;
        const step = even ? hop : line.unit * Math.max(1, Math.round(line.hops[i] * slowness));
        if (i > 0) at += step;
        if (i > 0) moved += step;
        sequence += blankTo > blankFrom ? 2 : 1 + below(9);
        // What comes early to its first stop leaves it on time all the same.
        const arrives = i === 0 ? -line.unit * below(3) : at;
        if (!blank && i > 0 && chance(0.3)) at += line.unit * below(3);
        return {
          ...{ stop, blank, sequence, arrives, departs: at },
          pickup: chance(0.12) ? below(4) : 0,
          dropOff: chance(0.12) ? below(4) : 0,
          distance: shaped ? moved : null,
        };
      });
    };

    const lines = Array.from({ length: 3 + below(4) }, (_, i): Line => {
      const path = Array.from({ length: 3 + below(7) }, () => pick(own));
      const unit = pick([1, 15, 60]);
      return {
        id: `line ${i}`,
        unit,
        // Loops come back to a stop; a vehicle that stays where it is would be odd.
        path: path.filter((stop, n) => stop !== path[n - 1]),
        hops: path.map(() => (60 + below(420)) / unit),
      };
    }).filter(({ path }) => path.length > 1);

    for (const line of lines) {
      const headway = 60 * (4 + below(20));
      const service = chance(0.7) ? 'weekdays' : 'added today';
      const first = 7 * HOUR + below(HOUR);
      if (chance(0.25)) {
        const windows = [first, first + HOUR + below(HOUR)].map((from) => {
          const every = headway + below(120);
          // No vehicle leaves at the very end.
          const until = from + (chance(0.5) ? every * (1 + below(6)) : 600 + below(HOUR));
          return { from, until, headway: every };
        });
        const exact = chance(0.6);
        const starts = windows.flatMap(({ from, until, headway: every }) => {
          // When only the headway is known, the builder draws when the first one leaves.
          const phase = exact ? 0 : headwayPhase(nextTrip(), from, every);
          const count = Math.ceil((until - from - phase) / every);
          return Array.from({ length: count }, (_, n) => from + phase + n * every);
        });
        const trip = addTrip(line, service, starts, headway);
        for (const { from, until, headway: every } of windows) {
          frequencies.push({
            trip_id: trip,
            start_time: gtfsTime(from),
            end_time: gtfsTime(until),
            headway_secs: every,
            exact_times: exact ? 1 : pick([0, '']),
          });
        }
        continue;
      }
      for (let at = first; at < 10 * HOUR; at += headway + line.unit * below(5)) {
        addTrip(line, service, [at], 0);
      }
      // What runs at other times, or on other days, must not be met.
      addTrip(line, pick(['saturdays', 'last year', 'not today'] as const), [8 * HOUR], 0);
      const night = pick(['weekdays', 'tuesdays', 'not today'] as const);
      for (let n = below(3); n > 0; n--) addTrip(line, night, [DAY + 8 * HOUR + below(HOUR)], 0);
    }

    const transfers = Array.from({ length: 6 + below(20) }, () => [pick(own), pick(own)] as const);
    const distinct = [...new Map(transfers.map((pair) => [pair.join(), pair])).values()];
    const transferRecords = distinct.map(([from, to]) => {
      const least = chance(0.4) ? null : below(900);
      rules.push({ from, to, least: least === null ? null : least * 1000 });
      return {
        from_stop_id: idOf(from),
        to_stop_id: idOf(to),
        transfer_type: least === null ? 3 : 2,
        ...(least === null ? {} : { min_transfer_time: least }),
      };
    });

    return {
      'agency.txt': [AGENCY],
      'stops.txt': own.map((stop) => ({
        stop_id: idOf(stop),
        stop_name: `Stop, ${stop}`,
        stop_lat: stops[stop].lat.toFixed(7),
        stop_lon: stops[stop].lon.toFixed(7),
      })),
      'routes.txt': lines.map(({ id }) => ({
        ...{ route_id: id, agency_id: AGENCY.agency_id, route_short_name: id, route_type: 3 },
      })),
      'trips.txt': trips,
      // Any order is allowed in a file.
      'stop_times.txt': stopTimes
        .map((record) => ({ record, at: random() }))
        .sort((a, b) => a.at - b.at)
        .map(({ record }) => record),
      'calendar.txt': CALENDAR,
      'calendar_dates.txt': CALENDAR_DATES,
      ...(frequencies.length > 0 ? { 'frequencies.txt': frequencies } : {}),
      ...(transferRecords.length > 0 ? { 'transfers.txt': transferRecords } : {}),
    };
  };
  return { feeds: [feed(0), feed(1)], runs, rules };
}

interface Line {
  readonly id: string;
  /** Its times are multiples of so many seconds. */
  readonly unit: number;
  readonly path: readonly number[];
  /** Usual time to each stop from the one before, in units. */
  readonly hops: readonly number[];
}

export const AGENCY = {
  agency_id: 'A',
  agency_name: 'A to B',
  agency_url: 'https://transit.example',
  agency_timezone: 'America/New_York',
};

const calendar = (service: Service, days: readonly number[], start: number, end: number) => ({
  service_id: service,
  ...Object.fromEntries(WEEK.map((day, i) => [day, days[i]])),
  start_date: start,
  end_date: end,
});
const MONDAY_TO_FRIDAY = [1, 1, 1, 1, 1, 0, 0];
const CALENDAR: readonly FeedRecord[] = [
  calendar('weekdays', MONDAY_TO_FRIDAY, 20260101, 20261231),
  calendar('not today', MONDAY_TO_FRIDAY, 20260101, 20261231),
  calendar('tuesdays', [0, 1, 0, 0, 0, 0, 0], 20260101, 20261231),
  calendar('saturdays', [0, 0, 0, 0, 0, 1, 0], 20260101, 20261231),
  calendar('last year', MONDAY_TO_FRIDAY, 20250101, 20251231),
];
const CALENDAR_DATES: readonly FeedRecord[] = [
  { service_id: 'added today', date: 20260311, exception_type: 1 },
  { service_id: 'not today', date: 20260311, exception_type: 2 },
];
