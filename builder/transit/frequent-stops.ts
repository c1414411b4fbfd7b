import { hashedDestId } from '../destinations/dest-id.ts';
import type { Destination } from '../destinations/destination.ts';
import { TAXONOMY } from '../destinations/taxonomy.ts';
import { ROUTING } from '../routing-parameters.ts';
import type { Transit } from './join-feeds.ts';
import type { TransitStop } from './transit-stop.ts';

const FREQUENT_TRANSIT = TAXONOMY.find((type) => type.source === 'gtfs')!.dest_type_id;
const NO_ADDRESS = { street: null, city: null, state: null, zip: null };
/** Decimals of the coordinates that distinguish namesakes: about a kilometre. */
const PLACE_DECIMALS = 2;

type Station = TransitStop['station'];
type Entrance = TransitStop['entrances'][number];

/** A stop or station, from one feed or several. */
interface Site {
  readonly agency: string;
  readonly station: Station;
  readonly entrances: Entrance[];
  /** Departures in the window, by line and direction. */
  readonly departures: Map<string, number>;
}

/**
 * Returns the stops and stations with frequent service as destinations, sorted by `destId`,
 * ascending. Service is frequent if one line in one direction departs at least four times in the
 * window, from all platforms of a station together. A station is entered by the entrances of its
 * platforms.
 *
 * Feeds of one agency may share a station by its id. Different agencies may have the same name and
 * use the same id for places far apart, so a station's identity includes its approximate location.
 * This is taken from the station's own feed alone, so that neither the other feeds of the build nor
 * their order matter.
 */
export function frequentStops({ stops, departures }: Transit): Destination[] {
  const sites = new Map<string, Site>();
  const called = [...stops.keys()].filter((stop) => departures[stop] !== null);
  const ordinals = called.sort((a, b) => southFirst(stops[a], stops[b]));
  for (const ordinal of ordinals) {
    const { agency, station, entrances } = stops[ordinal];
    const key = `${agency}\0${idOf(station)}`;
    const site: Site = sites.get(key) ?? { agency, station, entrances: [], departures: new Map() };
    sites.set(key, site);
    site.entrances.push(...entrances);
    for (const [line, count] of departures[ordinal]!) {
      site.departures.set(line, (site.departures.get(line) ?? 0) + count);
    }
  }
  return [...sites.values()]
    .filter(
      (site) => Math.max(0, ...site.departures.values()) >= ROUTING.transit.frequentDepartures,
    )
    .map(destinationOf)
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

/** Combines the feed's id of a station with its approximate location. */
function idOf({ id, lon, lat }: Station): string {
  return `${id} at ${lat.toFixed(PLACE_DECIMALS)}, ${lon.toFixed(PLACE_DECIMALS)}`;
}

function destinationOf({ agency, station, entrances }: Site): Destination {
  const { name, lon, lat } = station;
  return {
    destId: hashedDestId(`gtfs ${agency}`, idOf(station)),
    source: `stop ${idOf(station)} of ${agency}`,
    name,
    address: NO_ADDRESS,
    brand: null,
    types: [FREQUENT_TRANSIT],
    lon,
    lat,
    entrances: entrances.map((entrance) => ({ lon: entrance.lon, lat: entrance.lat })),
  };
}
