import { boxContains } from '../../shards/geometry/wgs84.ts';
import { readVerified } from '../../shards/store/recorded-hash.ts';
import type { Store } from '../../shards/store/store.ts';
import type { BoundingBox } from '../../shards/units.ts';
import type { Destination } from '../destinations/destination.ts';
import { objectsNear, type PreparedCells } from './prepared-cells.ts';

/** As JSON, in which numbers stay exactly what they are. */
export function encodePois(pois: readonly Destination[]): Uint8Array {
  return Buffer.from(JSON.stringify(pois));
}

/** The places of a plan's lists, of which only those are read that lie around an area. */
export class PoiTables {
  readonly #store: Store;
  readonly #prepared: PreparedCells;

  constructor(store: Store, prepared: PreparedCells) {
    this.#store = store;
    this.#prepared = prepared;
  }

  /** Those within an area, cell by cell. */
  async *within(area: BoundingBox): AsyncGenerator<Destination> {
    for (const ref of objectsNear(this.#prepared, area)) {
      // By its hash it is what this program has written.
      const bytes = await readVerified(this.#store, ref);
      const pois: Destination[] = JSON.parse(Buffer.from(bytes).toString());
      yield* pois.filter(({ lon, lat }) => boxContains(area, lon, lat));
    }
  }
}
