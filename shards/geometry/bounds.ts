/** The sides of a box, in any unit. */
export type Bounds = readonly [minX: number, minY: number, maxX: number, maxY: number];

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

/** The box around all of some boxes; inverted and infinite if there are none. */
export function aroundAll(boxes: readonly ArrayLike<number>[]): Bounds {
  return boxes.reduce<Bounds>(aroundBoth, [Infinity, Infinity, -Infinity, -Infinity]);
}

export function aroundBoth(a: ArrayLike<number>, b: ArrayLike<number>): Bounds {
  return [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[2], b[2]), Math.max(a[3], b[3])];
}
