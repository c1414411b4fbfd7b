import type { Metres } from '../../shards/units.ts';
import { localDistance } from '../geo/wgs84.ts';
import type { Destination } from './destination.ts';

/** How far apart a place's node and its outline may lie. */
const SAME_PLACE: Metres = 100;

/**
 * Drops the node of a place that is also mapped as an outline: same name, a common type, near. The
 * outline, whose id and entrances say more, stays, and takes from the node what it lacks.
 */
export function mergeDuplicates(destinations: readonly Destination[]): Destination[] {
  const outlines = new Map<string, { index: number; destination: Destination }[]>();
  const merged: (Destination | null)[] = [...destinations];
  destinations.forEach((destination, index) => {
    if (isNode(destination)) return;
    const name = normalised(destination.name);
    outlines.set(name, [...(outlines.get(name) ?? []), { index, destination }]);
  });
  destinations.forEach((node, index) => {
    if (!isNode(node)) return;
    const same = outlines
      .get(normalised(node.name))
      ?.find(({ destination }) => isSamePlace(node, destination));
    if (!same) return;
    const outline = merged[same.index]!;
    merged[same.index] = {
      ...outline,
      types: [...new Set([...outline.types, ...node.types])].sort((a, b) => a - b),
      brand: outline.brand ?? node.brand,
      address: {
        street: outline.address.street ?? node.address.street,
        city: outline.address.city ?? node.address.city,
        state: outline.address.state ?? node.address.state,
        zip: outline.address.zip ?? node.address.zip,
      },
    };
    merged[index] = null;
  });
  return merged.filter((destination) => destination !== null);
}

function isNode(destination: Destination): boolean {
  return destination.source.startsWith('node ');
}

function isSamePlace(a: Destination, b: Destination): boolean {
  return (
    a.types.some((type) => b.types.includes(type)) &&
    localDistance(a.lon, a.lat, b.lon, b.lat) <= SAME_PLACE
  );
}

function normalised(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
