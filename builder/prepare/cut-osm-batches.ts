import type { Bytes } from '../../shards/units.ts';
import type { CellRectangle } from '../geo/cell-rectangle.ts';

/**
 * Divides cells into batches of up to `most` bytes, unless a single cell has more. `byCell` has the
 * bytes of each cell that is not empty.
 */
export function cutBatches(
  cells: CellRectangle,
  byCell: ReadonlyMap<number, Bytes>,
  most: Bytes,
): CellRectangle[] {
  const lines = linesOf(cells, byCell);
  const bytes = lines.reduce((sum, line) => sum + line, 0);
  if (bytes <= most || cells.side === 1) return [cells];
  return cells.cutAfter(mostEven(lines)).flatMap((part) => cutBatches(part, byCell, most));
}

/**
 * Returns the line to cut after so that the larger part has least and few batches exceed the limit;
 * of equal lines, the one nearest to the middle.
 */
function mostEven(lines: Float64Array): number {
  const before = [0];
  for (const bytes of lines) before.push(before.at(-1)! + bytes);
  const cuts = Array.from({ length: lines.length - 1 }, (_, line) => ({
    line,
    larger: Math.round(Math.max(before[line + 1], before.at(-1)! - before[line + 1])),
    toMiddle: Math.abs(2 * line - (lines.length - 2)),
  }));
  cuts.sort((a, b) => a.larger - b.larger || a.toMiddle - b.toMiddle);
  return cuts[0].line;
}

function linesOf(cells: CellRectangle, byCell: ReadonlyMap<number, Bytes>): Float64Array {
  const lines = new Float64Array(cells.side);
  for (const [cell, bytes] of byCell) if (cells.has(cell)) lines[cells.lineOf(cell)] += bytes;
  return lines;
}
