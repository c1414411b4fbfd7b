/** The sides of a box, in any unit. */
type Bounds = readonly [minX: number, minY: number, maxX: number, maxY: number];

/** The box of the points `start` up to `end`; inverted and infinite if there are none. */
export function boundsOf(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  start = 0,
  end = x.length,
): Bounds {
  let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = start; i < end; i++) {
    if (x[i] < minX) minX = x[i];
    if (x[i] > maxX) maxX = x[i];
    if (y[i] < minY) minY = y[i];
    if (y[i] > maxY) maxY = y[i];
  }
  return [minX, minY, maxX, maxY];
}
