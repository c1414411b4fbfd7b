import { typesOfBoth } from './comparable-types.ts';
import type { Destination } from './destination.ts';
import { isNextDoor } from './merge-sources.ts';
import { completed, NearbyPois } from './nearby-pois.ts';
import { nameWords, tellsApart } from './poi-name.ts';

/**
 * Drops duplicates in the map: small outlines of a POI that is also drawn as a large one, or as a
 * small one with a lower id, if their names are distinctive beyond the kind of POI and their
 * house numbers do not differ; and nodes of a POI that is also an outline. The remaining element
 * takes over the facts it lacks from the others. If it may match several, the nearest is used.
 */
export function mergeDuplicates(destinations: readonly Destination[]): Destination[] {
  const large = destinations.filter(({ outline }) => outline !== undefined);
  const nodes = destinations.filter(isNode);
  const small = destinations
    .filter((poi) => poi.outline === undefined && !isNode(poi))
    .sort((a, b) => a.destId - b.destId);
  const outlines = [...large, ...small];
  const merged = [...outlines];
  /** By outline: the one that replaces it, by default itself. */
  const stays = outlines.map((_, i) => i);
  const nearby = new NearbyPois(outlines);
  const take = (same: number, other: Destination) => {
    const poi = merged[same];
    merged[same] = { ...completed(poi, other), types: typesOfBoth(poi, other) };
  };
  for (let i = large.length; i < outlines.length; i++) {
    const own = outlines[i];
    if (!tellsApart(nameWords(own.name))) continue;
    const mayBe = (other: number) =>
      other < i && stays[other] === other && !isNextDoor(outlines[other], own);
    const same = nearby.samePoi(own, mayBe);
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
