import path from 'node:path';
import type { BuildRequest } from '../../builder/build-request.ts';
import { ZipInput } from '../../builder/inputs/zip.ts';
import { writeShapefile } from '../../infra/demo/shapefile-writer.ts';
import { boxRing } from '../support/rings.ts';
import { avenue } from '../transit/avenue.ts';
import { AGENCY, exception, service } from '../transit/feed-records.ts';
import { type FeedRecord, type FeedTables, gtfsTime } from '../transit/gtfs-text.ts';
import { blockGeoid, pointAt, text, writeSmallCity } from '../transit/small-city.ts';
import type { Cell, Entry, InputFile, Table } from './input-files.ts';

/** A city whose inputs fit on a page, so that no row of them is without a purpose. */
export interface FuzzCity {
  readonly osm: readonly string[];
  readonly inputs: readonly InputFile[];
}

/** Metres along the avenue. */
const BLOCKS = [400, 1_000, 4_600, 9_160, 12_000, 15_400];
const SHOPS = [1_000, 9_400];
const BUS_STOPS = {
  'Hôtel 1': 440,
  'Hôtel 2': 1_040,
  Mole: 4_560,
  Cañon: 9_120,
  'Quay, east': 12_040,
};
/** The two ends of the railway: platform and entrance. */
const STATIONS = { Old: 4_700, New: 15_300 };

export async function fuzzCity(folder: string): Promise<FuzzCity> {
  const { osm, blocks } = await writeSmallCity(folder, avenue(BLOCKS, SHOPS));
  const places = path.join(folder, 'places.zip');
  const [west, east] = [pointAt(0, -500), pointAt(16_000, 500)];
  await writeShapefile(places, {
    name: 'tl_99_place',
    fields: ['GEOID', 'NAME', 'INTPTLAT', 'INTPTLON'].map(text),
    records: () => [
      {
        polygon: [boxRing(west.lon, west.lat, east.lon, east.lat).reverse()],
        values: ['', '', '', ''],
      },
    ],
  });
  return {
    osm,
    inputs: [
      feed('bus.zip', busTables()),
      feed('rail.zip', railTables()),
      await shapefile('blocks', blocks[0], {
        columns: ['GEOID20', 'INTPTLAT20', 'INTPTLON20', 'ALAND20', 'AWATER20', 'POP20'],
        rows: BLOCKS.map((along, i) => {
          const { lat, lon } = pointAt(along, 40);
          return [blockGeoid(i), lat.toFixed(7), lon.toFixed(7), '10000', '0', String(100 + i)];
        }),
      }),
      await shapefile('places', places, {
        columns: ['GEOID', 'NAME', 'INTPTLAT', 'INTPTLON'],
        rows: [['9900100', 'Cañon City', '39.3000000', '-76.5000000']],
      }),
      list('pois', 'list.geojson', {
        columns: ['id', 'type', 'name', 'street', 'city', 'state', 'zip', 'lon', 'lat'],
        rows: [
          [
            'p1',
            'libraries',
            'Café des Livres',
            '1 Pier St',
            'Cañon City',
            'MD',
            '02123',
            at(700).lon,
            at(700).lat,
          ],
          [2, 'cinemas', 'Lighthouse', null, null, null, null, at(9_300).lon, at(9_300).lat],
        ],
      }),
      list('pois', 'overture.geojson', {
        columns: ['id', 'names', 'categories', 'confidence', 'addresses', 'lon', 'lat'],
        rows: [
          [
            'o1',
            { primary: 'Ömer' },
            { primary: 'grocery_store', alternate: null },
            0.9,
            [{ freeform: '2 Pier St', region: 'MD' }],
            at(4_700).lon,
            at(4_700).lat,
          ],
          [
            'o2',
            { primary: 'Bank' },
            { primary: 'bank' },
            0.7,
            null,
            at(12_100).lon,
            at(12_100).lat,
          ],
        ],
      }),
      list('weights', 'jobs.csv', {
        columns: ['geoid', 'desks', 'beds'],
        rows: BLOCKS.map((_, i) => [blockGeoid(i), String(10 * i + 1), String(i)]),
      }),
    ],
  };
}

/** The request to build the inputs, which are in a folder. */
export function requestFor({ osm, inputs }: FuzzCity, folder: string): BuildRequest {
  const of = (kind: InputFile['kind']) =>
    inputs.filter((input) => input.kind === kind).map(({ name }) => path.join(folder, name));
  return {
    osm,
    gtfs: of('gtfs'),
    blocks: of('blocks'),
    places: of('places'),
    pois: of('pois'),
    weights: of('weights'),
    // A fault of one feed must not hide one of the other.
    maxFeedsLeftOut: 1,
    counties: [],
    release: 'x',
    tiles: false,
  };
}

const at = (along: number) => pointAt(along, 20);
const clock = (minutes: number) => gtfsTime(Math.round(minutes * 60));
const stop = (id: string, along: number, more: FeedRecord = {}): FeedRecord => {
  const { lon, lat } = pointAt(along, 0);
  return {
    stop_id: id,
    stop_name: `Stop ${id}`,
    stop_lat: lat.toFixed(7),
    stop_lon: lon.toFixed(7),
    ...more,
  };
};

/** Calls of a trip that leaves at some minute and takes two minutes from each stop to the next. */
function calls(trip: string, stops: readonly string[], leaves: number, hop: number): FeedRecord[] {
  return stops.map((id, i) => ({
    trip_id: trip,
    arrival_time: clock(leaves + hop * i),
    departure_time: clock(leaves + hop * i),
    stop_id: id,
    stop_sequence: i + 1,
    pickup_type: 0,
    drop_off_type: '',
    shape_dist_traveled: i * 1_000,
  }));
}

function busTables(): FeedTables {
  const stops = Object.entries(BUS_STOPS);
  const there = stops.map(([id]) => id);
  const back = there.toReversed();
  const trips = [470, 490, 500, 520, 540, 560].map((leaves, i) => ({
    id: `t${i}`,
    stops: i % 2 === 0 ? there : back,
    leaves,
    direction: i % 2,
    route: i < 4 ? 'R1' : 'R2',
  }));
  return {
    'agency.txt': [{ ...AGENCY, agency_name: 'Línea, "A" to B' }],
    'stops.txt': stops.map(([id, along]) =>
      stop(id, along, { location_type: 0, stop_timezone: '' }),
    ),
    'routes.txt': [
      {
        route_id: 'R1',
        agency_id: 'A',
        route_short_name: '1',
        route_long_name: 'Pier',
        route_type: 3,
      },
      {
        route_id: 'R2',
        agency_id: 'A',
        route_short_name: '',
        route_long_name: 'Quay',
        route_type: 0,
      },
    ],
    'trips.txt': [
      ...trips.map(({ id, route, direction }, i) => ({
        route_id: route,
        service_id: 'WK',
        trip_id: id,
        trip_headsign: 'East',
        direction_id: direction,
        block_id: `v${i >> 1}`,
      })),
      { route_id: 'R2', service_id: 'WK', trip_id: 'every', direction_id: 0 },
      { route_id: 'R2', service_id: 'SA', trip_id: 'saturday', direction_id: 0 },
    ],
    'stop_times.txt': [
      ...trips.flatMap(({ id, stops, leaves }) => calls(id, stops, leaves, 4)),
      ...calls('every', there.slice(1, 4), 480, 5),
      ...calls('saturday', there.slice(0, 2), 480, 5),
    ],
    'frequencies.txt': [
      {
        trip_id: 'every',
        start_time: '08:00:00',
        end_time: '10:00:00',
        headway_secs: 1800,
        exact_times: 1,
      },
    ],
    'calendar.txt': [
      service('WK', '1111100', 20260101, 20260228),
      service('SA', '0000011', 20260101, 20260228),
    ],
    'calendar_dates.txt': [exception('WK', 20260119, 2), exception('SA', 20260119, 1)],
    'transfers.txt': [
      { from_stop_id: 'Mole', to_stop_id: 'Mole', transfer_type: 2, min_transfer_time: 60 },
      { from_stop_id: 'Cañon', to_stop_id: 'Mole', transfer_type: 0 },
    ],
    'feed_info.txt': [
      {
        feed_publisher_name: 'A',
        feed_id: 'bus',
        feed_start_date: 20260101,
        feed_end_date: 20260228,
      },
    ],
  };
}

function railTables(): FeedTables {
  const stops = Object.entries(STATIONS).flatMap(([name, along]) => [
    stop(name, along, { location_type: 1, stop_timezone: 'America/New_York' }),
    stop(`${name}-p`, along, { location_type: 0, parent_station: name, level_id: 'L1' }),
    stop(`${name}-e`, along + 40, { location_type: 2, parent_station: name }),
    // A node needs no coordinates.
    { stop_id: `${name}-n`, stop_lat: '', stop_lon: '', location_type: 3, parent_station: name },
  ]);
  const there = ['Old-p', 'New-p'];
  const trips = [475, 500, 530, 555].map((leaves, i) => ({ id: `r${i}`, leaves }));
  const pathway = (id: number, from: string, to: string, more: FeedRecord) => ({
    pathway_id: `w${id}`,
    from_stop_id: from,
    to_stop_id: to,
    pathway_mode: 1,
    is_bidirectional: 1,
    ...more,
  });
  return {
    'agency.txt': [{ ...AGENCY, agency_id: 'B', agency_name: 'Rail' }],
    'stops.txt': stops,
    'routes.txt': [{ route_id: 'RR', agency_id: 'B', route_short_name: 'RR', route_type: 2 }],
    'trips.txt': trips.map(({ id }) => ({ route_id: 'RR', service_id: 'D', trip_id: id })),
    'stop_times.txt': trips.flatMap(({ id, leaves }, i) =>
      calls(id, i % 2 === 0 ? there : there.toReversed(), leaves, 7),
    ),
    'calendar_dates.txt': [5, 6, 7, 8, 9, 12, 13, 14, 15, 16].map((day) =>
      exception('D', 20260100 + day, 1),
    ),
    'levels.txt': [{ level_id: 'L1', level_index: -1 }],
    'pathways.txt': [
      pathway(1, 'Old-e', 'Old-n', { traversal_time: 30 }),
      pathway(2, 'Old-n', 'Old-p', { length: 12, stair_count: 20 }),
      pathway(3, 'New-e', 'New-p', { pathway_mode: 2, stair_count: 24 }),
    ],
  };
}

function feed(name: string, tables: FeedTables): InputFile {
  return {
    kind: 'gtfs',
    name,
    companions: [],
    tables: Object.entries(tables).map(([file, records]) => {
      const columns = [...new Set(records.flatMap((record) => Object.keys(record)))];
      const rows = records.map((record) => columns.map((column) => String(record[column] ?? '')));
      return { name: file, columns, rows };
    }),
  };
}

function list(kind: 'pois' | 'weights', name: string, table: Omit<Table, 'name'>): InputFile {
  return { kind, name, companions: [], tables: [{ name, ...table }] };
}

/** A shapefile whose attributes are given, and whose other files are those of an archive. */
async function shapefile(
  kind: 'blocks' | 'places',
  archive: string,
  { columns, rows }: { columns: readonly string[]; rows: readonly (readonly Cell[])[] },
): Promise<InputFile> {
  const zip = await ZipInput.open(archive, ['.shp']);
  const companions: Entry[] = [];
  let name = '';
  for (const entry of zip.names) {
    const chunks: Buffer[] = [];
    for await (const chunk of zip.stream(entry)) chunks.push(chunk);
    if (entry.endsWith('.dbf')) name = entry;
    else companions.push({ name: entry, bytes: Buffer.concat(chunks) });
  }
  zip.close();
  return { kind, name: `${kind}.zip`, tables: [{ name, columns, rows }], companions };
}
