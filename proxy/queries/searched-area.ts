import { boxAroundPoint, localDistance } from '../../shards/geometry/wgs84.ts';
import {
  type BoundingBox,
  type Degrees,
  type Metres,
  MICRO,
  type MicroDegrees,
} from '../../shards/units.ts';

export interface SearchedArea {
  /** Boxes that together cover the area. */
  readonly boxes: readonly BoundingBox[];
  /**
   * Whether a part of the area is in a box; if absent, `boxes` alone decide. Callers test boxes
   * from west to east.
   */
  meets?(box: BoundingBox): boolean;
  /**
   * Whether the area contains a point of its boxes; if absent, it contains all of their points.
   * Fastest for points tested from west to east.
   */
  contains?(lon: MicroDegrees, lat: MicroDegrees): boolean;
}

/**
 * Returns a box as an area. The box crosses the antimeridian if its west edge is east of its east
 * edge.
 */
export function boxArea(
  west: Degrees,
  south: Degrees,
  east: Degrees,
  north: Degrees,
): SearchedArea {
  const box = { minLon: west, minLat: south, maxLon: east, maxLat: north };
  if (west <= east) return { boxes: [box] };
  return {
    boxes: [
      { ...box, maxLon: 180 },
      { ...box, minLon: -180 },
    ],
  };
}

export function circleArea(lon: Degrees, lat: Degrees, radius: Metres): SearchedArea {
  const box = boxAroundPoint(lon, lat, radius);
  const [south, north] = [Math.max(-90, box.minLat), Math.min(90, box.maxLat)];
  const holdsPole = box.minLat <= -90 || box.maxLat >= 90 || box.maxLon - box.minLon >= 360;
  const west = holdsPole ? -180 : wrapped(box.minLon);
  const east = holdsPole ? 180 : wrapped(box.maxLon);
  return {
    boxes: boxArea(west, south, east, north).boxes,
    contains: (x, y) => {
      // The shorter way around the earth.
      const dLon = wrapped(x / MICRO - lon);
      return localDistance(lon, lat, lon + dLon, y / MICRO) <= radius;
    },
  };
}

function wrapped(lon: Degrees): Degrees {
  return lon < -180 ? lon + 360 : lon > 180 ? lon - 360 : lon;
}
