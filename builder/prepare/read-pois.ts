import { boxContains } from '../../shards/geometry/wgs84.ts';
import type { Store } from '../../shards/store/store.ts';
import type { BoundingBox } from '../../shards/units.ts';
import type { Destination } from '../destinations/destination.ts';
import { type PreparedCells, readNear } from './read-cells.ts';

/** Yields the POIs of a plan's lists within an area, cell by cell. */
export async function* poisWithin(
  store: Store,
  prepared: PreparedCells,
  area: BoundingBox,
): AsyncGenerator<Destination> {
  for await (const poi of readNear<Destination>(store, prepared, area)) {
    if (boxContains(area, poi.lon, poi.lat)) yield poi;
  }
}
