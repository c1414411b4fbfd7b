/**
 * Areas as rings of integer micro-degrees, flat: area `i` has the rings `firstRing[i]` up to
 * `firstRing[i + 1]`, ring `r` the points `firstPoint[r]` up to `firstPoint[r + 1]`, the first
 * point not repeated at the end. Shells run counter-clockwise and holes clockwise, so that what is
 * inside is always to the left.
 */
export interface Rings {
  readonly firstRing: Uint32Array;
  readonly firstPoint: Uint32Array;
  readonly x: Int32Array;
  readonly y: Int32Array;
}

/**
 * Twice the signed area of the points `start` up to `end`, in square micro-degrees: positive
 * counter-clockwise. Exact for anything up to some degrees across.
 */
export function twiceSignedArea(x: Int32Array, y: Int32Array, start: number, end: number): number {
  const [x0, y0] = [x[start], y[start]];
  let twice = 0;
  for (let i = start + 2; i < end; i++) {
    twice += (x[i - 1] - x0) * (y[i] - y0) - (x[i] - x0) * (y[i - 1] - y0);
  }
  return twice;
}
