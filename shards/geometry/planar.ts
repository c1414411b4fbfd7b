import type { Degrees, SquareMetres } from '../units.ts';
import type { Polygon, Ring } from './polygon.ts';
import { boxContains, boxOf, metresPerDegreeLat, metresPerDegreeLon } from './wgs84.ts';

/** Nearer to a border than this is on it, since crossings are rounded: 0.1 mm. */
const LEAST_WIDTH: Degrees = 1e-9;

/**
 * Area of polygons minus their holes, each measured in the local plane at its middle latitude.
 * Never negative: the loops of a ring that crosses itself count against each other, and holes up to
 * the size of their shell.
 */
export function squareMetresOf(polygons: readonly Polygon[]): SquareMetres {
  let sum = 0;
  for (const [outer, ...holes] of polygons) {
    const lat = centreOf(outer)[1];
    const scale = metresPerDegreeLon(lat) * metresPerDegreeLat(lat);
    let area = Math.abs(shoelace(outer)) * scale;
    for (const hole of holes) area -= Math.abs(shoelace(hole)) * scale;
    sum += Math.max(0, area);
  }
  return sum;
}

/** Parallels that are searched for an inside; each takes time by the corners of the polygon. */
const MOST_PARALLELS = 200;

/**
 * A point inside the largest polygon that has an inside: its centroid, or the middle of the widest
 * stretch along the centroid's parallel if the centroid is outside, or along another parallel if
 * that one has no stretch. Inside is what a shell contains by the even-odd rule and its holes do
 * not; holes that leave nothing are ignored. If no polygon has an inside, a corner.
 */
export function pointInside(polygons: readonly Polygon[]): [lon: Degrees, lat: Degrees] {
  const areas = new Map(polygons.map((polygon) => [polygon, Math.abs(shoelace(polygon[0]))]));
  const largestFirst = [...polygons].sort((a, b) => areas.get(b)! - areas.get(a)!);
  for (const polygon of [...largestFirst, ...largestFirst.map(([shell]) => [shell])]) {
    const [lon, lat] = centreOf(polygon[0]);
    for (const parallel of parallelsThrough(polygon[0], lat)) {
      const inside = longitudeInside(polygon, parallel, lon);
      if (inside !== null) return [inside, parallel];
    }
  }
  const [[[[lon, lat]]]] = polygons;
  return [lon, lat];
}

/** A longitude inside a polygon on a parallel: the preferred one, or the middle of the widest. */
function longitudeInside(polygon: Polygon, lat: Degrees, preferred: Degrees): Degrees | null {
  let [middle, width]: [Degrees | null, Degrees] = [null, LEAST_WIDTH];
  for (const [west, east] of stretchesAt(polygon, lat)) {
    if (Math.min(preferred - west, east - preferred) > LEAST_WIDTH) return preferred;
    if (east - west > width) [middle, width] = [(west + east) / 2, east - west];
  }
  return middle;
}

const IN_SHELL = 1;
const IN_HOLE = 2;

/** The stretches of a parallel inside a polygon, from west to east. */
function stretchesAt(polygon: Polygon, lat: Degrees): [west: Degrees, east: Degrees][] {
  const crossings: [lon: Degrees, within: number][] = [];
  for (const ring of polygon) {
    const within = ring === polygon[0] ? IN_SHELL : IN_HOLE;
    for (let i = 1; i < ring.length; i++) {
      const [[x1, y1], [x2, y2]] = [ring[i - 1], ring[i]];
      if (y1 > lat !== y2 > lat)
        crossings.push([x1 + ((lat - y1) / (y2 - y1)) * (x2 - x1), within]);
    }
  }
  crossings.sort(([a], [b]) => a - b);
  const stretches: [west: Degrees, east: Degrees][] = [];
  let within = 0;
  for (const [i, [lon, changed]] of crossings.entries()) {
    if (within === IN_SHELL) stretches.push([crossings[i - 1][0], lon]);
    within ^= changed;
  }
  return stretches;
}

/**
 * The parallels to search, the preferred one first. The others are between each corner and the next
 * to the north, the furthest apart first. There edges only cross, so that insides of no width in
 * the middle have some further south.
 */
function* parallelsThrough(ring: Ring, preferred: Degrees): Generator<Degrees> {
  yield preferred;
  const corners = Float64Array.from(new Set(ring.map(([, lat]) => lat))).sort();
  const bands = Array.from(corners.subarray(1), (north, i) => [corners[i], north]);
  bands.sort((a, b) => b[1] - b[0] - (a[1] - a[0]));
  for (const [south, north] of bands.slice(0, MOST_PARALLELS / 2)) {
    yield (south + north) / 2;
    yield south + (north - south) / Math.E;
  }
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

/** The centroid of a ring; the middle of its box if it is not in there, since loops cancel out. */
function centreOf(ring: Ring): [lon: Degrees, lat: Degrees] {
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
  const [lon, lat] = [x0 + sumX / (3 * twice), y0 + sumY / (3 * twice)];
  const box = boxOf(ring);
  if (boxContains(box, lon, lat)) return [lon, lat];
  return [(box.minLon + box.maxLon) / 2, (box.minLat + box.maxLat) / 2];
}
