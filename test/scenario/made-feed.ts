import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import Papa from 'papaparse';
import { gtfsTime } from '../transit/gtfs-text.ts';

/** A feed as texts by file name. */
export type FeedTexts = Readonly<Record<string, string>>;
type Row = Readonly<Record<string, string>>;

export const at = (clock: string): number => {
  const [hours, minutes, seconds = '0'] = clock.split(':');
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
};

const STOPS = ['A', 'B', 'C', 'D'] as const;
/** Minutes from the first stop; null where the time is blank. */
export const MINUTES = [0, null, 10, 16] as const;

/** A line of a feed: its departures from the first stop, and the members of `trips.txt`. */
interface MadeLine {
  readonly route: string;
  readonly service?: string;
  readonly direction?: number;
  readonly departures: readonly string[];
  readonly stops?: readonly string[];
  readonly minutes?: readonly (number | null)[];
  readonly block?: string;
}

/**
 * A feed with the given lines. Its texts have line ends, quotes, columns and files as some
 * publishers write them: those that nothing changes have to stay as they are.
 */
export function madeFeed(lines: readonly MadeLine[], more: FeedTexts = {}): FeedTexts {
  const trips: string[] = [];
  const calls: string[] = [];
  for (const line of lines) {
    const { route, service = 'WK', direction = 0, departures, block = '' } = line;
    const stops = line.stops ?? STOPS;
    const minutes = line.minutes ?? MINUTES;
    for (const departure of departures) {
      const id = `${route}-${service}-${direction}-${departure}`;
      trips.push(
        `"${route}",${service},${id}, "To ""${stops.at(-1)}""",${direction},${block},1,S1`,
      );
      for (const [i, stop] of stops.entries()) {
        const after = minutes[i];
        const time = after === null ? '' : gtfsTime(at(departure) + after * 60);
        calls.push(`${id},${time},${time},${stop},${10 * (i + 1)},"",${after === null ? 0 : 1}`);
      }
    }
  }
  const routes = [...new Set(lines.map(({ route }) => route))];
  return {
    'agency.txt':
      'agency_id,agency_name,agency_url,agency_timezone\r\nM,"Made, Inc.",https://made.example,America/New_York\r\n',
    'stops.txt': `\uFEFFstop_id,stop_name,stop_lat,stop_lon,location_type,wheelchair_boarding,colour\r\n${STOPS.map(
      (id, i) => `${id},"${id} Street",36.0,${-70 + 0.01 * i},,1,#${i}\r\n`,
    ).join('')}E,E Street,36.01,-70,0,2,\r\n`,
    'routes.txt': `route_id,agency_id,route_short_name,route_long_name,route_type\n${routes
      .map((id) => `${id},M,${id.toLowerCase()},Line ${id},3\n`)
      .join('')}`,
    'trips.txt': `route_id,service_id,trip_id,trip_headsign,direction_id,block_id,wheelchair_accessible,shape_id\r\n${trips.join('\r\n')}`,
    'stop_times.txt': `trip_id,arrival_time,departure_time,stop_id,stop_sequence,stop_headsign,timepoint\n${calls.join('\n')}\n`,
    'calendar.txt': `service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\nWK,1,1,1,1,1,0,0,20260101,20261231\nSA,0,0,0,0,0,1,0,20260101,20261231\nFR,0,0,0,0,1,0,0,20260101,20261231\nFS,0,0,0,0,1,1,0,20260101,20261231\n`,
    'fare_attributes.txt': 'fare_id,price\nF,"1,50"\n',
    README: 'not a table',
    ...more,
  };
}

/** Writes a feed as a folder. */
export async function writeTexts(folder: string, texts: FeedTexts): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(texts)) await writeFile(path.join(folder, name), text);
  return folder;
}

/** The files of a feed that is a folder. */
export async function readTexts(folder: string): Promise<FeedTexts> {
  const texts: Record<string, string> = {};
  for (const name of await readdir(folder)) {
    texts[name] = await readFile(path.join(folder, name), 'utf8');
  }
  return texts;
}

/** The rows of a table, by another reader of CSV than that of the program. */
export function rowsOf(texts: FeedTexts, file: string): Row[] {
  const text = (texts[file] ?? '').replace('\uFEFF', '');
  return Papa.parse<Row>(text, { header: true, skipEmptyLines: true }).data;
}

/** The departures of a route from its first stops in a direction, by service, in order. */
export function departures(
  texts: FeedTexts,
  route: string,
  service = 'WK',
  direction = '0',
): string[] {
  const trips = rowsOf(texts, 'trips.txt').filter(
    (trip) =>
      trip.route_id === route && trip.service_id === service && trip.direction_id === direction,
  );
  const firsts = new Map<string, Row>();
  for (const call of rowsOf(texts, 'stop_times.txt')) {
    const first = firsts.get(call.trip_id);
    if (!first || Number(call.stop_sequence) < Number(first.stop_sequence))
      firsts.set(call.trip_id, call);
  }
  return trips.map(({ trip_id }) => firsts.get(trip_id)!.departure_time).sort();
}

/** The calls of a trip in order, as `stop arrival departure`. */
export function callsOf(texts: FeedTexts, trip: string): string[] {
  return rowsOf(texts, 'stop_times.txt')
    .filter(({ trip_id }) => trip_id === trip)
    .sort((a, b) => Number(a.stop_sequence) - Number(b.stop_sequence))
    .map(({ stop_id, arrival_time, departure_time }) =>
      [stop_id, arrival_time, departure_time].filter((one) => one !== '').join(' '),
    );
}
