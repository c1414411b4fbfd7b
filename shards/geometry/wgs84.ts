import type { BoundingBox, Degrees, Metres } from '../units.ts';

const EQUATORIAL_RADIUS: Metres = 6_378_137;
const FLATTENING = 1 / 298.257223563;
const ECCENTRICITY_2 = FLATTENING * (2 - FLATTENING);
const RADIANS = Math.PI / 180;

export const EVERYWHERE: BoundingBox = { minLon: -180, minLat: -90, maxLon: 180, maxLat: 90 };

/**
 * Metres per degree of longitude at a latitude: from the radius of the parallel on the ellipsoid.
 */
export function metresPerDegreeLon(lat: Degrees): Metres {
  const sin = Math.sin(lat * RADIANS);
  const primeVertical = EQUATORIAL_RADIUS / Math.sqrt(1 - ECCENTRICITY_2 * sin * sin);
  return primeVertical * Math.cos(lat * RADIANS) * RADIANS;
}

/** Metres per degree of latitude around a latitude: from the meridian's radius of curvature. */
export function metresPerDegreeLat(lat: Degrees): Metres {
  const sin = Math.sin(lat * RADIANS);
  const root = Math.sqrt(1 - ECCENTRICITY_2 * sin * sin);
  return ((EQUATORIAL_RADIUS * (1 - ECCENTRICITY_2)) / (root * root * root)) * RADIANS;
}

/**
 * Distance between two nearby points, each coordinate scaled at their middle latitude. Within 10⁻⁵
 * of the geodesic up to several kilometres, which no street segment exceeds.
 */
export function localDistance(lonA: Degrees, latA: Degrees, lonB: Degrees, latB: Degrees): Metres {
  const middle = (latA + latB) / 2;
  const dx = (lonB - lonA) * metresPerDegreeLon(middle);
  const dy = (latB - latA) * metresPerDegreeLat(middle);
  return Math.sqrt(dx * dx + dy * dy);
}

export function bufferBox(box: BoundingBox, margin: Metres): BoundingBox {
  const lat = Math.max(Math.abs(box.minLat), Math.abs(box.maxLat));
  const dLon = margin / metresPerDegreeLon(Math.min(lat, 89));
  const dLat = margin / metresPerDegreeLat(box.minLat);
  return {
    minLon: box.minLon - dLon,
    minLat: box.minLat - dLat,
    maxLon: box.maxLon + dLon,
    maxLat: box.maxLat + dLat,
  };
}

export function boxAroundPoint(lon: Degrees, lat: Degrees, radius: Metres): BoundingBox {
  return bufferBox({ minLon: lon, minLat: lat, maxLon: lon, maxLat: lat }, radius);
}

export function boxContains(box: BoundingBox, lon: Degrees, lat: Degrees): boolean {
  return lon >= box.minLon && lon <= box.maxLon && lat >= box.minLat && lat <= box.maxLat;
}

/** Bounding box of some positions; an inverted box if there are none. */
export function boxOf(positions: Iterable<readonly [lon: Degrees, lat: Degrees]>): BoundingBox {
  let [minLon, minLat, maxLon, maxLat] = [180, 90, -180, -90];
  for (const [lon, lat] of positions) {
    minLon = Math.min(minLon, lon);
    minLat = Math.min(minLat, lat);
    maxLon = Math.max(maxLon, lon);
    maxLat = Math.max(maxLat, lat);
  }
  return { minLon, minLat, maxLon, maxLat };
}

/** Bounding boxes of some positions: two if they are on both sides of the antimeridian. */
export function boxesAround(
  positions: readonly (readonly [lon: Degrees, lat: Degrees])[],
): BoundingBox[] {
  const box = boxOf(positions);
  if (box.maxLon - box.minLon <= 180) return [box];
  return [
    boxOf(positions.filter(([lon]) => lon < 0)),
    boxOf(positions.filter(([lon]) => lon >= 0)),
  ];
}

/** Returns the parts of a box that extends beyond the antimeridian, each within ±180 degrees. */
export function cutAtAntimeridian(box: BoundingBox): BoundingBox[] {
  return [-360, 0, 360].flatMap((turn) => {
    const minLon = Math.max(box.minLon + turn, -180);
    const maxLon = Math.min(box.maxLon + turn, 180);
    return minLon < maxLon ? [{ ...box, minLon, maxLon }] : [];
  });
}

/** A box in GeoJSON and manifest order: west, south, east, north. */
export function edgesOf(box: BoundingBox): [number, number, number, number] {
  return [box.minLon, box.minLat, box.maxLon, box.maxLat];
}

/** Converts the result of `edgesOf` back to a box. */
export function boxWithin(edges: readonly [number, number, number, number]): BoundingBox {
  const [minLon, minLat, maxLon, maxLat] = edges;
  return { minLon, minLat, maxLon, maxLat };
}

export function boxAroundBoth(a: BoundingBox, b: BoundingBox): BoundingBox {
  return {
    minLon: Math.min(a.minLon, b.minLon),
    minLat: Math.min(a.minLat, b.minLat),
    maxLon: Math.max(a.maxLon, b.maxLon),
    maxLat: Math.max(a.maxLat, b.maxLat),
  };
}

export function boxesMeet(a: BoundingBox, b: BoundingBox): boolean {
  return (
    a.minLon <= b.maxLon && a.maxLon >= b.minLon && a.minLat <= b.maxLat && a.maxLat >= b.minLat
  );
}

/** Whether a line segment intersects a box, in plain doubles. */
export function segmentMeetsBox(
  ax: number,
  ay: number,
  bx: number,
  by: number,
  { minLon, minLat, maxLon, maxLat }: BoundingBox,
): boolean {
  if ((ax < minLon && bx < minLon) || (ax > maxLon && bx > maxLon)) return false;
  if ((ay < minLat && by < minLat) || (ay > maxLat && by > maxLat)) return false;
  // The line misses the box if all corners are on one side of it.
  const [dx, dy] = [bx - ax, by - ay];
  const [south, north] = [dx * (minLat - ay), dx * (maxLat - ay)];
  const [west, east] = [dy * (minLon - ax), dy * (maxLon - ax)];
  const least = Math.min(south, north) - Math.max(west, east);
  const most = Math.max(south, north) - Math.min(west, east);
  return least <= 0 && most >= 0;
}
