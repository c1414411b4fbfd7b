import type { Destination } from './destination.ts';
import { completed, NearbyPois } from './nearby-pois.ts';

/**
 * Merges the POIs of two sources, each real POI once, ascending by `destId`. A POI of `others` that
 * is also in `osm` (near, with the same name and a common type, and without a different house
 * number) is dropped, after its address and brand have filled the gaps of its counterpart in `osm`.
 * If several match, the nearest is used. The result does not depend on the order of either list,
 * and POIs of one list are not merged with each other.
 */
export function mergeSources(
  osm: readonly Destination[],
  others: readonly Destination[],
): Destination[] {
  const merged = [...osm].sort(byDestId);
  const nearby = new NearbyPois(merged);
  const alone: Destination[] = [];
  for (const other of [...others].sort(byDestId)) {
    const same = nearby.samePoi(other);
    if (same === -1) alone.push(other);
    else merged[same] = completed(merged[same], other);
  }
  return [...merged, ...alone].sort(byDestId);
}

function byDestId(a: Destination, b: Destination): number {
  return a.destId - b.destId;
}
