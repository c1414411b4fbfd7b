import { toMicro } from '../units.ts';
import type { Area } from './polygon.ts';
import type { Rings } from './rings.ts';

/** Areas in degrees as rings of integer micro-degrees, in their order and with their winding. */
export function ringsOf(areas: readonly Area[]): Rings {
  const firstRing = [0];
  const firstPoint = [0];
  const x: number[] = [];
  const y: number[] = [];
  for (const { polygons } of areas) {
    for (const ring of polygons.flat()) {
      for (let i = 0; i + 1 < ring.length; i++) {
        x.push(toMicro(ring[i][0]));
        y.push(toMicro(ring[i][1]));
      }
      firstPoint.push(x.length);
    }
    firstRing.push(firstPoint.length - 1);
  }
  return {
    firstRing: Uint32Array.from(firstRing),
    firstPoint: Uint32Array.from(firstPoint),
    x: Int32Array.from(x),
    y: Int32Array.from(y),
  };
}
