import { MICRO } from '../units.ts';
import { type Rings, twiceSignedArea } from './rings.ts';

/**
 * An area as GeoJSON's MultiPolygon nests it, in degrees, rings closed. Each shell is followed by
 * its holes, as layers of areas keep them.
 */
export function polygonsOf({ firstRing, firstPoint, x, y }: Rings, area: number): number[][][][] {
  const polygons: number[][][][] = [];
  for (let r = firstRing[area]; r < firstRing[area + 1]; r++) {
    const [start, end] = [firstPoint[r], firstPoint[r + 1]];
    const ring: number[][] = [];
    for (let i = start; i < end; i++) ring.push([x[i] / MICRO, y[i] / MICRO]);
    ring.push([...ring[0]]);
    if (twiceSignedArea(x, y, start, end) > 0 || polygons.length === 0) polygons.push([ring]);
    else polygons[polygons.length - 1].push(ring);
  }
  return polygons;
}
