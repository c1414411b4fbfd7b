import { clock, type ServiceSeconds } from '../../builder/gtfs/service-time.ts';
import type { CityPlan } from './city-plan.ts';
import type { GtfsTable } from './gtfs-writer.ts';
import { type Stop, stopsOf, type TransitLine, type TransitPlan } from './transit-plan.ts';

const AGENCY = 'MTA99';
const WEEKDAY = 'WEEKDAY';
const WEEKEND = 'WEEKEND';
const DAYS = { first: '20260101', last: '20271231' };
/** A Friday that runs as a Saturday. */
const HOLIDAY = '20260703';
const ROUTE_TYPES = { subway: 1, rail: 2, bus: 3 };
/** Colours of the routes, in turn, none of which is near those of a map's classes. */
const ROUTE_COLOURS = ['00843D', 'E87722', '7D3C98', 'B5121B', 'A67C00'];
/** A bus is timed at both ends and at every n-th stop; in between, times are left blank. */
const TIMED_EVERY = 4;

export function gtfsTables(
  plan: CityPlan,
  { stations, entrances, lines }: TransitPlan,
): GtfsTable[] {
  const degrees = (column: number, row: number) => {
    const [lon, lat] = plan.lattice.degrees(column, row);
    return [lat.toFixed(7), lon.toFixed(7)];
  };
  return [
    table('agency.txt', 'agency_id,agency_name,agency_url,agency_timezone,agency_lang', [
      [AGENCY, 'Meridian Transit', 'https://transit.example', 'America/New_York', 'en'],
    ]),
    table('stops.txt', 'stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station', [
      ...stations.map(({ id, name, column, row }) => [id, name, ...degrees(column, row), 1, '']),
      ...stopsOf(lines).map((s) => {
        return [s.id, s.name, ...degrees(s.column, s.row), 0, s.station ?? ''];
      }),
      ...entrances.map((e) => [e.id, e.name, ...degrees(e.column, e.row), 2, e.station]),
    ]),
    table(
      'routes.txt',
      'route_id,agency_id,route_short_name,route_long_name,route_type,route_color',
      lines.map((l, i) => {
        const colour = ROUTE_COLOURS[i % ROUTE_COLOURS.length];
        return [l.id, AGENCY, l.shortName, l.longName, ROUTE_TYPES[l.kind], colour];
      }),
    ),
    table(
      'trips.txt',
      'route_id,service_id,trip_id,trip_headsign,direction_id',
      lines.flatMap(tripsOf).map(({ line, service, id, direction }) => {
        return [line.id, service, id, line.headsigns[direction], direction];
      }),
    ),
    table(
      'stop_times.txt',
      'trip_id,arrival_time,departure_time,stop_id,stop_sequence,timepoint',
      stopTimes(lines),
    ),
    table(
      'frequencies.txt',
      'trip_id,start_time,end_time,headway_secs,exact_times',
      lines
        .filter((line) => line.byHeadway)
        .flatMap(tripsOf)
        .flatMap(({ line, service, id }) =>
          (service === WEEKDAY ? line.weekday : line.weekend).map(({ from, until, headway }) => {
            return [id, clock(from), clock(until), headway, 0];
          }),
        ),
    ),
    table(
      'calendar.txt',
      'service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date',
      [
        [WEEKDAY, 1, 1, 1, 1, 1, 0, 0, DAYS.first, DAYS.last],
        [WEEKEND, 0, 0, 0, 0, 0, 1, 1, DAYS.first, DAYS.last],
      ],
    ),
    table('calendar_dates.txt', 'service_id,date,exception_type', [
      [WEEKDAY, HOLIDAY, 2],
      [WEEKEND, HOLIDAY, 1],
    ]),
    table(
      'feed_info.txt',
      'feed_publisher_name,feed_publisher_url,feed_lang,feed_start_date,feed_end_date,feed_version',
      [
        [
          'Meridian Transit',
          'https://transit.example',
          'en',
          DAYS.first,
          DAYS.last,
          `demo-${plan.seed}`,
        ],
      ],
    ),
  ];
}

function table(file: string, header: string, rows: GtfsTable['rows']): GtfsTable {
  return { file, columns: header.split(','), rows };
}

interface Trip {
  readonly line: TransitLine;
  readonly service: string;
  readonly direction: 0 | 1;
  readonly id: string;
  readonly departs: ServiceSeconds;
}

/**
 * The trips of a line. A headway line has one trip per service and direction, which all departures
 * follow.
 */
function tripsOf(line: TransitLine): Trip[] {
  const days = [
    { service: WEEKDAY, services: line.weekday },
    { service: WEEKEND, services: line.weekend },
  ];
  return days.flatMap(({ service, services }) =>
    ([0, 1] as const).flatMap((direction) => {
      const departures = line.byHeadway
        ? [services[0].from]
        : services.flatMap(({ from, until, headway }) =>
            Array.from(
              { length: Math.ceil((until - from) / headway) },
              (_, n) => from + n * headway,
            ),
          );
      return departures.map((departs) => ({
        line,
        service,
        direction,
        departs,
        id: `${line.id}-${service}-${direction}-${clock(departs).slice(0, 5)}`,
      }));
    }),
  );
}

function* stopTimes(lines: readonly TransitLine[]): Generator<readonly (string | number)[]> {
  for (const { line, id, direction, departs } of lines.flatMap(tripsOf)) {
    const stops: readonly Stop[] = line.directions[direction];
    for (const [n, stop] of stops.entries()) {
      const isTimed =
        line.kind !== 'bus' || line.byHeadway || n % TIMED_EVERY === 0 || n === stops.length - 1;
      const time = isTimed ? clock(departs + n * line.hop) : '';
      yield [id, time, time, stop.id, n + 1, isTimed ? 1 : 0];
    }
  }
}
