import { typesOfBoth } from './comparable-types.ts';
import type { Destination } from './destination.ts';
import { completed, NearbyPois } from './nearby-pois.ts';

/**
 * Drops the node of a place that is also mapped as an outline. The outline, whose id, size and sides
 * say more, stays, and takes from the node what it lacks. Of several outlines, the node is that of
 * the nearest.
 */
export function mergeDuplicates(destinations: readonly Destination[]): Destination[] {
  const merged = destinations.filter((poi) => !isNode(poi));
  const outlines = new NearbyPois([...merged]);
  for (const node of destinations.filter(isNode)) {
    const same = outlines.samePoi(node);
    if (same === -1) merged.push(node);
    else {
      const types = typesOfBoth(merged[same], node);
      merged[same] = { ...completed(merged[same], node), types };
    }
  }
  return merged;
}

function isNode(destination: Destination): boolean {
  return destination.source.startsWith('node ');
}
