import Flatbush from 'flatbush';
import { bufferBox } from '../../shards/geometry/wgs84.ts';
import { isAlike } from './comparable-types.ts';
import type { Destination } from './destination.ts';
import { completed } from './duplicates.ts';
import { poiBox, poiDistance, SAME_POI } from './poi-distance.ts';
import { isSameName, type NameWords, nameWords } from './poi-name.ts';

/**
 * One list of what two sources know, each real place once, ascending by `destId`. A place of
 * `others` that is also in `osm` (near, of the same name, of a common type) gives the one there its
 * address and brand where those lack, and is dropped; where several there may be it, the nearest
 * is. The order of neither list matters, and places of one list are not merged with each other.
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
 * The places of one source, which may have some of them twice: of those that are near, of the same
 * name and of a common type, and do not have different house numbers, the first stays, with the
 * brand and address of the others where it lacks them. The most trusted must come first.
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
function isNextDoor(a: Destination, b: Destination): boolean {
  const [one, other] = [a, b].map(({ address }) => /^\d+/.exec(address.street ?? '')?.[0]);
  return one !== undefined && other !== undefined && one !== other;
}

function byDestId(a: Destination, b: Destination): number {
  return a.destId - b.destId;
}

/** Places by the boxes of their outlines and points. */
class NearbyPois {
  readonly #pois: readonly Destination[];
  readonly #words: readonly NameWords[];
  readonly #tree: Flatbush | null;

  constructor(pois: readonly Destination[]) {
    this.#pois = pois;
    this.#words = pois.map(({ name }) => nameWords(name));
    this.#tree = pois.length === 0 ? null : new Flatbush(pois.length);
    for (const poi of pois) {
      const { minLon, minLat, maxLon, maxLat } = poiBox(poi);
      this.#tree!.add(minLon, minLat, maxLon, maxLat);
    }
    this.#tree?.finish();
  }

  /**
   * The index of the nearest place that is the same as another, of those that may be; -1 if none
   * is.
   */
  samePoi(other: Destination, mayBe: (index: number) => boolean = () => true): number {
    const words = nameWords(other.name);
    const { minLon, minLat, maxLon, maxLat } = bufferBox(poiBox(other), SAME_POI);
    let nearest = -1;
    let nearestDistance = Number.POSITIVE_INFINITY;
    for (const index of this.#tree?.search(minLon, minLat, maxLon, maxLat, mayBe) ?? []) {
      const poi = this.#pois[index];
      if (!isAlike(poi, other) || !isSameName(this.#words[index], words)) continue;
      const distance = poiDistance(poi, other.lon, other.lat);
      if (distance > SAME_POI || distance > nearestDistance) continue;
      if (distance === nearestDistance && index > nearest) continue;
      nearest = index;
      nearestDistance = distance;
    }
    return nearest;
  }
}
