import KDBush from 'kdbush';
import { folded } from '../../shards/folded-text.ts';
import { bufferBox } from '../../shards/geometry/wgs84.ts';
import type { Metres } from '../../shards/units.ts';
import { isAlike, typesOfBoth } from './comparable-types.ts';
import type { Destination } from './destination.ts';
import { poiBox, poiDistance, SAME_POI } from './poi-distance.ts';

/**
 * Drops the node of a place that is also mapped as an outline: same name, a common type, in it or
 * near. The outline, whose id, size and sides say more, stays, and takes from the node what it
 * lacks. Of several outlines, the node is that of the nearest.
 */
export function mergeDuplicates(destinations: readonly Destination[]): Destination[] {
  const nodes = destinations.filter(isNode);
  const tree = new KDBush(nodes.length);
  for (const { lon, lat } of nodes) tree.add(lon, lat);
  tree.finish();
  const names = nodes.map(({ name }) => normalised(name));
  const outlines = destinations.filter((poi) => !isNode(poi));
  const nearest = new Map<number, { outline: number; distance: Metres }>();
  outlines.forEach((outline, index) => {
    const name = normalised(outline.name);
    const { minLon, minLat, maxLon, maxLat } = bufferBox(poiBox(outline), SAME_POI);
    for (const node of tree.range(minLon, minLat, maxLon, maxLat)) {
      const { lon, lat } = nodes[node];
      if (names[node] !== name || !isAlike(outline, nodes[node])) continue;
      const distance = poiDistance(outline, lon, lat);
      if (distance > SAME_POI || distance >= (nearest.get(node)?.distance ?? Infinity)) continue;
      nearest.set(node, { outline: index, distance });
    }
  });
  const merged = [...outlines];
  nodes.forEach((node, i) => {
    const same = nearest.get(i);
    if (same) {
      const outline = merged[same.outline];
      merged[same.outline] = { ...completed(outline, node), types: typesOfBoth(outline, node) };
    } else merged.push(node);
  });
  return merged;
}

/** A place with the brand and address of another account of it, where it lacks those. */
export function completed(poi: Destination, other: Destination): Destination {
  return {
    ...poi,
    brand: poi.brand ?? other.brand,
    address: {
      street: poi.address.street ?? other.address.street,
      city: poi.address.city ?? other.address.city,
      state: poi.address.state ?? other.address.state,
      zip: poi.address.zip ?? other.address.zip,
    },
  };
}

function isNode(destination: Destination): boolean {
  return destination.source.startsWith('node ');
}

function normalised(name: string): string {
  return folded(name)
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
