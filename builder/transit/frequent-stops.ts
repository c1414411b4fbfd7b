import { localDistance } from '../../shards/geometry/wgs84.ts';
import type { Metres } from '../../shards/units.ts';
import { hashedDestId } from '../destinations/dest-id.ts';
import type { Destination } from '../destinations/destination.ts';
import { TAXONOMY } from '../destinations/taxonomy.ts';
import { ROUTING } from '../routing-parameters.ts';
import type { Transit } from './read-transit.ts';
import type { TransitStop } from './timetable.ts';

const FREQUENT_TRANSIT = TAXONOMY.find((type) => type.source === 'gtfs')!.dest_type_id;
const NO_ADDRESS = { street: null, city: null, state: null, zip: null };
/** Stations of one id that are farther from each other are two. */
const ONE_STATION: Metres = 1_000;

type Station = TransitStop['station'];
type Door = TransitStop['doors'][number];

/** A stop or station, from one feed or several. */
interface Site {
  readonly agency: string;
  readonly station: Station;
  /** Agency and id alone do not say which it is. */
  readonly isNamesake: boolean;
  readonly doors: Door[];
  departures: number;
}

/**
 * Stops and stations with frequent service as destinations, ascending by `destId`: those whose
 * departures in the window, over all lines and all platforms of a station, are at least four an
 * hour. A station is entered by the doors of its platforms.
 *
 * Feeds of one agency may share a station, by its id. Where two agencies are called the same, their
 * ids may mean places far apart: the southernmost keeps its `dest_id`, and the others' depend on
 * where they are too. The order of the feeds does not matter.
 */
export function frequentStops({ stops, departures }: Transit): Destination[] {
  const bySource = new Map<string, Site[]>();
  const ordinals = [...stops.keys()].sort((a, b) => southFirst(stops[a], stops[b]));
  for (const ordinal of ordinals) {
    const { agency, station, doors } = stops[ordinal];
    const source = `stop ${station.id} of ${agency}`;
    const sites = bySource.get(source) ?? [];
    bySource.set(source, sites);
    let site = sites.find((known) => isNear(known.station, station));
    if (!site) {
      site = { agency, station, isNamesake: sites.length > 0, doors: [], departures: 0 };
      sites.push(site);
    }
    site.doors.push(...doors);
    site.departures += departures[ordinal];
  }
  return [...bySource]
    .flatMap(([source, sites]) => sites.map((site) => ({ source, site })))
    .filter(({ site }) => site.departures >= ROUTING.transit.frequentDepartures)
    .map(({ source, site }) => destinationOf(source, site))
    .sort((a, b) => a.destId - b.destId);
}

function southFirst(a: TransitStop, b: TransitStop): number {
  return (
    a.station.lat - b.station.lat ||
    a.station.lon - b.station.lon ||
    a.lat - b.lat ||
    a.lon - b.lon ||
    (a.id < b.id ? -1 : Number(a.id > b.id))
  );
}

function isNear(a: Station, b: Station): boolean {
  return localDistance(a.lon, a.lat, b.lon, b.lat) <= ONE_STATION;
}

function destinationOf(source: string, { agency, station, isNamesake, doors }: Site): Destination {
  const { id, name, lon, lat } = station;
  const position = `${lat.toFixed(3)}, ${lon.toFixed(3)}`;
  return {
    destId: hashedDestId(`gtfs ${agency}`, isNamesake ? `${id} at ${position}` : id),
    source: isNamesake ? `${source} at ${position}` : source,
    name,
    address: NO_ADDRESS,
    brand: null,
    types: [FREQUENT_TRANSIT],
    lon,
    lat,
    entrances: doors.map((door) => ({ lon: door.lon, lat: door.lat })),
  };
}
