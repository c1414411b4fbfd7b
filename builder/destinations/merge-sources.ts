import type { Destination } from './destination.ts';
import { completed, NearbyPois } from './nearby-pois.ts';

/**
 * Merges the POIs of two sources, each real POI once, ascending by `destId`. A POI of
 * `others` that is also in `osm` (near, with the same name and a common type) adds its address and
 * brand to that one where missing, and is dropped; if several match, the nearest is used. The order
 * of neither list matters, and POIs of one list are not merged with each other.
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

/**
 * The POIs of one source without its duplicates: of those that are near, have the same name and a
 * common type, and do not have different house numbers, the first stays, with the brand and address
 * of the others where it lacks them. The most trusted must come first.
 */
export function withoutDuplicates(pois: readonly Destination[]): Destination[] {
  const nearby = new NearbyPois(pois);
  const kept: (Destination | null)[] = [...pois];
  pois.forEach((poi, index) => {
    const same = nearby.samePoi(
      poi,
      (other) => other < index && kept[other] !== null && !isNextDoor(pois[other], poi),
    );
    if (same === -1) return;
    kept[same] = completed(kept[same]!, poi);
    kept[index] = null;
  });
  return kept.filter((poi) => poi !== null);
}

/** Whether two addresses name different houses. */
export function isNextDoor(a: Destination, b: Destination): boolean {
  const [one, other] = [a, b].map(({ address }) => /^\d+/.exec(address.street ?? '')?.[0]);
  return one !== undefined && other !== undefined && one !== other;
}

function byDestId(a: Destination, b: Destination): number {
  return a.destId - b.destId;
}
