import { boxesMeet } from '../../shards/geometry/wgs84.ts';
import type { Store } from '../../shards/store/store.ts';
import type { BoundingBox } from '../../shards/units.ts';
import type { CensusPlace } from '../census/census-places.ts';
import { type PreparedCells, readNear } from './read-cells.ts';

/** The census places of a plan, of which only those that may lie in a box are read. */
export class PlaceTables {
  readonly #store: Store;
  readonly #prepared: PreparedCells;

  constructor(store: Store, prepared: PreparedCells) {
    this.#store = store;
    this.#prepared = prepared;
  }

  /** Reads the census places that may lie within a box, ascending by GEOID. */
  async near(box: BoundingBox): Promise<CensusPlace[]> {
    const places = new Map<string, CensusPlace>();
    for await (const place of readNear<CensusPlace>(this.#store, this.#prepared, box)) {
      if (boxesMeet(place.box, box)) places.set(place.geoid, place);
    }
    return [...places.values()].sort((a, b) => (a.geoid < b.geoid ? -1 : 1));
  }
}
