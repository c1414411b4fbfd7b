import { typesOfBoth } from './comparable-types.ts';
import type { Destination } from './destination.ts';
import { completed, NearbyPois } from './nearby-pois.ts';
import { isDistinctive, nameWords } from './poi-name.ts';

/**
 * Drops duplicates in the map: small outlines of a POI that is also drawn as a large outline, or as
 * a small one with a lower id, if their names are distinctive beyond the kind of POI; and nodes of
 * a POI that is also drawn as an outline. Elements with different house numbers are not duplicates.
 * The remaining element takes over the facts it lacks from its duplicates. If an element matches
 * several, the nearest is used.
 */
export function mergeDuplicates(destinations: readonly Destination[]): Destination[] {
  const large = destinations.filter(({ outline }) => outline !== undefined);
  const nodes = destinations.filter(isNode);
  const small = destinations
    .filter((poi) => poi.outline === undefined && !isNode(poi))
    .sort((a, b) => a.destId - b.destId);
  const outlines = [...large, ...small];
  const merged = [...outlines];
  /** Per outline, the index of the outline that replaces it, by default its own. */
  const stays = outlines.map((_, i) => i);
  const nearby = new NearbyPois(outlines);
  const take = (same: number, other: Destination) => {
    const poi = merged[same];
    merged[same] = { ...completed(poi, other), types: typesOfBoth(poi, other) };
  };
  for (let i = large.length; i < outlines.length; i++) {
    const own = outlines[i];
    if (!isDistinctive(nameWords(own.name))) continue;
    const same = nearby.samePoi(own, (other) => other < i && stays[other] === other);
    if (same === -1) continue;
    take(same, own);
    stays[i] = same;
  }
  const alone: Destination[] = [];
  for (const node of nodes) {
    const same = nearby.samePoi(node);
    if (same === -1) alone.push(node);
    else take(stays[same], node);
  }
  return [...merged.filter((_, i) => stays[i] === i), ...alone];
}

function isNode(destination: Destination): boolean {
  return destination.source.startsWith('node ');
}

/**
 * Returns the POIs of one source without duplicates. Among POIs that are near each other, have the
 * same name and a common type, and do not have different house numbers, the first stays, and takes
 * over the brand and address of the others where it lacks them. The most trusted must come first.
 */
export function withoutDuplicates(pois: readonly Destination[]): Destination[] {
  const nearby = new NearbyPois(pois);
  const kept: (Destination | null)[] = [...pois];
  pois.forEach((poi, index) => {
    const same = nearby.samePoi(poi, (other) => other < index && kept[other] !== null);
    if (same === -1) return;
    kept[same] = completed(kept[same]!, poi);
    kept[index] = null;
  });
  return kept.filter((poi) => poi !== null);
}
