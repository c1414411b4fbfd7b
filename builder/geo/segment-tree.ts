import Flatbush from 'flatbush';
import type { Degrees } from '../../shards/units.ts';

/**
 * Indexes, by box, the line segments from each of some points to the point after it. Returns null
 * if there are none.
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
