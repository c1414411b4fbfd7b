import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { OsmWay } from '../../infra/demo/osm-elements.ts';
import { AGENCY, service } from '../transit/feed-records.ts';
import { type FeedRecord, type FeedTables, gtfsTime, writeFeed } from '../transit/gtfs-text.ts';
import { type Point, pointAt, writeSmallCity } from '../transit/small-city.ts';
import type { BenchInputs } from './inputs.ts';

/** Towns in a row, each a grid of streets without a street to the next town. */
const TOWN = { corners: 7, spacing: 120, between: 1_500 };
const BLOCK_TO_STREET = 20;
/** How neighbouring towns are connected: by trains through all towns, or over each strait. */
export type Crossing = 'train' | 'ferry lines' | 'mapped ferries';

const HOP_SECONDS = 60;
const SERVICE = { from: 6 * 3_600, until: 11 * 3_600 };
/** Seconds between departures, and GTFS route types. */
const LINES = {
  train: { headway: 600, type: 2 },
  'ferry lines': { headway: 120, type: 4 },
};

/** Writes towns as inputs of a build. */
export async function writeTowns(
  towns: number,
  crossing: Crossing,
  out: string,
): Promise<BenchInputs> {
  await mkdir(out, { recursive: true });
  const { corners: side, spacing } = TOWN;
  const corners: Point[] = [];
  const streets: [number, number][] = [];
  const streetTags: Record<number, OsmWay['tags']> = {};
  const blocks: Point[] = [];
  const shops: Point[] = [];
  const piers: number[] = [];
  for (let town = 0; town < towns; town++) {
    const [first, east] = [corners.length, town * TOWN.between];
    for (let row = 0; row < side; row++) {
      for (let column = 0; column < side; column++) {
        const corner = corners.push(pointAt(east + column * spacing, row * spacing)) - 1;
        if (row > 0) streets.push([corner - side, corner]);
        if (column === 0) continue;
        streets.push([corner - 1, corner]);
        const middle = east + (column - 0.5) * spacing;
        blocks.push(pointAt(middle, row * spacing + BLOCK_TO_STREET));
      }
    }
    const pier = first + (side * side - 1) / 2;
    piers.push(pier);
    shops.push(corners[first]);
    if (crossing !== 'mapped ferries' || town === 0) continue;
    const minutes = String(HOP_SECONDS / 60).padStart(2, '0');
    streetTags[streets.length] = { route: 'ferry', duration: `00:${minutes}` };
    streets.push([piers[town - 1], pier]);
  }
  const city = { corners, streets, streetTags, blocks, shops };
  const { osm, blocks: files } = await writeSmallCity(out, city);
  const gtfs: string[] = [];
  if (crossing !== 'mapped ferries') {
    const stops = piers.map((pier) => corners[pier]);
    gtfs.push(await writeFeed(path.join(out, 'gtfs.zip'), feedOf(stops, crossing)));
  }
  const place = `${towns} towns by ${crossing}`;
  return { place, osm: osm[0], gtfs, blocks: files, places: [], counties: ['99001'] };
}

/** A line through all towns, or one over each strait; in both directions, all morning. */
function feedOf(stops: readonly Point[], crossing: keyof typeof LINES): FeedTables {
  const { headway, type } = LINES[crossing];
  const forth = [...stops.keys()];
  const lines = crossing === 'train' ? [forth] : forth.slice(1).map((stop) => [stop - 1, stop]);
  const trips: FeedRecord[] = [];
  const times: FeedRecord[] = [];
  for (const [route_id, line] of lines.entries()) {
    for (const calls of [line, line.toReversed()]) {
      for (let start = SERVICE.from; start < SERVICE.until; start += headway) {
        const trip_id = trips.length;
        trips.push({ route_id, service_id: 'daily', trip_id });
        for (const [stop_sequence, stop_id] of calls.entries()) {
          const time = gtfsTime(start + stop_sequence * HOP_SECONDS);
          times.push({ trip_id, arrival_time: time, departure_time: time, stop_id, stop_sequence });
        }
      }
    }
  }
  return {
    'agency.txt': [AGENCY],
    'stops.txt': stops.map(({ lon, lat }, stop_id) => {
      return { stop_id, stop_name: `Town ${stop_id}`, stop_lat: lat, stop_lon: lon };
    }),
    'routes.txt': lines.map((_, route_id) => {
      return { route_id, route_short_name: `Line ${route_id}`, route_type: type };
    }),
    'trips.txt': trips,
    'stop_times.txt': times,
    'calendar.txt': [service('daily', '1111111', 20260101, 20261231)],
  };
}
