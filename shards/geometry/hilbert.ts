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
    key[i] = hilbertIndex(Math.floor((x[i] - minX) * scaleX), Math.floor((y[i] - minY) * scaleY));
  }
  return Uint32Array.from(x.keys()).sort((a, b) => key[a] - key[b] || a - b);
}

/** Distance along the curve of a cell, after Lam and Shapiro (1994), a bit of each axis a step. */
function hilbertIndex(x: number, y: number): number {
  let distance = 0;
  for (let side = SIDE >>> 1; side > 0; side >>>= 1) {
    const right = x & side ? 1 : 0;
    const up = y & side ? 1 : 0;
    distance += side * side * ((3 * right) ^ up);
    if (up === 0) {
      if (right === 1) {
        x = SIDE - 1 - x;
        y = SIDE - 1 - y;
      }
      [x, y] = [y, x];
    }
  }
  return distance;
}
