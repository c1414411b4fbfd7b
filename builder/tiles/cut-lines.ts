import { BUFFER, type PathView, type TileRange } from './cut-into-tiles.ts';
import { EXTENT, EXTENT_BITS } from './fit-to-zoom.ts';
import type { TileLines } from './path-list.ts';

/**
 * Cuts lines along the tiles of a range, each tile grown by the buffer. `onLine` receives the
 * pieces of a line in a tile one by one; each piece is valid only during the call.
 */
export function cutLines(
  { firstPoint, x, y }: TileLines,
  range: TileRange,
  onLine: (tileX: number, tileY: number, line: PathView) => void,
): void {
  for (let line = 0; line + 1 < firstPoint.length; line++) {
    const whole = { x, y, start: firstPoint[line], end: firstPoint[line + 1] };
    eachStrip(whole, 'x', range.west, range.east, (tileX, piece) => {
      eachStrip(piece, 'y', range.north, range.south, (tileY, part) => onLine(tileX, tileY, part));
    });
  }
}

/** Passes the pieces of a line in each column, or row, of tiles to `onPiece`. */
function eachStrip(
  line: PathView,
  axis: 'x' | 'y',
  first: number,
  last: number,
  onPiece: (tile: number, piece: PathView) => void,
): void {
  const along = line[axis];
  let [low, high] = [along[line.start], along[line.start]];
  for (let i = line.start + 1; i < line.end; i++) {
    if (along[i] < low) low = along[i];
    else if (along[i] > high) high = along[i];
  }
  const from = Math.max(first, (low - BUFFER) >> EXTENT_BITS);
  const to = Math.min(last, (high + BUFFER) >> EXTENT_BITS);
  for (let tile = from; tile <= to; tile++) {
    const [start, end] = [tile * EXTENT - BUFFER, (tile + 1) * EXTENT + BUFFER];
    if (low >= start && high <= end) onPiece(tile, line);
    else for (const piece of piecesWithin(line, axis, start, end)) onPiece(tile, piece);
  }
}

/** The pieces of a line between two parallels to an axis, after Liang and Barsky (1984). */
function* piecesWithin(
  line: PathView,
  axis: 'x' | 'y',
  low: number,
  high: number,
): Generator<PathView> {
  const along = line[axis];
  const across = line[axis === 'x' ? 'y' : 'x'];
  let points: number[] = [];
  for (let i = line.start + 1; i < line.end; i++) {
    const [a1, c1, a2, c2] = [along[i - 1], across[i - 1], along[i], across[i]];
    if ((a1 < low && a2 < low) || (a1 > high && a2 > high)) continue;
    const crossing = (at: number) => Math.round(c1 + ((at - a1) * (c2 - c1)) / (a2 - a1));
    if (points.length === 0) {
      if (a1 < low) points.push(low, crossing(low));
      else if (a1 > high) points.push(high, crossing(high));
      else points.push(a1, c1);
    }
    const isLeaving = a2 < low || a2 > high;
    if (a2 < low) points.push(low, crossing(low));
    else if (a2 > high) points.push(high, crossing(high));
    else points.push(a2, c2);
    if (!isLeaving && i + 1 < line.end) continue;
    yield viewOf(points, axis);
    points = [];
  }
}

function viewOf(points: readonly number[], axis: 'x' | 'y'): PathView {
  const count = points.length / 2;
  const along = Int32Array.from({ length: count }, (_, i) => points[2 * i]);
  const across = Int32Array.from({ length: count }, (_, i) => points[2 * i + 1]);
  return axis === 'x'
    ? { x: along, y: across, start: 0, end: count }
    : { x: across, y: along, start: 0, end: count };
}
