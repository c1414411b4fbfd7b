import Flatbush from 'flatbush';
import type { Position } from '../../shards/geometry/polygon.ts';
import { metresPerDegreeLat, metresPerDegreeLon } from '../../shards/geometry/wgs84.ts';
import type { Degrees, Metres } from '../../shards/units.ts';

/** Distance from a point to a line segment near it. */
export function segmentDistance([lon, lat]: Position, from: Position, to: Position): Metres {
  const perLon = metresPerDegreeLon(lat);
  const perLat = metresPerDegreeLat(lat);
  const [ax, ay] = [(from[0] - lon) * perLon, (from[1] - lat) * perLat];
  const [dx, dy] = [(to[0] - from[0]) * perLon, (to[1] - from[1]) * perLat];
  const squared = dx * dx + dy * dy;
  const along = squared === 0 ? 0 : Math.min(1, Math.max(0, -(ax * dx + ay * dy) / squared));
  return Math.hypot(ax + along * dx, ay + along * dy);
}

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
