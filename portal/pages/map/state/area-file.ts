import { POLYGON_LIMITS, REQUEST_LIMITS } from '../../../../proxy/http/request-limits.ts';
import type { Polygon, Position, Ring } from '../../../../shards/geometry/polygon.ts';
import { polygonFault } from '../../../../shards/geometry/sweep-line.ts';
import { degrees } from './codecs.ts';

/** The polygons of a file, or what is wrong with it. */
type ReadArea = { readonly area: readonly Polygon[] } | { readonly fault: string };

/**
 * Reads the polygons of a GeoJSON text: of a geometry, a feature, or all features of a collection.
 */
export function readArea(text: string): ReadArea {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { fault: 'The file is not GeoJSON: it is not valid JSON.' };
  }
  const polygons = polygonsIn(json).map((rings) => rings.map(withoutRepeats));
  if (polygons.length === 0) return { fault: 'The file has no polygon.' };
  const rings = polygons.flat();
  const positions = rings.flat();
  if (!positions.every(isOnEarth)) {
    return { fault: 'The file has positions that are not longitude and latitude (WGS84).' };
  }
  if (rings.some((ring) => ring.length < 4 || !isSame(ring[0], ring.at(-1)!))) {
    return { fault: 'A ring of the file is not closed, or has fewer than four positions.' };
  }
  if (positions.length - rings.length > REQUEST_LIMITS.vertices) {
    return { fault: `The polygons of the file are too complex: at most ${POLYGON_LIMITS}.` };
  }
  return polygons.some((polygon) => polygonFault(polygon) !== null)
    ? { fault: 'A polygon of the file crosses itself, or has a hole outside its shell.' }
    : { area: polygons };
}

type Json = Readonly<Record<string, unknown>>;

function polygonsIn(json: unknown): readonly Polygon[] {
  if (json === null || typeof json !== 'object') return [];
  const { type, features, geometry, geometries, coordinates } = json as Json;
  const listed = [features, geometries].find(Array.isArray);
  if (listed) return listed.flatMap(polygonsIn);
  if (type === 'Feature') return polygonsIn(geometry);
  const polygons = type === 'Polygon' ? [coordinates] : type === 'MultiPolygon' ? coordinates : [];
  return Array.isArray(polygons) ? polygons.filter(isPolygon) : [];
}

function isPolygon(value: unknown): value is Polygon {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((ring) => Array.isArray(ring) && ring.every(Array.isArray))
  );
}

/** Drops heights, decimals below a tenth of a metre, and repeated positions. */
function withoutRepeats(ring: Ring): Ring {
  return ring
    .map(([lon, lat]): Position => [degrees(Number(lon)), degrees(Number(lat))])
    .filter((at, i, all) => i === 0 || !isSame(at, all[i - 1]));
}

function isSame(a: Position, b: Position): boolean {
  return a[0] === b[0] && a[1] === b[1];
}

export function isOnEarth([lon, lat]: Position): boolean {
  return Math.abs(lon) <= 180 && Math.abs(lat) <= 90;
}
