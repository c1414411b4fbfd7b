import { MICRO, type MicroDegrees } from '../units.ts';

/** Cells a side of the grid that points are snapped to. */
const SIDE = 1 << 16;

/**
 * The order of points along a Hilbert curve over their box: neighbours on the curve are neighbours
 * on the ground, so arrays in this order are read almost in sequence. Returns the points' indices.
 */
export function hilbertOrder(x: Float64Array, y: Float64Array): Uint32Array {
  let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < x.length; i++) {
    minX = Math.min(minX, x[i]);
    maxX = Math.max(maxX, x[i]);
    minY = Math.min(minY, y[i]);
    maxY = Math.max(maxY, y[i]);
  }
  const scaleX = (SIDE - 1) / (maxX - minX || 1);
  const scaleY = (SIDE - 1) / (maxY - minY || 1);
  const key = new Float64Array(x.length);
  for (let i = 0; i < x.length; i++) {
    const [column, row] = [Math.floor((x[i] - minX) * scaleX), Math.floor((y[i] - minY) * scaleY)];
    key[i] = hilbertDistance(column, row, SIDE);
  }
  return Uint32Array.from(x.keys()).sort((a, b) => key[a] - key[b] || a - b);
}

/**
 * How far along the curve over a square of `side` cells, a power of two, a cell is: after Lam and
 * Shapiro (1994), a bit of each axis a step.
 */
export function hilbertDistance(x: number, y: number, side: number): number {
  let distance = 0;
  for (let half = side / 2; half >= 1; half /= 2) {
    const right = x & half ? 1 : 0;
    const up = y & half ? 1 : 0;
    distance += half * half * ((3 * right) ^ up);
    if (up === 0) {
      if (right === 1) {
        x = side - 1 - x;
        y = side - 1 - y;
      }
      [x, y] = [y, x];
    }
  }
  return distance;
}

/** Cells a side: a cell is half a kilometre wide, so that a position mended by metres mostly stays. */
const WORLD_SIDE = 1 << 16;

/**
 * The cell of a grid over the whole world that a position lies in, numbered along the Hilbert curve.
 * It follows from the position alone, so it is the same in every release. Below 2³².
 */
export function worldCell(lon: MicroDegrees, lat: MicroDegrees): number {
  return hilbertDistance(cellAlong(lon, 180 * MICRO), cellAlong(lat, 90 * MICRO), WORLD_SIDE);
}

/** Which of the cells along an axis, which goes as far to either side of zero, holds a position. */
function cellAlong(position: MicroDegrees, most: MicroDegrees): number {
  return Math.min(WORLD_SIDE - 1, Math.floor(((position + most) / (2 * most)) * WORLD_SIDE));
}
