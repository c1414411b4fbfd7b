import type { Polygon, Position } from '../../../../shards/geometry/polygon.ts';
import { type Codec, degrees, type Point, readPoint } from './codecs.ts';

export interface Circle extends Point {
  readonly metres: number;
}

/**
 * An area of exact sums: the GEOID of a county (5 digits), a place (7) or a tract (11), a circle,
 * or polygons.
 */
export type Area = string | Circle | readonly Polygon[];

/** Numbers of digits of the GEOIDs of areas. */
export const COUNTY_DIGITS = 5;
export const PLACE_DIGITS = 7;
export const TRACT_DIGITS = 11;

const NAMED = /^(\d{5}|\d{7}|\d{11})$/;
/** Mail and chat programs would cut a longer address. */
const MAX_LENGTH = 1_500;
export const MAX_CIRCLE_METRES = 50_000;

/**
 * An area in an address: its GEOID, `latitude,longitude,metres`, or the points of its rings, with
 * semicolons between points, `!` before a hole, and `!!` before another polygon. An area with too
 * many points for an address is written as an empty text.
 */
export const areaCodec: Codec<Area> = {
  read(text) {
    if (NAMED.test(text)) return text;
    return text.includes(';') ? readPolygons(text) : readCircle(text.split(','));
  },
  write(area) {
    if (typeof area === 'string') return area;
    if ('metres' in area) return `${degrees(area.lat)},${degrees(area.lon)},${area.metres}`;
    const text = area.map((rings) => rings.map(writeRing).join('!')).join('!!');
    return text.length > MAX_LENGTH ? '' : text;
  },
};

function readCircle([lat, lon, radius = '']: readonly string[]): Circle | undefined {
  const point = readPoint([lat, lon ?? '']);
  const metres = /^\d{1,5}$/.test(radius) ? Number(radius) : 0;
  return point && metres > 0 && metres <= MAX_CIRCLE_METRES ? { ...point, metres } : undefined;
}

function readPolygons(text: string): readonly Polygon[] | undefined {
  const polygons = text.split('!!').map((part) => part.split('!').map(readRing));
  return polygons.every((rings) => rings.every((ring) => ring !== undefined))
    ? (polygons as Polygon[])
    : undefined;
}

function readRing(text: string): readonly Position[] | undefined {
  const points = text.split(';').map((part) => readPoint(part.split(',')));
  if (points.length < 3 || points.includes(undefined)) return undefined;
  return ringOf(points as Point[]);
}

function writeRing(ring: readonly Position[]): string {
  return ring
    .slice(0, -1)
    .map(([lon, lat]) => `${degrees(lat)},${degrees(lon)}`)
    .join(';');
}

export function ringOf(points: readonly Point[]): readonly Position[] {
  const ring = points.map(({ lat, lon }): Position => [degrees(lon), degrees(lat)]);
  return [...ring, ring[0]];
}
