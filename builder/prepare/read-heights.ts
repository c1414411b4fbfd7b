import { readVerified } from '../../shards/store/recorded-hash.ts';
import type { Store } from '../../shards/store/store.ts';
import type { Metres } from '../../shards/units.ts';
import { groundHeights } from '../elevation/ground-heights.ts';
import { decodeHeights } from '../elevation/height-cell.ts';
import { EARTH } from '../geo/cell-rectangle.ts';
import type { PreparedCells } from './read-cells.ts';

/**
 * Returns the ground heights of a plan at some points, as `groundHeights` does. Holds one cell at a
 * time.
 */
export async function heightsAt(
  store: Store,
  prepared: PreparedCells,
  lon: Float64Array,
  lat: Float64Array,
): Promise<Float64Array> {
  const heights = new Float64Array(lon.length).fill(Number.NaN);
  const pointsIn = new Map<number, number[]>();
  for (let point = 0; point < lon.length; point++) {
    const cell = EARTH.at(lon[point], lat[point]);
    const others = pointsIn.get(cell);
    if (others) others.push(point);
    else if (cell in prepared) pointsIn.set(cell, [point]);
  }
  for (const [cell, points] of pointsIn) {
    const ref = prepared[cell];
    const rasters = decodeHeights(ref.name, await readVerified(store, ref));
    const here: readonly Metres[] = Array.from(
      await groundHeights(
        rasters,
        Float64Array.from(points, (point) => lon[point]),
        Float64Array.from(points, (point) => lat[point]),
      ),
    );
    for (const [i, point] of points.entries()) heights[point] = here[i];
  }
  return heights;
}
