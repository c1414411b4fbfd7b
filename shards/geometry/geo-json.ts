import { type Degrees, MICRO } from '../units.ts';
import { type Rings, twiceSignedArea } from './rings.ts';

type Coordinate = [lon: number, lat: number];
/** Polygons nested as in a GeoJSON MultiPolygon, in degrees, rings closed. */
export type Polygons = Coordinate[][][];

export interface PointGeometry {
  readonly type: 'Point';
  readonly coordinates: Coordinate;
}

export type PolygonGeometry =
  | { readonly type: 'Polygon'; readonly coordinates: Coordinate[][] }
  | { readonly type: 'MultiPolygon'; readonly coordinates: Polygons };

export function pointAt(lon: Degrees, lat: Degrees): PointGeometry {
  return { type: 'Point', coordinates: [lon, lat] };
}

/** GeoJSON geometry of polygons: a Polygon if there is only one, otherwise a MultiPolygon. */
export function geometryOf(polygons: Polygons): PolygonGeometry {
  return polygons.length === 1
    ? { type: 'Polygon', coordinates: polygons[0] }
    : { type: 'MultiPolygon', coordinates: polygons };
}

/** Converts areas of one polygon each. */
export function polygonsOfAll(rings: Rings): Polygons {
  const polygons: Polygons = [];
  for (let p = 0; p + 1 < rings.firstRing.length; p++) {
    const polygon: Coordinate[][] = [];
    for (let r = rings.firstRing[p]; r < rings.firstRing[p + 1]; r++) {
      polygon.push(closedRing(rings, r));
    }
    polygons.push(polygon);
  }
  return polygons;
}

/** Converts one area whose shells are each followed by their holes, as in area layers. */
export function polygonsOf(rings: Rings, area: number): Polygons {
  const { firstRing, firstPoint, x, y } = rings;
  const polygons: Polygons = [];
  for (let r = firstRing[area]; r < firstRing[area + 1]; r++) {
    const isShell = twiceSignedArea(x, y, firstPoint[r], firstPoint[r + 1]) > 0;
    const ring = closedRing(rings, r);
    if (isShell || polygons.length === 0) polygons.push([ring]);
    else polygons[polygons.length - 1].push(ring);
  }
  return polygons;
}

function closedRing({ firstPoint, x, y }: Rings, r: number): Coordinate[] {
  const ring: Coordinate[] = [];
  for (let i = firstPoint[r]; i < firstPoint[r + 1]; i++) ring.push([x[i] / MICRO, y[i] / MICRO]);
  ring.push([...ring[0]]);
  return ring;
}
