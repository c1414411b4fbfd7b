import Flatbush from 'flatbush';
import type { Degrees } from '../../shards/units.ts';

/**
 * Finds line segments by box: those from each of these points to the next. Of none there is no
 * tree.
 */
export function segmentTree(
  points: readonly number[],
  lon: ArrayLike<Degrees>,
  lat: ArrayLike<Degrees>,
): Flatbush | null {
  if (points.length === 0) return null;
  const tree = new Flatbush(points.length);
  for (const p of points) {
    tree.add(
      Math.min(lon[p], lon[p + 1]),
      Math.min(lat[p], lat[p + 1]),
      Math.max(lon[p], lon[p + 1]),
      Math.max(lat[p], lat[p + 1]),
    );
  }
  tree.finish();
  return tree;
}
