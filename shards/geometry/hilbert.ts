import { MICRO, type MicroDegrees } from '../units.ts';
import { boundsOf } from './bounds.ts';

/** Cells per side of the grid that points are snapped to. */
const SIDE = 1 << 16;

/**
 * Orders points along a Hilbert curve over their box: neighbours on the curve are neighbours on the
 * ground, so arrays in this order are read almost sequentially. Returns the points' indices.
 */
export function hilbertOrder(x: Float64Array, y: Float64Array): Uint32Array {
  const [minX, minY, maxX, maxY] = boundsOf(x, y);
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
 * Position of a cell along the Hilbert curve over a square of `side` cells, a power of two: after
 * Lam and Shapiro (1994), one bit of each axis per step.
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

/**
 * Cells per side of the world-wide grid: a cell is half a kilometre wide, so a position corrected
 * by a few metres usually stays in its cell.
 */
const WORLD_SIDE = 1 << 16;

/**
 * Cell of a world-wide grid that contains a position, numbered along the Hilbert curve. It depends
 * on the position alone, so it is the same in every release. Below 2³².
 */
export function worldCell(lon: MicroDegrees, lat: MicroDegrees): number {
  return hilbertDistance(cellAlong(lon, 180 * MICRO), cellAlong(lat, 90 * MICRO), WORLD_SIDE);
}

/** Index of the cell containing a position, along an axis that extends from `-most` to `most`. */
function cellAlong(position: MicroDegrees, most: MicroDegrees): number {
  return Math.min(WORLD_SIDE - 1, Math.floor(((position + most) / (2 * most)) * WORLD_SIDE));
}
