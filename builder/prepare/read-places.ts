import { boxesMeet } from '../../shards/geometry/wgs84.ts';
import type { Store } from '../../shards/store/store.ts';
import type { BoundingBox } from '../../shards/units.ts';
import type { CensusPlace } from '../census/census-places.ts';
import { type PreparedCells, readNear } from './read-cells.ts';

/** Reads the census places of a plan that may lie within a box, ascending by GEOID. */
export async function placesNear(
  store: Store,
  prepared: PreparedCells,
  box: BoundingBox,
): Promise<CensusPlace[]> {
  const places = new Map<string, CensusPlace>();
  for await (const place of readNear<CensusPlace>(store, prepared, box)) {
    if (boxesMeet(place.box, box)) places.set(place.geoid, place);
  }
  return [...places.values()].sort((a, b) => (a.geoid < b.geoid ? -1 : 1));
}
