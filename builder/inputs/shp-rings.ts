import { isRingWithin } from '../../shards/geometry/point-in-area.ts';
import type { Polygon, Ring } from '../../shards/geometry/polygon.ts';
import { BuildError } from '../errors.ts';

/**
 * Maximum number of hole and shell pairs to check; enough for a thousand lakes on ten thousand
 * islands.
 */
const MAX_PAIRS = 1e7;

/**
 * Groups the rings of a shapefile's record into polygons: clockwise rings are shells, the others
 * are holes of the smallest shell that contains them. A hole that no shell contains becomes a
 * shell. `where` names file and record in errors.
 */
export function polygonsOfRings(where: string, rings: readonly Ring[]): Polygon[] {
  const shells: Shell[] = [];
  const holes: Ring[] = [];
  for (const ring of rings) {
    const twiceArea = twiceClockwiseArea(ring);
    if (ring.length >= 4 && twiceArea >= 0) shells.push({ rings: [ring], twiceArea });
    else holes.push(ring);
  }
  if (holes.length * shells.length > MAX_PAIRS) {
    throw new BuildError(
      `${where} has ${shells.length} outer rings and ${holes.length} holes; split it into several`,
    );
  }
  const smallestFirst =
    holes.length > 0 ? shells.toSorted((a, b) => a.twiceArea - b.twiceArea) : [];
  for (const hole of holes) {
    const shell = smallestFirst.find(({ rings: [outer] }) => isRingWithin(outer, hole));
    if (shell) shell.rings.push(hole);
    else shells.push({ rings: [hole], twiceArea: Number.POSITIVE_INFINITY });
  }
  return shells.map((shell) => shell.rings);
}

interface Shell {
  /** The outer ring, then its holes. */
  readonly rings: Ring[];
  readonly twiceArea: number;
}

function twiceClockwiseArea(ring: Ring): number {
  let area = 0;
  for (let i = 0, previous = ring.length - 1; i < ring.length; previous = i++) {
    area += ring[previous][1] * ring[i][0] - ring[previous][0] * ring[i][1];
  }
  return area;
}
