import { writeFlatGeobuf } from '../../shards/fgb/writer.ts';
import { boxOf, edgesOf } from '../../shards/geometry/wgs84.ts';
import type { CountyManifest } from '../../shards/release/manifest.ts';
import { toStored } from '../../shards/units.ts';
import type { DestinationFacts } from '../destinations/destination.ts';

const TEXT_COLUMNS = ['name', 'street', 'city', 'state', 'zip', 'brand'] as const;

/**
 * Encodes the destinations at home in a county as a FlatGeobuf layer of points, for use on any map.
 */
export function poiMap(county: string, destinations: readonly DestinationFacts[]): Uint8Array {
  return writeFlatGeobuf(
    `pois_${county}`,
    [
      { name: 'dest_id', type: 'int64' },
      ...TEXT_COLUMNS.map((name) => ({ name, type: 'string' as const })),
      { name: 'type_ids', type: 'string' },
    ],
    destinations.map(({ destId, name, address, brand, types, lon, lat }) => ({
      geometry: { lon, lat },
      properties: { dest_id: destId, name, ...address, brand, type_ids: types.join(',') },
    })),
  );
}

/**
 * Returns the west, south, east and north edges around some destinations at their stored
 * coordinates, so that a search at the exact location of the outermost one finds it. Null if there
 * are none.
 */
export function boxOfDestinations(
  destinations: readonly DestinationFacts[],
): CountyManifest['poi_box'] {
  return destinations.length === 0
    ? null
    : edgesOf(boxOf(destinations.map(({ lon, lat }) => [toStored(lon), toStored(lat)])));
}
