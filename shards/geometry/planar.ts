import type { Degrees, SquareMetres } from '../units.ts';
import type { Polygon, Ring } from './polygon.ts';
import { metresPerDegreeLat, metresPerDegreeLon } from './wgs84.ts';

/** Area of polygons minus their holes, each measured in the local plane at its middle latitude. */
export function squareMetresOf(polygons: readonly Polygon[]): SquareMetres {
  let sum = 0;
  for (const [outer, ...holes] of polygons) {
    const lat = centroid(outer)[1];
    const scale = metresPerDegreeLon(lat) * metresPerDegreeLat(lat);
    sum += Math.abs(shoelace(outer)) * scale;
    for (const hole of holes) sum -= Math.abs(shoelace(hole)) * scale;
  }
  return sum;
}

/**
 * A point inside the largest polygon: its centroid, or the middle of the widest stretch along the
 * centroid's parallel if the centroid is outside.
 */
export function pointInside(polygons: readonly Polygon[]): [lon: Degrees, lat: Degrees] {
  const largest = polygons.reduce((best, polygon) =>
    Math.abs(shoelace(polygon[0])) > Math.abs(shoelace(best[0])) ? polygon : best,
  );
  const [lon, lat] = centroid(largest[0]);
  const crossings = crossingsAt(largest, lat);
  let widest: [west: number, east: number] | null = null;
  for (let i = 0; i + 1 < crossings.length; i += 2) {
    const [west, east] = [crossings[i], crossings[i + 1]];
    if (lon > west && lon < east) return [lon, lat];
    if (!widest || east - west > widest[1] - widest[0]) widest = [west, east];
  }
  return widest ? [(widest[0] + widest[1]) / 2, lat] : [lon, lat];
}

/** Longitudes at which the rings cross a parallel, ascending; the inside is within each pair. */
function crossingsAt(polygon: Polygon, lat: Degrees): Degrees[] {
  const crossings: Degrees[] = [];
  for (const ring of polygon) {
    for (let i = 1; i < ring.length; i++) {
      const [[x1, y1], [x2, y2]] = [ring[i - 1], ring[i]];
      if (y1 > lat !== y2 > lat) crossings.push(x1 + ((lat - y1) / (y2 - y1)) * (x2 - x1));
    }
  }
  return crossings.sort((a, b) => a - b);
}

/**
 * Signed area in square degrees, positive counter-clockwise, relative to the ring's first point.
 */
function shoelace(ring: Ring): number {
  const [x0, y0] = ring[0];
  let twice = 0;
  for (let i = 1; i < ring.length; i++) {
    const [x1, y1] = [ring[i - 1][0] - x0, ring[i - 1][1] - y0];
    const [x2, y2] = [ring[i][0] - x0, ring[i][1] - y0];
    twice += x1 * y2 - x2 * y1;
  }
  return twice / 2;
}

function centroid(ring: Ring): [lon: Degrees, lat: Degrees] {
  const [x0, y0] = ring[0];
  let [sumX, sumY, twice] = [0, 0, 0];
  for (let i = 1; i < ring.length; i++) {
    const [x1, y1] = [ring[i - 1][0] - x0, ring[i - 1][1] - y0];
    const [x2, y2] = [ring[i][0] - x0, ring[i][1] - y0];
    const cross = x1 * y2 - x2 * y1;
    twice += cross;
    sumX += (x1 + x2) * cross;
    sumY += (y1 + y2) * cross;
  }
  return twice === 0 ? [x0, y0] : [x0 + sumX / (3 * twice), y0 + sumY / (3 * twice)];
}
