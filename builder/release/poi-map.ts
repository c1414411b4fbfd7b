import { writeFlatGeobuf } from '../../shards/fgb/writer.ts';
import type { DestinationFacts } from '../destinations/destination.ts';

const TEXT_COLUMNS = ['name', 'street', 'city', 'state', 'zip', 'brand'] as const;

/** The destinations at home in a county as a layer of points, for whoever has a map to put them on. */
export function poiMap(county: string, destinations: readonly DestinationFacts[]): Uint8Array {
  return writeFlatGeobuf(
    `pois_${county}`,
    [
      { name: 'dest_id', type: 'integer' },
      ...TEXT_COLUMNS.map((name) => ({ name, type: 'string' as const })),
      { name: 'type_ids', type: 'string' },
    ],
    destinations.map(({ destId, name, address, brand, types, lon, lat }) => ({
      geometry: { lon, lat },
      properties: { dest_id: destId, name, ...address, brand, type_ids: types.join(',') },
    })),
  );
}
