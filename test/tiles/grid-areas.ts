import type { Rings } from '../../shards/geometry/rings.ts';
import { boxRing } from '../support/rings.ts';

/** Squares of a grid as areas, row by row from the south-west corner, which is at `(x0, y0)`. */
export function gridAreas(columns: number, rows: number, side: number, x0 = 0, y0 = 0): Rings {
  const count = columns * rows;
  const squares = Array.from({ length: count }, (_, i) => {
    const x = x0 + (i % columns) * side;
    const y = y0 + Math.floor(i / columns) * side;
    return boxRing(x, y, x + side, y + side).slice(0, 4);
  });
  return {
    firstRing: Uint32Array.from({ length: count + 1 }, (_, i) => i),
    firstPoint: Uint32Array.from({ length: count + 1 }, (_, i) => i * 4),
    x: Int32Array.from(squares.flatMap((square) => square.map(([x]) => x))),
    y: Int32Array.from(squares.flatMap((square) => square.map(([, y]) => y))),
  };
}

/** Areas of one ring each, given as lists of corners. */
export function areasOf(rings: readonly (readonly (readonly [number, number])[])[]): Rings {
  const firstPoint = new Uint32Array(rings.length + 1);
  rings.forEach((ring, i) => {
    firstPoint[i + 1] = firstPoint[i] + ring.length;
  });
  return {
    firstRing: Uint32Array.from({ length: rings.length + 1 }, (_, i) => i),
    firstPoint,
    x: Int32Array.from(rings.flatMap((ring) => ring.map(([x]) => x))),
    y: Int32Array.from(rings.flatMap((ring) => ring.map(([, y]) => y))),
  };
}
