import type { Area, Polygon, Ring } from '../../shards/geometry/polygon.ts';
import { polygonFault } from '../../shards/geometry/polygon-fault.ts';
import type { Degrees } from '../../shards/units.ts';

const LEAST_POSITIONS = 4;

/**
 * An area with fewer points, none of which it leaves by more than `tolerance` (Douglas and Peucker,
 * 1973). A polygon that would come to cross itself, or lose a ring, stays as it is.
 */
export function simplify({ polygons }: Area, tolerance: Degrees): Area {
  return { polygons: polygons.map((polygon) => simplifyPolygon(polygon, tolerance)) };
}

function simplifyPolygon(polygon: Polygon, tolerance: Degrees): Polygon {
  const simpler = polygon.map((ring) => simplifyRing(ring, tolerance));
  const isWhole = simpler.every((ring) => ring.length >= LEAST_POSITIONS);
  return isWhole && polygonFault(simpler) === null ? simpler : polygon;
}

function simplifyRing(ring: Ring, tolerance: Degrees): Ring {
  const kept = new Uint8Array(ring.length);
  // A ring has no ends: it is halved where it is farthest from its first point.
  let far = 0;
  ring.forEach((position, i) => {
    if (squared(position, ring[0]) > squared(ring[far], ring[0])) far = i;
  });
  kept[0] = kept[far] = kept[ring.length - 1] = 1;
  const open: [number, number][] = [
    [0, far],
    [far, ring.length - 1],
  ];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const [start, end] = part;
    let [worst, distance] = [-1, tolerance * tolerance];
    for (let i = start + 1; i < end; i++) {
      const away = squaredToSegment(ring[i], ring[start], ring[end]);
      if (away > distance) [worst, distance] = [i, away];
    }
    if (worst === -1) continue;
    kept[worst] = 1;
    open.push([start, worst], [worst, end]);
  }
  return ring.filter((_, i) => kept[i] === 1);
}

type Position = Ring[number];

function squared(a: Position, b: Position): number {
  return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2;
}

function squaredToSegment(p: Position, a: Position, b: Position): number {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / length;
  const t = Math.max(0, Math.min(1, along));
  return squared(p, [a[0] + t * dx, a[1] + t * dy]);
}
