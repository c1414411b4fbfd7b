import { MICRO, type MicroDegrees } from '../units.ts';
import { hilbertDistance } from './hilbert.ts';

/** Cells a side: a cell is half a kilometre wide, so that a position mended by metres mostly stays. */
const SIDE = 1 << 16;

/**
 * The cell of a grid over the whole world that a position lies in, numbered along the Hilbert curve.
 * It follows from the position alone, so it is the same in every release. Below 2³².
 */
export function worldCell(lon: MicroDegrees, lat: MicroDegrees): number {
  return hilbertDistance(cellAlong(lon, 180 * MICRO), cellAlong(lat, 90 * MICRO), SIDE);
}

/** Which of the cells along an axis, which goes as far to either side of zero, holds a position. */
function cellAlong(position: MicroDegrees, most: MicroDegrees): number {
  return Math.min(SIDE - 1, Math.floor(((position + most) / (2 * most)) * SIDE));
}
