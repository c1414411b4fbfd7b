import { hashedDestId } from '../destinations/dest-id.ts';
import type { Destination } from '../destinations/destination.ts';
import { TAXONOMY } from '../destinations/taxonomy.ts';
import { ROUTING } from '../routing-parameters.ts';
import type { Transit } from './read-transit.ts';

const FREQUENT_TRANSIT = TAXONOMY.find((type) => type.source === 'gtfs')!.dest_type_id;
const NO_ADDRESS = { street: null, city: null, state: null, zip: null };

/**
 * Stops and stations with frequent service as destinations, ascending by `destId`: those whose
 * departures in the window, over all lines and all platforms of a station, are at least four an
 * hour. A station is entered by the doors of its platforms.
 */
export function frequentStops({ stops, departures }: Transit): Destination[] {
  const stations = new Map<string, { place: Destination; departures: number }>();
  stops.forEach(({ agency, station, doors }, ordinal) => {
    const source = `stop ${station.id} of ${agency}`;
    const known = stations.get(source);
    const entrances = doors.map(({ lon, lat }) => ({ lon, lat }));
    stations.set(source, {
      departures: (known?.departures ?? 0) + departures[ordinal],
      place: {
        destId: hashedDestId(`gtfs ${agency}`, station.id),
        source,
        name: station.name,
        address: NO_ADDRESS,
        brand: null,
        types: [FREQUENT_TRANSIT],
        lon: station.lon,
        lat: station.lat,
        entrances: [...(known?.place.entrances ?? []), ...entrances],
      },
    });
  });
  return [...stations.values()]
    .filter((station) => station.departures >= ROUTING.transit.frequentDepartures)
    .map(({ place }) => place)
    .sort((a, b) => a.destId - b.destId);
}
