import { LineSimplifier } from '../geo/simplify.ts';
import { WORLD_BITS } from '../geo/web-mercator.ts';
import { type Arcs, OUTSIDE } from './block-arcs.ts';

/** A tile's side in its own units, as in vector tiles, and the side's binary logarithm. */
export const EXTENT_BITS = 12;
export const EXTENT = 1 << EXTENT_BITS;

export const MAX_TILE_ZOOM = 14;

/**
 * Binary logarithms of grid steps in units of a tile. A screen pixel is eight units of a tile drawn
 * 512 pixels wide.
 */
const LOW_ZOOM_GRID_BITS = 3;
const MIDDLE_ZOOM_GRID_BITS = 2;
export const LAST_LOW_ZOOM = 9;

/**
 * Points lie on a grid of a pixel below zoom 10, of half a pixel below zoom 14, and of a tile's
 * unit at zoom 14. Blocks smaller than the grid vanish, so a tile holds no more than is visible.
 */
function gridBits(zoom: number): number {
  if (zoom === MAX_TILE_ZOOM) return 0;
  return zoom <= LAST_LOW_ZOOM ? LOW_ZOOM_GRID_BITS : MIDDLE_ZOOM_GRID_BITS;
}

/**
 * Converts arcs to the units of a zoom's tiles. They are simplified to within its grid after
 * Douglas and Peucker (1973), rounded to the grid, and dropped if nothing is left of them. The ends
 * of an arc are kept, so that arcs still meet. Arcs along the county line are not simplified, since
 * the next county, which is processed separately, has different ends for them.
 */
export function fitToZoom(arcs: Arcs, zoom: number): Arcs {
  const bits = gridBits(zoom);
  const shift = WORLD_BITS - EXTENT_BITS - zoom + bits;
  const tolerance = 2 ** shift;
  const half = tolerance / 2;
  const simplifier = new LineSimplifier(arcs, tolerance, longestArc(arcs));
  const x = new Int32Array(arcs.x.length);
  const y = new Int32Array(arcs.x.length);
  const firstPoint = new Uint32Array(arcs.count + 1);
  const inside = new Int32Array(arcs.count);
  const outside = new Int32Array(arcs.count);
  let points = 0;
  let count = 0;
  for (let arc = 0; arc < arcs.count; arc++) {
    const start = points;
    const [first, last] = [arcs.firstPoint[arc], arcs.firstPoint[arc + 1] - 1];
    const isBorder = arcs.outside[arc] === OUTSIDE;
    const kept = isBorder ? null : simplifier.keptPoints(first, last);
    for (let i = first; i <= last; i++) {
      if (kept !== null && kept[i - first] === 0) continue;
      const px = ((arcs.x[i] + half) >> shift) << bits;
      const py = ((arcs.y[i] + half) >> shift) << bits;
      if (points > start && x[points - 1] === px && y[points - 1] === py) continue;
      x[points] = px;
      y[points++] = py;
    }
    if (points - start < 2) {
      points = start;
      continue;
    }
    inside[count] = arcs.inside[arc];
    outside[count] = arcs.outside[arc];
    firstPoint[++count] = points;
  }
  return {
    count,
    firstPoint: firstPoint.slice(0, count + 1),
    x: x.slice(0, points),
    y: y.slice(0, points),
    inside: inside.slice(0, count),
    outside: outside.slice(0, count),
  };
}

function longestArc({ count, firstPoint }: Arcs): number {
  let longest = 0;
  for (let arc = 0; arc < count; arc++) {
    longest = Math.max(longest, firstPoint[arc + 1] - firstPoint[arc]);
  }
  return longest;
}
