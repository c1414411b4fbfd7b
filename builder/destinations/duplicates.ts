import { localDistance } from '../../shards/geometry/wgs84.ts';
import type { Metres } from '../../shards/units.ts';
import type { Destination } from './destination.ts';

/** How far apart a place's node and its outline may lie. */
const SAME_PLACE: Metres = 100;

const CELL_DEGREES = { lon: 0.01, lat: 0.001 };
const NEIGHBOURS = [-1, 0, 1].flatMap((dx) => [-1, 0, 1].map((dy) => [dx, dy] as const));

/**
 * Drops the node of a place that is also mapped as an outline: same name, a common type, near. The
 * outline, whose id and entrances say more, stays, and takes from the node what it lacks.
 */
export function mergeDuplicates(destinations: readonly Destination[]): Destination[] {
  const outlines = new Map<string, number[]>();
  const merged: (Destination | null)[] = [...destinations];
  destinations.forEach((destination, index) => {
    if (isNode(destination)) return;
    const cell = cellOf(normalised(destination.name), destination, [0, 0]);
    const inCell = outlines.get(cell);
    if (inCell) inCell.push(index);
    else outlines.set(cell, [index]);
  });
  destinations.forEach((node, index) => {
    if (!isNode(node)) return;
    const name = normalised(node.name);
    const same = NEIGHBOURS.flatMap((step) => outlines.get(cellOf(name, node, step)) ?? [])
      .sort((a, b) => a - b)
      .find((at) => isSamePlace(node, destinations[at]));
    if (same === undefined) return;
    const outline = merged[same]!;
    merged[same] = {
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

/**
 * A name in a cell of a grid, so that a name is compared within its neighbourhood alone: a state
 * has thousands of unnamed pitches. Cells are more than `SAME_PLACE` wide as far north as 80°.
 */
function cellOf(
  name: string,
  { lon, lat }: Destination,
  [dx, dy]: readonly [number, number],
): string {
  const x = Math.floor(lon / CELL_DEGREES.lon) + dx;
  const y = Math.floor(lat / CELL_DEGREES.lat) + dy;
  return `${x}/${y}/${name}`;
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
