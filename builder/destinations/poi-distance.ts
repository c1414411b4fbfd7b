import { pastEdge, sideAfter } from '../../shards/geometry/point-in-area.ts';
import type { Polygon, Ring } from '../../shards/geometry/polygon.ts';
import { boxOf, localDistance } from '../../shards/geometry/wgs84.ts';
import type { BoundingBox, Degrees, Metres } from '../../shards/units.ts';
import { segmentDistance } from '../geo/segments.ts';
import type { Destination } from './destination.ts';

/** Largest distance between two descriptions of one POI: from its outline, or from its middle. */
export const SAME_POI: Metres = 100;

/**
 * Distance from a point to a POI: to its outline (0 inside), or to its point if it has no outline
 * or the point is nearer.
 */
export function poiDistance(poi: Destination, lon: Degrees, lat: Degrees): Metres {
  const toPoint = localDistance(poi.lon, poi.lat, lon, lat);
  if (!poi.outline) return toPoint;
  if (isInside(poi.outline, lon, lat)) return 0;
  return poi.outline.flat().reduce((least, ring) => Math.min(least, toRing(ring)), toPoint);

  function toRing(ring: Ring): Metres {
    let least = Number.POSITIVE_INFINITY;
    for (let i = 1; i < ring.length; i++) {
      least = Math.min(least, segmentDistance([lon, lat], ring[i - 1], ring[i]));
    }
    return least;
  }
}

/** The smallest box that holds a POI: its point and its outline. */
export function poiBox({ lon, lat, outline }: Destination): BoundingBox {
  return boxOf([[lon, lat], ...(outline ?? []).flat(2)]);
}

function isInside(polygons: readonly Polygon[], lon: Degrees, lat: Degrees): boolean {
  let marks = 0;
  for (const ring of polygons.flat()) {
    for (let i = 1; i < ring.length; i++) {
      marks = pastEdge(marks, ...ring[i - 1], ...ring[i], lon, lat);
    }
  }
  return sideAfter(marks) !== 'outside';
}
