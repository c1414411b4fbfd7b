import type { Area, Polygon, Ring } from '../../shards/geometry/polygon.ts';
import { polygonFault } from '../../shards/geometry/polygon-fault.ts';
import type { Degrees } from '../../shards/units.ts';
import { LineSimplifier } from './line-simplifier.ts';

const LEAST_POSITIONS = 4;

/**
 * An area with fewer points, none of which it leaves by more than `tolerance`. A polygon that would
 * come to cross itself, or lose a ring, stays as it is.
 */
export function simplify({ polygons }: Area, tolerance: Degrees): Area {
  return { polygons: polygons.map((polygon) => simplifyPolygon(polygon, tolerance)) };
}

function simplifyPolygon(polygon: Polygon, tolerance: Degrees): Polygon {
  const simpler = polygon.map((ring) => simplifyRing(ring, tolerance));
  const isWhole = simpler.every((ring) => ring.length >= LEAST_POSITIONS);
  return isWhole && polygonFault(simpler) === null ? simpler : polygon;
}

/** A ring has no ends: it is halved where it is farthest from its first point. */
function simplifyRing(ring: Ring, tolerance: Degrees): Ring {
  const x = Float64Array.from(ring, ([lon]) => lon);
  const y = Float64Array.from(ring, ([, lat]) => lat);
  let far = 0;
  const fromFirst = (i: number) => (x[i] - x[0]) ** 2 + (y[i] - y[0]) ** 2;
  for (let i = 1; i < ring.length; i++) if (fromFirst(i) > fromFirst(far)) far = i;
  const simplifier = new LineSimplifier({ x, y }, tolerance, ring.length);
  const half = (first: number, last: number) => {
    const kept = simplifier.keptPoints(first, last);
    return ring.slice(first, last + 1).filter((_, i) => kept[i] === 1);
  };
  return [...half(0, far), ...half(far, ring.length - 1).slice(1)];
}
