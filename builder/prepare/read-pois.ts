import { boxContains } from '../../shards/geometry/wgs84.ts';
import type { Store } from '../../shards/store/store.ts';
import type { BoundingBox } from '../../shards/units.ts';
import type { Destination } from '../destinations/destination.ts';
import { type PreparedCells, readNear } from './read-cells.ts';

/** The POIs of a plan's lists, of which only those around an area are read. */
export class PoiTables {
  readonly #store: Store;
  readonly #prepared: PreparedCells;

  constructor(store: Store, prepared: PreparedCells) {
    this.#store = store;
    this.#prepared = prepared;
  }

  /** Yields the POIs within an area, cell by cell. */
  async *within(area: BoundingBox): AsyncGenerator<Destination> {
    for await (const poi of readNear<Destination>(this.#store, this.#prepared, area)) {
      if (boxContains(area, poi.lon, poi.lat)) yield poi;
    }
  }
}
