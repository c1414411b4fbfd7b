import { type Degrees, toMicro } from '../units.ts';
import type { Area } from './polygon.ts';

/**
 * Areas as flat rings of integer micro-degrees: area `i` has the rings `firstRing[i]` up to
 * `firstRing[i + 1]`, ring `r` the points `firstPoint[r]` up to `firstPoint[r + 1]`; the first
 * point is not repeated at the end. Shells run counter-clockwise and holes clockwise, so the inside
 * is always to the left.
 */
export interface Rings {
  readonly firstRing: Uint32Array;
  readonly firstPoint: Uint32Array;
  readonly x: Int32Array;
  readonly y: Int32Array;
}

/**
 * Twice the signed area of the points `start` up to `end`, in square micro-degrees: positive
 * counter-clockwise. Exact for rings up to several degrees across.
 */
export function twiceSignedArea(x: Int32Array, y: Int32Array, start: number, end: number): number {
  const [x0, y0] = [x[start], y[start]];
  let twice = 0;
  for (let i = start + 2; i < end; i++) {
    twice += (x[i - 1] - x0) * (y[i] - y0) - (x[i] - x0) * (y[i - 1] - y0);
  }
  return twice;
}

export function ringsOf(
  areas: readonly Area[],
  xOf: (lon: Degrees) => number = toMicro,
  yOf: (lat: Degrees) => number = toMicro,
): Rings {
  const firstRing = [0];
  const firstPoint = [0];
  const x: number[] = [];
  const y: number[] = [];
  for (const { polygons } of areas) {
    for (const ring of polygons.flat()) {
      for (let i = 0; i + 1 < ring.length; i++) {
        x.push(xOf(ring[i][0]));
        y.push(yOf(ring[i][1]));
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
